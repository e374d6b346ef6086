// Package bpfmem reads and writes the memory of BPF array maps without a system
// call per entry.
package bpfmem

import (
	"fmt"
	"unsafe"

	"github.com/cilium/ebpf"
)

// Table is a memory-mapped BPF array map whose values are laid out as T.
type Table[T any] struct {
	memory *ebpf.Memory
	stride int64
	length int
}

// Open maps an array map that was made with BPF_F_MMAPABLE. T is the generated
// type of its values.
func Open[T any](m *ebpf.Map) (*Table[T], error) {
	var zero T
	stride := int64(m.ValueSize()+7) &^ 7 // the kernel aligns array values to 8 bytes
	if size := int64(unsafe.Sizeof(zero)); size > stride {
		return nil, fmt.Errorf("map the memory of BPF map %v: values have %d bytes and %T has %d", m, m.ValueSize(), zero, size)
	}
	memory, err := m.Memory()
	if err != nil {
		return nil, fmt.Errorf("map the memory of BPF map %v: %w", m, err)
	}
	return &Table[T]{memory: memory, stride: stride, length: int(m.MaxEntries())}, nil
}

// Len is the number of entries.
func (t *Table[T]) Len() int { return t.length }

// Get reads one entry.
func (t *Table[T]) Get(i int) (T, error) {
	var v T
	_, err := t.memory.ReadAt(bytesOf(&v), int64(i)*t.stride)
	return v, err
}

// Set writes one entry.
func (t *Table[T]) Set(i int, v T) error {
	_, err := t.memory.WriteAt(bytesOf(&v), int64(i)*t.stride)
	return err
}

func bytesOf[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

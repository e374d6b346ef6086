package guest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Bytes of entropy that are mixed in, as many as the kernel's generator has of key (drivers/char/random.c).
const seedBytes = 32

// ballastPages is the most pages that are held to shift what is allocated later.
const ballastPages = 4096

// seed makes the kernel draw its random numbers from the seed, and lay out its memory by
// it: a guest has no other source, and would boot the same for ever.
func seed(n int64) error {
	f, err := os.OpenFile("/dev/urandom", os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("seed the kernel's random numbers: %w", err)
	}
	defer f.Close()
	draw := rand.New(rand.NewPCG(uint64(n), 0))
	// struct rand_pool_info (include/uapi/linux/random.h): bits, bytes, and the bytes.
	pool := make([]byte, 8, 8+seedBytes)
	binary.NativeEndian.PutUint32(pool, 8*seedBytes)
	binary.NativeEndian.PutUint32(pool[4:], seedBytes)
	for range seedBytes / 8 {
		pool = binary.NativeEndian.AppendUint64(pool, draw.Uint64())
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), unix.RNDADDENTROPY, uintptr(unsafe.Pointer(&pool[0]))); errno != 0 {
		return fmt.Errorf("seed the kernel's random numbers: %w", errno)
	}
	// From kernel 4.17 on; an older one reseeds by itself, in its own time.
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, f.Fd(), unix.RNDRESEEDCRNG, 0)
	memory, err := unix.Mmap(-1, 0, (1+draw.IntN(ballastPages))*os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return fmt.Errorf("hold memory: %w", err)
	}
	for i := 0; i < len(memory); i += os.Getpagesize() {
		memory[i] = 1
	}
	return nil
}

package vm

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"github.com/klauspost/compress/zstd"
)

// decompress reads what one of the compressors of packages and modules wrote, by the
// compressor's name in RPM. The program xz is five times as fast as xz in Go.
func decompress(ctx context.Context, compressor string, from io.Reader) (io.ReadCloser, error) {
	switch compressor {
	case "":
		return io.NopCloser(from), nil
	case "gzip":
		return gzip.NewReader(from)
	case "zstd":
		d, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	case "xz", "lzma":
		return startProgram(exec.CommandContext(ctx, "xz", "-dc"), from)
	case "bzip2":
		return startProgram(exec.CommandContext(ctx, "bzip2", "-dc"), from)
	}
	return nil, fmt.Errorf("it is compressed by %q, which is none of gzip, xz, zstd, lzma and bzip2", compressor)
}

// filter is a program that decompresses.
type filter struct {
	io.ReadCloser
	cmd       *exec.Cmd
	complaint bytes.Buffer
	ended     bool
}

func startProgram(cmd *exec.Cmd, from io.Reader) (*filter, error) {
	f := &filter{cmd: cmd}
	cmd.Stdin, cmd.Stderr = from, &f.complaint
	var err error
	if f.ReadCloser, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("decompress: %w; install %s", err, cmd.Args[0])
	}
	return f, nil
}

// Read notes the end of what the program writes.
func (f *filter) Read(b []byte) (int, error) {
	n, err := f.ReadCloser.Read(b)
	f.ended = f.ended || errors.Is(err, io.EOF)
	return n, err
}

// Close waits for the program, and ends it if it was not read to its end.
func (f *filter) Close() error {
	if !f.ended {
		_ = f.cmd.Process.Kill()
	}
	if err := f.cmd.Wait(); err != nil && f.ended {
		return fmt.Errorf("%s: %w: %s", f.cmd.Args[0], err, lastLine(f.complaint.String()))
	}
	return nil
}

package vm

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cavaliergopher/cpio"
)

// describeRPM reads a package's name and version.
func describeRPM(file string) (name, version string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	h, err := readRPMHeader(bufio.NewReader(f))
	if err != nil {
		return "", "", err
	}
	return h.text(rpmName), h.text(rpmVersion) + "-" + h.text(rpmRelease), nil
}

// readRPM hands each regular file of an .rpm to each, and holds the payload to the digest in the header.
func readRPM(ctx context.Context, file string, each func(name string, sizeBytes int64, from io.Reader) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	whole := bufio.NewReaderSize(f, 1<<20)
	h, err := readRPMHeader(whole)
	if err != nil {
		return err
	}
	if arch := h.text(rpmArchitecture); arch != "x86_64" && arch != "noarch" {
		return fmt.Errorf("it is for %s, and guests are x86-64", arch)
	}
	if format := h.text(rpmPayloadFormat); format != "cpio" && format != "" {
		return fmt.Errorf("its files are in the format %s, and only cpio is read", format)
	}
	compressor := h.text(rpmPayloadCompressor)
	if first, _ := whole.Peek(2); compressor == "" && string(first) == "\x1f\x8b" {
		compressor = "gzip" // rpm before 4.0 had no other, and does not name it
	}
	digest := sha256.New()
	payload := io.TeeReader(whole, digest)
	files, err := decompress(ctx, compressor, payload)
	if err != nil {
		return err
	}
	err = eachCpioFile(cpio.NewReader(files), each)
	if err == nil {
		// What is behind the archive's end belongs to the payload too.
		_, err = io.Copy(io.Discard, files)
	}
	if closed := files.Close(); err == nil {
		err = closed
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_, left := io.Copy(io.Discard, payload)
	want := h.payloadSHA256()
	if got := hex.EncodeToString(digest.Sum(nil)); want != "" && got != want && left == nil {
		return fmt.Errorf("the file is damaged or not whole: the SHA-256 of its payload is %s and should be %s; fetch it again", got, want)
	}
	return cmp.Or(err, left)
}

func eachCpioFile(c *cpio.Reader, each func(string, int64, io.Reader) error) error {
	for {
		h, err := c.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Mode&cpio.ModeType != cpio.TypeReg {
			continue
		}
		if err := each(h.Name, h.Size, c); err != nil {
			return err
		}
	}
}

// rpmSiblings are the packages that Fedora, CentOS and RHEL divide a kernel into, beside that of the image (kernel-core).
func rpmSiblings(place string) []string {
	slash := strings.LastIndexByte(place, '/') + 1
	folder, file := place[:slash], place[slash:]
	flavour, version, found := strings.Cut(file, "-core-")
	if !found || !strings.HasPrefix(flavour, "kernel") || strings.HasSuffix(flavour, "-modules") {
		return nil
	}
	var list []string
	for _, part := range []string{"-modules-core-", "-modules-", "-modules-internal-"} {
		list = append(list, folder+flavour+part+version)
	}
	return list
}

// rpmCompanions are those of them that are there.
func rpmCompanions(ctx context.Context, place, cache string) ([]packageFile, error) {
	siblings := rpmSiblings(place)
	var files []packageFile
	for _, s := range siblings {
		f, err := openPackageFile(ctx, s, cache)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if len(files) == 0 && len(siblings) > 0 {
		return nil, fmt.Errorf("its modules are in other packages, of which none is beside it (%s); name them after a comma: FILE,FILE", strings.Join(siblings, ", "))
	}
	return files, nil
}

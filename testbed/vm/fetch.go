package vm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

const (
	// headerLimit is how long a server may take to begin its answer.
	headerLimit = 30 * time.Second
	// stallLimit is how long it may be silent in the middle of it.
	stallLimit = 30 * time.Second
)

func isURL(place string) bool {
	return strings.HasPrefix(place, "https://") || strings.HasPrefix(place, "http://")
}

// fetch is the path in the cache of what a URL names. Beside it stands the SHA-256 that it
// had when it came: what has it no more is fetched again. A page that is not there is os.ErrNotExist.
func fetch(ctx context.Context, url, cache string) (string, error) {
	key := sha256.Sum256([]byte(url))
	file := filepath.Join(cache, "url-"+hex.EncodeToString(key[:])+path.Ext(url))
	if want, err := os.ReadFile(file + ".sha256"); err == nil {
		if sum, err := fileHash(file); err == nil && sum == strings.TrimSpace(string(want)) {
			return file, nil
		}
	}
	dir, err := temporary(cache, ".download-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	got := filepath.Join(dir, "package")
	if err := get(ctx, url, got, cache); err != nil {
		return "", fmt.Errorf("fetch %s: %w", url, err)
	}
	sum, err := fileHash(got)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "sum"), []byte(sum+"\n"), 0o644)
	}
	if err == nil {
		err = os.Rename(filepath.Join(dir, "sum"), file+".sha256")
	}
	if err == nil {
		err = os.Rename(got, file)
	}
	if err != nil {
		return "", fmt.Errorf("keep %s: %w", url, noSpace(err, cache, 0))
	}
	return file, nil
}

// get writes what a URL names into a file, whole: an answer shorter than it announced is an error.
func get(ctx context.Context, url, to, cache string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = headerLimit
	client := http.Client{Transport: transport}
	defer client.CloseIdleConnections()
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode == http.StatusNotFound:
		return fmt.Errorf("the server has no such file: %w", os.ErrNotExist)
	case answer.StatusCode != http.StatusOK:
		return fmt.Errorf("the server answers %s", answer.Status)
	}
	if err := hasSpace(cache, answer.ContentLength); err != nil {
		return err
	}
	f, err := os.Create(to)
	if err != nil {
		return noSpace(err, cache, answer.ContentLength)
	}
	n, err := copyFlowing(f, answer.Body, stallLimit, cancel)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return noSpace(fmt.Errorf("after %s: %w", megabytes(uint64(n)), err), cache, answer.ContentLength)
	}
	return nil
}

// copyFlowing copies to the end. When nothing came for the limit, it cancels what answers,
// with the reason, so that reading ends.
func copyFlowing(to io.Writer, from io.Reader, limit time.Duration, cancel context.CancelCauseFunc) (int64, error) {
	silent := time.AfterFunc(limit, func() {
		cancel(fmt.Errorf("the server sent nothing for %s in the middle of the file: try again, or fetch the file yourself and name its path", limit))
	})
	defer silent.Stop()
	return io.Copy(to, flowing{from, func() { silent.Reset(limit) }})
}

// flowing tells of each part that comes.
type flowing struct {
	from io.Reader
	came func()
}

func (f flowing) Read(b []byte) (int, error) {
	n, err := f.from.Read(b)
	if n > 0 {
		f.came()
	}
	return n, err
}

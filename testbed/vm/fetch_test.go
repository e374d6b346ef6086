package vm

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestServerThatStalls begins its answer and goes silent.
func TestServerThatStalls(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte("the beginning"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var got bytes.Buffer
	n, err := copyFlowing(&got, answer.Body, 100*time.Millisecond, cancel)
	if err == nil || n != int64(len("the beginning")) || got.String() != "the beginning" {
		t.Errorf("%d bytes %q, error %v", n, got.String(), err)
	}
	if cause := context.Cause(ctx); cause == nil || !strings.Contains(cause.Error(), "sent nothing for 100ms") {
		t.Errorf("cause %v", cause)
	}
}

package cli

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestReadRaw(t *testing.T) {
	got, err := readRaw(context.Background(), nil, strings.NewReader("\ufeffOne line.\r\n \nThe last, without an end"))
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"one", "line", "."}, nil, {"the", "last", ",", "without", "an", "end"}}
	if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Ctrl-C while standard input gives nothing.
func TestReadRawInterrupted(t *testing.T) {
	stdin, writer := io.Pipe()
	defer writer.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := readRaw(ctx, nil, stdin); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
}

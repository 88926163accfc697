// Package call is what all commands share: the world that they may touch, flags, arguments, help,
// and the study that an experiment file describes. It builds without libtorch: what needs tensors
// comes in through the Torch interface.
package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// Env is what a command may touch of the world.
type Env struct {
	Stdin  io.Reader
	Stdout *bufio.Writer // flushed at the end; its first error sticks
	Stderr io.Writer
	Torch  Torch // nil: built without tensors
	// Terminal is whether Stdout is one.
	Terminal bool
}

// writeJSON writes v as indented JSON, with < and > as they are.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}

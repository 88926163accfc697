package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The other side travels in the binary, so that it runs where the repository is not.
//
//go:embed plain/*.py
var plain embed.FS

// unpack writes the Python programs to a folder and returns the worker's path.
func unpack(dir string) (string, error) {
	files, err := fs.Glob(plain, "plain/*.py")
	if err != nil {
		return "", err
	}
	for _, name := range files {
		text, err := plain.ReadFile(name)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o644); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "worker.py"), nil
}

// equal has both sides of a case begin with the same weights, ours: from embeddings as nn.Embedding
// draws them, N(0, 1) times sqrt(d), attention saturates and gradients become denormal numbers, at
// which CPUs are slow.
func (b *bench) equal(ctx context.Context, c benchCase) (benchCase, error) {
	key := fmt.Sprintln(c.Model, c.Vocab, c.SMLM, c.DivLSTM, c.Classifier, c.Guide, c.LM)
	if b.weights[key] == nil {
		paths, err := b.drawn(ctx, c, len(b.weights))
		if err != nil {
			return c, err
		}
		if b.weights == nil {
			b.weights = map[string][]string{}
		}
		b.weights[key] = paths
	}
	c.Weights = b.weights[key]
	return c, nil
}

// drawn has our side draw a model's weights, or train those that are of no use as drawn. It returns
// the files with them, the nth of this run.
func (b *bench) drawn(ctx context.Context, c benchCase, nth int) ([]string, error) {
	w, err := b.start(ctx, ours("ours", c))
	if err != nil {
		return nil, err
	}
	defer w.Stop()
	c.Threads = b.threads
	if _, err := w.Ask(request{Do: "prepare", Case: &c}); err != nil {
		return nil, err
	}
	var paths []string
	for _, part := range []string{"model", "second"} {
		paths = append(paths, filepath.Join(b.dir, fmt.Sprintf("weights%d.%s.safetensors", nth, part)))
	}
	if c.Model != "smlm-ft" && c.Model != "guided" {
		paths = paths[:1]
	}
	_, err = w.Ask(request{Do: "save", Path: paths})
	return paths, err
}

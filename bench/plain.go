package main

import (
	"embed"
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

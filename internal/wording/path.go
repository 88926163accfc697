package wording

import (
	"os"
	"path/filepath"
)

// PathForOthers is a path for readers of a document, who have other folders: a whole one is written
// as from the working directory, or as its last name where it is not below. Others stay.
func PathForOthers(path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	here, err := os.Getwd()
	if err != nil {
		return filepath.Base(path)
	}
	if below, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(below) {
		return below
	}
	return filepath.Base(path)
}

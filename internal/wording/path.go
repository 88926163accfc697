package wording

import (
	"os"
	"path/filepath"
)

// PathForOthers rewrites an absolute path for readers with other folders: relative to the working
// directory, or as its last element if it is not below that. Relative paths stay.
func PathForOthers(path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	workingDir, err := os.Getwd()
	if err != nil {
		return filepath.Base(path)
	}
	if relative, err := filepath.Rel(workingDir, path); err == nil && filepath.IsLocal(relative) {
		return relative
	}
	return filepath.Base(path)
}

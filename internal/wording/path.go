package wording

import (
	"os"
	"path/filepath"
)

// PathForOthers rewrites an absolute path for readers whose machines have other folders. A path
// below the working directory becomes relative to this directory. Any other path is reduced to its
// last element. Relative paths stay.
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

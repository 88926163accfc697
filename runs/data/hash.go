package data

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/smlm-exp/smlm-exp/internal/files"
)

// hashFile returns the sha256 of a file's content in hex.
func hashFile(path string) (string, error) {
	sum, err := files.SHA256(path)
	if err != nil {
		return "", fmt.Errorf("hashing: %w", err)
	}
	return sum, nil
}

// wholeFile is the largest size of a file that hashLarge reads completely.
const wholeFile = 64 << 20

// hashLarge is like hashFile. If a file is larger than wholeFile, hashLarge hashes only the size
// and the first and last 4 MiB of the file, so that planning stays fast.
func hashLarge(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("hashing: %w", err)
	}
	if info.Size() <= wholeFile {
		return hashFile(path)
	}
	f, err := files.Open(path)
	if err != nil {
		return "", fmt.Errorf("hashing: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	fmt.Fprintln(h, info.Size())
	const part = 4 << 20
	for _, at := range []int64{0, info.Size() - part} {
		if _, err := io.Copy(h, io.NewSectionReader(f, at, part)); err != nil {
			return "", fmt.Errorf("hashing %q: %w", path, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

package data

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/smlm-exp/smlm-exp/internal/files"
)

// wholeFile is the largest size of a file that hashLarge reads completely.
const wholeFile = 64 << 20

// hashLarge is like files.SHA256. If a file is larger than wholeFile, hashLarge hashes only the
// size and the first and last 4 MiB of the file, so that planning stays fast.
func hashLarge(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("hashing: %w", err)
	}
	if info.Size() <= wholeFile {
		return files.SHA256(path)
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

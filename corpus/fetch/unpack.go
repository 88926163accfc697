package fetch

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// maxMembers limits the number of files in an archive, because each costs memory.
const maxMembers = 10_000

// Unpack extracts the files in the archive's folder f.Unpack to dir, and returns their paths in
// dir. The archive is the file f.Path in dir. If a file with other content exists, Unpack returns
// an error and does not overwrite it.
func Unpack(dir string, f File) (paths []string, err error) {
	path := filepath.Join(dir, filepath.FromSlash(f.Path))
	cannotUnpack := func(format string, args ...any) error {
		return userr.New(userr.BadInput, "%q cannot be unpacked: "+format, append([]any{path}, args...)...)
	}
	archive, err := files.Open(path)
	if err != nil {
		return nil, cannotUnpack("%w", files.Cause(err))
	}
	defer func() { _ = archive.Close() }() // the archive was only read, so the error does not matter
	info, err := archive.Stat()
	if err != nil {
		return nil, cannotUnpack("%w", files.Cause(err))
	}
	z, err := zip.NewReader(archive, info.Size())
	if err != nil {
		return nil, cannotUnpack("it is not a zip archive: remove the key unpack from the manifest")
	}
	if len(z.File) > maxMembers {
		return nil, cannotUnpack("it has %d files, but at most %d are unpacked", len(z.File), maxMembers)
	}
	bytesLeft := uint64(maxBytes)
	for _, m := range z.File {
		name, inside := m.Name, true
		if f.Unpack != "." {
			name, inside = strings.CutPrefix(name, f.Unpack+"/")
		}
		switch {
		case !inside || name == "" || strings.HasSuffix(name, "/"):
			continue
		case pathProblem(name) != "" || !m.Mode().IsRegular():
			return nil, cannotUnpack("its file %.200q cannot stand in the folder: use another archive", wording.VisibleLine(m.Name))
		case m.UncompressedSize64 > bytesLeft:
			return nil, cannotUnpack("its files have more than %s", wording.Bytes(maxBytes))
		}
		bytesLeft -= m.UncompressedSize64
		if err := unpackOne(m, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			var known *userr.Error
			if errors.As(err, &known) {
				return nil, err
			}
			return nil, cannotUnpack("%.200q: %w", name, files.Cause(err))
		}
		paths = append(paths, name)
	}
	if len(paths) == 0 {
		return nil, cannotUnpack("it has no files in the folder %q: `unzip -l` lists its files", f.Unpack)
	}
	return paths, nil
}

// unpackOne writes a file of an archive to the path "to". If a file with the same content exists
// there, it does nothing. If a file with other content exists there, it returns an error.
func unpackOne(m *zip.File, to string) error {
	switch existing, err := files.SHA256(to); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return userr.New(userr.BadInput, "reading %q: %w", to, files.Cause(err))
	default:
		sum := sha256.New()
		if err := copyTo(sum, m); err != nil {
			return err
		}
		if existing != hex.EncodeToString(sum.Sum(nil)) {
			return userr.New(userr.BadInput, "%q exists and is not the file of the archive: move it away", to)
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return files.Write(to, func(w io.Writer) error { return copyTo(w, m) })
}

// copyTo writes the content of a file of an archive to w. The content must match the checksum in
// the archive.
func copyTo(w io.Writer, m *zip.File) error {
	r, err := m.Open()
	if err != nil {
		return fmt.Errorf("it is damaged: %w", err)
	}
	defer func() { _ = r.Close() }() // io.Copy has verified the checksum
	_, err = io.Copy(w, r)
	return err
}

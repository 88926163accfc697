// Package fetch downloads the files that a manifest lists and checks their checksums. It resumes
// interrupted downloads. It is a separate package because nothing else in
// corpus uses a network.
package fetch

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Manifest lists the files of a data set, its licence and its source.
type Manifest struct {
	Name    string `toml:"name"`
	Licence string `toml:"licence"` // shown before anything is fetched
	Source  string `toml:"source"`  // whom to cite
	Files   []File `toml:"file"`
}

// File is one file of a data set. It has either SHA256 or GitBlob.
type File struct {
	Path    string `toml:"path"` // path inside the folder, with slashes
	URL     string `toml:"url"`
	Size    int64  `toml:"size"`     // in bytes; 0 if unknown
	SHA256  string `toml:"sha256"`   // hash of the content, 64 hex digits
	GitBlob string `toml:"git_blob"` // hash by which Git names the content, 40 hex digits
}

var (
	sha256Digits  = regexp.MustCompile(`^[0-9a-f]{64}$`)
	gitBlobDigits = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// LoadManifest reads a manifest. The error has a line per fault.
func LoadManifest(name string) (*Manifest, error) {
	raw, err := files.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, userr.New(userr.BadInput, "there is no manifest %q: correct the path", name)
	} else if err != nil {
		return nil, userr.New(userr.BadInput, "reading %q: %w", name, files.Cause(err))
	}
	var m Manifest
	meta, err := toml.Decode(string(raw), &m)
	if err != nil {
		return nil, userr.New(userr.BadInput, "%s: %w", name, err)
	}
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, userr.New(userr.BadInput, "%s: "+format, append([]any{name}, args...)...))
	}
	for _, key := range meta.Undecoded() {
		fault("unknown key %q: a manifest has name, licence, source and [[file]] with path, url, size, and sha256 or "+
			"git_blob", key)
	}
	if m.Licence == "" {
		fault("licence is missing: say in words what users may do with the data")
	}
	if len(m.Files) == 0 {
		fault("there is no [[file]]: name the files to download")
	}
	seen := map[string]bool{}
	for i, f := range m.Files {
		if problem := pathProblem(f.Path); problem != "" {
			fault("path %q of file %d %s", f.Path, i+1, problem)
		}
		if seen[f.Path] {
			fault("path %q is there twice: give each file its own", f.Path)
		}
		seen[f.Path] = true
		if u, err := url.Parse(f.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			fault("url %q of %q is not an http or https address: correct it", displayed(f.URL), f.Path)
		}
		if f.Size < 0 {
			fault("size of %q is %d: give the number of bytes, or remove the key", f.Path, f.Size)
		}
		if problem := sumProblem(f); problem != "" {
			fault("%s", problem)
		}
	}
	return &m, errors.Join(faults...)
}

// sumProblem says what is wrong with a file's checksum in the manifest, or returns "".
func sumProblem(f File) string {
	switch {
	case f.SHA256 == "" && f.GitBlob == "":
		return fmt.Sprintf("%q has no sum: give its sha256 or git_blob", f.Path)
	case f.SHA256 != "" && f.GitBlob != "":
		return fmt.Sprintf("%q has sha256 and git_blob: remove one", f.Path)
	case f.SHA256 != "" && !sha256Digits.MatchString(f.SHA256):
		return fmt.Sprintf("sha256 of %q is %q: give the 64 digits (0-9, a-f) that sha256sum prints", f.Path, f.SHA256)
	case f.GitBlob != "" && !gitBlobDigits.MatchString(f.GitBlob):
		return fmt.Sprintf("git_blob of %q is %q: give the 40 digits (0-9, a-f) that `git hash-object` prints", f.Path,
			f.GitBlob)
	}
	return ""
}

// difference says how the file at path differs from its entry in the manifest, or returns "".
func (f File) difference(path string) (string, error) {
	if info, err := os.Stat(path); err == nil && f.Size > 0 && info.Size() != f.Size {
		return fmt.Sprintf("%d bytes, not %d", info.Size(), f.Size), nil
	}
	key, want, hash := "sha256", f.SHA256, files.SHA256
	if f.GitBlob != "" {
		key, want, hash = "git_blob", f.GitBlob, gitBlob
	}
	got, err := hash(path)
	if err != nil || got == want {
		return "", err
	}
	return fmt.Sprintf("the %s %s, not %s", key, got, want), nil
}

// gitBlob returns the hash that `git hash-object` prints for a file.
func gitBlob(path string) (string, error) {
	in, err := files.Open(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return "", err
	}
	hash := sha1.New()
	fmt.Fprintf(hash, "blob %d\x00", info.Size())
	if _, err := io.Copy(hash, in); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// pathProblem says why a file of the manifest cannot have this path, or returns "".
func pathProblem(name string) string {
	switch {
	case wording.Control(name) >= 0:
		return "contains a control character: remove it"
	case !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\:"):
		return "leads out of the folder: give a path inside it"
	case name == "." || path.Clean(name) != name:
		return `is not a file path: give one like "train/a.txt"`
	case strings.HasSuffix(name, ".part"):
		return "is a name that unfinished downloads use: give another one"
	}
	return ""
}

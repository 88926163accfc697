// Package fetch downloads the files that a manifest lists and checks the sha256 of each. It resumes
// interrupted downloads and unpacks zip archives. It is a separate package because nothing else in
// corpus uses a network.
package fetch

import (
	"errors"
	"io/fs"
	"net/url"
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
	Licence string `toml:"licence"` // text that is shown before anything is fetched
	Source  string `toml:"source"`  // whom to cite
	Files   []File `toml:"file"`
}

// File is one file of a data set.
type File struct {
	Path   string `toml:"path"` // path inside the folder, with slashes
	URL    string `toml:"url"`
	SHA256 string `toml:"sha256"` // hash of the content, 64 hex digits
	// If the file is a zip archive, such as a pip wheel, Unpack names the folder of the archive to
	// unpack. "." unpacks the whole archive, "" nothing.
	Unpack string `toml:"unpack"`
}

var sum = regexp.MustCompile(`^[0-9a-f]{64}$`)

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
		fault("unknown key %q: a manifest has name, licence, source and [[file]] with path, url, sha256 and unpack", key)
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
		if problem := pathProblem(f.Unpack); f.Unpack != "" && f.Unpack != "." && problem != "" {
			fault("unpack %q of %q %s, or \".\" for the whole archive", f.Unpack, f.Path, problem)
		}
		if seen[f.Path] {
			fault("path %q is there twice: give each file its own", f.Path)
		}
		seen[f.Path] = true
		if u, err := url.Parse(f.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			fault("url %q of %q is not an http or https address: correct it", displayed(f.URL), f.Path)
		}
		if !sum.MatchString(f.SHA256) {
			fault("sha256 of %q is %q: give the 64 digits (0-9, a-f) that sha256sum prints", f.Path, f.SHA256)
		}
	}
	return &m, errors.Join(faults...)
}

// pathProblem says why a file in the folder cannot have this path, or returns "".
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

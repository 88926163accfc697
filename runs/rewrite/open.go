package rewrite

import (
	"archive/zip"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// mostManifest is the most bytes of manifest.json.
const mostManifest = 4 << 20

// Pack is a packed model that is open.
type Pack struct {
	Manifest Manifest
	name     string // for messages
	file     io.Closer
	members  map[string]*zip.File // all but the manifest
	text     []byte               // of the manifest
}

// Is tells whether a file begins as a packed model does, which no experiment file can.
func Is(name string) bool {
	f, err := files.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, len(zipStart))
	_, err = io.ReadFull(f, start)
	return err == nil && string(start) == zipStart
}

// zipStart is what an archive with files begins with.
const zipStart = "PK\x03\x04"

// Open opens a packed model and looks at what it says of itself; the files are verified as they are
// read. What is wrong is said in one sentence, a userr.BadInput.
func Open(name string) (*Pack, error) {
	f, err := files.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, userr.New(userr.BadInput, "there is no packed model %q: give the file that `smlm-exp pack` wrote", name)
	} else if err != nil {
		return nil, userr.New(userr.BadInput, "the packed model %q cannot be read: %w", name, files.Cause(err))
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	p, err := read(name, f, info.Size())
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	p.file = f
	return p, nil
}

// read is Open of what lies in memory or elsewhere.
func read(name string, r io.ReaderAt, size int64) (*Pack, error) {
	p := &Pack{name: name, members: map[string]*zip.File{}}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, p.bad("it is no packed model, or not all of one")
	}
	var manifest *zip.File
	for _, m := range z.File {
		switch {
		case p.members[m.Name] != nil || m.Name == manifestName && manifest != nil:
			return nil, p.bad("it has %.200q twice", m.Name)
		case m.Method != zip.Store || m.CompressedSize64 != m.UncompressedSize64:
			return nil, p.bad("its file %.200q is compressed, which no smlm-exp does", m.Name)
		case m.Name == manifestName:
			manifest = m
		default:
			p.members[m.Name] = m
		}
	}
	if manifest == nil || manifest.UncompressedSize64 > mostManifest {
		return nil, p.bad("it is no packed model")
	}
	text, err := contentOf(manifest)
	if err != nil {
		return nil, p.bad("its manifest is not as it was written")
	}
	p.text = text
	if err := json.Unmarshal(text, &p.Manifest); err != nil {
		return nil, p.bad("its manifest is not as this program writes it; use the smlm-exp that packed it")
	}
	if wrong := p.Manifest.wrong(); wrong != "" {
		return nil, p.bad("%s", wrong)
	}
	for name, f := range p.Manifest.Files {
		m := p.members[name]
		if m == nil {
			return nil, p.bad("it lacks the file %.200q", name)
		}
		if m.UncompressedSize64 != uint64(f.Size) {
			return nil, p.bad("its file %.200q has %d bytes and was written with %d", name, m.UncompressedSize64, f.Size)
		}
	}
	for name := range p.members {
		if _, known := p.Manifest.Files[name]; !known {
			return nil, p.bad("its manifest does not know its file %.200q", name)
		}
	}
	return p, nil
}

func contentOf(m *zip.File) ([]byte, error) {
	r, err := m.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, int64(m.UncompressedSize64)+1))
}

func (p *Pack) bad(what string, args ...any) error {
	return userr.New(userr.BadInput, "the packed model %q cannot be used: %s", p.name, fmt.Sprintf(what, args...))
}

// Close closes the file.
func (p *Pack) Close() error { return p.file.Close() }

// Extract writes every file below dir, which must be an empty folder, and refuses one that is not
// as it was packed, and what no smlm-exp packs. Then dir is empty as before: files come out below a
// folder of their own in it, which is on the same disk and needs no leave to write beside dir.
func (p *Pack) Extract(dir string) (err error) {
	apart, err := os.MkdirTemp(dir, ".unpacked-")
	if err != nil {
		return userr.New(userr.BadInput, "unpacking %q: %w", p.name, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(apart)) }()
	if err := p.extract(apart, func(string) bool { return true }); err != nil {
		return err
	}
	err = os.WriteFile(filepath.Join(apart, manifestName), p.text, 0o644)
	names, read := os.ReadDir(apart)
	err = cmp.Or(err, read)
	for _, name := range names {
		err = cmp.Or(err, os.Rename(filepath.Join(apart, name.Name()), filepath.Join(dir, name.Name())))
	}
	if err != nil {
		return userr.New(userr.BadInput, "unpacking %q: %w", p.name, err)
	}
	return nil
}

// extract is Extract of some files, by the last parts of their paths, without the manifest.
func (p *Pack) extract(dir string, wanted func(base string) bool) error {
	for name, want := range p.Manifest.Files {
		if !wanted(path.Base(name)) {
			continue
		}
		to := filepath.Join(dir, filepath.FromSlash(name)) // checked: it leads nowhere else
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		sum, err := copyOut(p.members[name], to)
		var path *fs.PathError
		if errors.As(err, &path) {
			return userr.New(userr.BadInput, "unpacking %q: %w", p.name, err)
		}
		if err != nil || sum != want.SHA256 {
			return p.bad("its file %.200q is not as it was packed; get it anew", name)
		}
	}
	return p.check(dir)
}

// copyOut writes a member as a file and returns its hash.
func copyOut(m *zip.File, to string) (sum string, err error) {
	r, err := m.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, h), r)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return hex.EncodeToString(h.Sum(nil)), err
}

// Request is that of the models as Extract wrote them below dir, but styles, threads and devices.
func (p *Pack) Request(dir string) stages.TransferRequest {
	m := &p.Manifest
	r := stages.TransferRequest{
		Inputs: map[string]string{}, Attribution: m.Attribution, Mask: m.Mask, Settings: m.Settings, Draw: m.Draw,
	}
	for name, s := range m.Stages {
		r.Inputs[name] = filepath.Join(dir, filepath.FromSlash(s.dir()))
	}
	if _, ok := m.Files[sharesName]; ok {
		r.Inputs[stages.SharesInput] = filepath.Join(dir, path.Dir(sharesName))
	}
	return r
}

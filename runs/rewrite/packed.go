package rewrite

import (
	"archive/zip"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Pack is an open packed model.
type Pack struct {
	Manifest Manifest
	name     string // for messages
	file     io.Closer
	zip      *zip.Reader
}

// Is reports whether a file begins like a packed model. An experiment file never does.
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

// zipStart is the text with which every ZIP archive that has files begins.
const zipStart = "PK\x03\x04"

// Open opens a packed model and reads its manifest. The other files are verified when they are
// read.
func Open(name string) (*Pack, error) {
	f, err := files.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, userr.New(userr.BadInput, "there is no packed model %q: name a file that `smlm-exp pack` "+
			"wrote", name)
	} else if err != nil {
		return nil, userr.New(userr.BadInput, "the packed model %q cannot be read: %w", name, files.Cause(err))
	}
	p := &Pack{name: name, file: f}
	if err := p.read(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return p, nil
}

func (p *Pack) read(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if p.zip, err = zip.NewReader(f, info.Size()); err != nil {
		return p.bad("it is not a packed model, or is incomplete")
	}
	text, err := fs.ReadFile(p.zip, manifestName)
	m := &p.Manifest
	if err != nil || json.Unmarshal(text, m) != nil || m.Format != formatName {
		return p.bad("it is not a packed model")
	}
	if m.Version != formatVersion {
		return p.otherVersion("format", m.Version, formatVersion)
	}
	if err := files.DecodeJSON(text, m); err != nil { // without an unknown setting, outputs might be others
		return p.bad("%s: %v", manifestName, err)
	}
	for _, f := range p.zip.File { // pack compresses nothing
		if f.Method != zip.Store || f.UncompressedSize64 > uint64(info.Size()) {
			return p.bad("its file %.200q is compressed or incomplete", f.Name)
		}
	}
	for name := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return p.bad("its file %.200q is in a place where packed models have none", name)
		}
	}
	needed := []string{"vocab", "divlstm", "model"}
	if m.Settings.Decoding == recipe.GuidedDecoding {
		needed = append(needed, "guide", "fluency", "phrases")
	}
	for _, name := range needed {
		if m.Stages[name].ID == "" {
			return p.bad("it lacks the stage %s", name)
		}
	}
	if err := m.check(); err != nil {
		return p.bad("%v", err)
	}
	return nil
}

// check refuses labels and settings that an experiment file cannot have.
func (m *Manifest) check() (err error) {
	if m.Labels, err = corpus.CheckLabels(m.Name, m.Labels); err != nil {
		return err
	}
	if of := m.Attribution.Method; of != of.Scored() {
		return userr.New(userr.BadInput, "the method %q scores no words", of)
	}
	s := experiment.DefaultSettings()
	s.Masking.Methods = []policy.Method{m.Attribution.Method}
	s.Masking.TrainOn = s.Masking.Methods
	if m.Mask.Name != policy.None {
		unused := s.Masking.TopShare
		if s.Masking.Policy = m.Mask.Policy; m.Mask.Name != policy.TopShare {
			s.Masking.TopShare = unused
		}
	}
	s.SMLM.Models = []string{string(m.Stages["model"].Name)}
	s.SMLM.Decoding = []recipe.Decoding{m.Settings.Decoding}
	s.Guided.Guided = m.Settings.Guided
	if s.Masking.LambdaEps == recipe.Chosen || s.Guided.HasAuto() {
		return userr.New(userr.BadInput, "a setting of it is %q, but must be a number", recipe.AutoText)
	}
	return s.Check()
}

func (p *Pack) bad(what string, args ...any) error {
	return userr.New(userr.BadInput, "the packed model %q cannot be used: %s; get it again, or name another file that "+
		"`smlm-exp pack` wrote", p.name, fmt.Sprintf(what, args...))
}

// otherVersion returns the error for a part of the pack that another version of the program wrote.
func (p *Pack) otherVersion(part string, has, known int) error {
	return userr.New(userr.BadInput, "the packed model %q cannot be used: its %s has version %d, but this program has "+
		"version %d; use the smlm-exp that packed it, %s", p.name, part, has, known, p.Manifest.Program)
}

// Close closes the file.
func (p *Pack) Close() error { return p.file.Close() }

// done closes the pack if it is not nil. An error does not matter, because the file was only read.
func (p *Pack) done() {
	if p != nil {
		_ = p.Close()
	}
}

// unusedFiles are files of a stage that its model does not need, because they only describe the
// training.
var unusedFiles = []string{"history.json", "result.json", "log.txt"}

// Temporary extracts the files of the models into a temporary folder, calls the function use with
// this folder, and then removes the folder. The function must load what it needs into memory before
// it returns.
func (p *Pack) Temporary(use func(dir string) error) (err error) {
	dir, err := os.MkdirTemp("", "smlm-exp-model-")
	if err != nil {
		return userr.New(userr.BadInput, "%q cannot be unpacked for use in the folder %q (%w): set TMPDIR to "+
			"an existing folder with enough space", p.name, os.TempDir(), files.Cause(err))
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for name, want := range p.Manifest.Files {
		if slices.Contains(unusedFiles, path.Base(name)) {
			continue
		}
		if err := p.extract(name, filepath.Join(dir, filepath.FromSlash(name)), want.SHA256); err != nil {
			return err
		}
	}
	if err := p.checkStages(dir); err != nil {
		return err
	}
	if err = use(dir); err != nil && strings.Contains(err.Error(), dir) { // name the pack, not the removed folder
		return p.bad("%s", strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	}
	return err
}

// extract unpacks one file of the archive. The SHA-256 of this file must be equal to sum.
func (p *Pack) extract(name, to, sum string) error {
	text, err := fs.ReadFile(p.zip, name)
	if err != nil || files.Sum(text) != sum {
		return p.bad("its file %.200q has changed since it was packed", name)
	}
	if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
		err = os.WriteFile(to, text, 0o600)
	}
	if err != nil {
		return userr.New(userr.BadInput, "unpacking %q: %w", p.name, err)
	}
	return nil
}

// checkStages returns an error if the version of a packed stage differs from the version of that
// stage in this program, or if the Diversity-LSTM knows other styles than the labels say.
func (p *Pack) checkStages(dir string) error {
	for name, s := range p.Manifest.Stages {
		r, err := stage.ReadRecord(filepath.Join(dir, filepath.FromSlash(s.dir()), stage.RecordFile))
		if err != nil {
			return p.bad("the record of its stage %s cannot be read", name)
		}
		if r.Version != stages.Version(s.Name) {
			return p.otherVersion("stage "+name, r.Version, stages.Version(s.Name))
		}
	}
	var model struct {
		Styles int `json:"styles"` // 0 means 2
	}
	_ = files.ReadJSON(filepath.Join(p.Request(dir).Inputs["divlstm"], "model.json"), &model) // loading reports errors
	if n := cmp.Or(model.Styles, 2); n != len(p.Manifest.Labels) {
		return p.bad("it has %d labels, but its Diversity-LSTM knows %d styles", len(p.Manifest.Labels), n)
	}
	return nil
}

// Request returns a request for the packed models, which were extracted to dir. The direction,
// threads and devices are not set.
func (p *Pack) Request(dir string) stages.TransferRequest {
	m := &p.Manifest
	r := stages.TransferRequest{
		Inputs: map[string]string{}, Attribution: m.Attribution, Mask: m.Mask, Settings: m.Settings,
	}
	for name, s := range m.Stages {
		r.Inputs[name] = filepath.Join(dir, filepath.FromSlash(s.dir()))
	}
	return r
}

// Rewriting returns the packed models, prepared to rewrite in the given direction.
func (p *Pack) Rewriting(asked corpus.Direction) *Rewriting {
	m := &Rewriting{Request: p.Request(""), Labels: p.Manifest.Labels, pack: p}
	m.Request.Direction = asked
	return m
}

// Explaining returns the packed Diversity-LSTM and its mask policy.
func (p *Pack) Explaining() *Explaining {
	x := &Explaining{Labels: p.Manifest.Labels, pack: p}
	x.Request.Methods = []stages.ExplainMethod{{Attribution: p.Manifest.Attribution}}
	x.Policies = append(x.Policies, p.Manifest.Mask)
	return x
}

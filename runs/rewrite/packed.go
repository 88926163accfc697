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
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// mostShown is how many characters of a name are shown.
const mostShown = 400

// mostManifest is the most bytes of manifest.json.
const mostManifest = 4 << 20

// Pack is a packed model that is open.
type Pack struct {
	Manifest Manifest
	name     string // for messages
	file     io.Closer
	members  map[string]*zip.File // all but the manifest
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
		return nil, userr.New(userr.BadInput, "there is no packed model %q: name a file that `smlm-exp pack` "+
			"wrote", name)
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
		return nil, p.bad("it is not a packed model, or is incomplete")
	}
	if what := overlapping(z.File, size); what != "" {
		return nil, p.bad("%s", what)
	}
	var manifest *zip.File
	for _, m := range z.File {
		switch {
		case p.members[m.Name] != nil || m.Name == manifestName && manifest != nil:
			return nil, p.bad("it contains %.200q twice", m.Name)
		case m.Method != zip.Store || m.CompressedSize64 != m.UncompressedSize64:
			return nil, p.bad("its file %.200q is compressed, which smlm-exp never does", m.Name)
		case m.Name == manifestName:
			manifest = m
		default:
			p.members[m.Name] = m
		}
	}
	if manifest == nil || manifest.UncompressedSize64 > mostManifest {
		return nil, p.bad("it is not a packed model")
	}
	text, err := contentOf(manifest)
	if err != nil {
		return nil, p.bad("its manifest has been changed")
	}
	if err := json.Unmarshal(text, &p.Manifest); err != nil {
		return nil, p.bad("its manifest is not in the form that this program writes; use the smlm-exp that " +
			"packed it")
	}
	if wrong := p.Manifest.wrong(); wrong != "" {
		return nil, p.bad("%s", wrong)
	}
	for _, shown := range []*string{&p.Manifest.Name, &p.Manifest.Program, &p.Manifest.Commit} {
		*shown = wording.Clip(wording.VisibleLine(*shown), mostShown)
	}
	for name, f := range p.Manifest.Files {
		m := p.members[name]
		if m == nil {
			return nil, p.bad("it lacks the file %.200q", name)
		}
		if m.UncompressedSize64 != uint64(f.Size) {
			return nil, p.bad("its file %.200q has %d bytes, but was written with %d", name, m.UncompressedSize64, f.Size)
		}
	}
	for name := range p.members {
		if _, known := p.Manifest.Files[name]; !known {
			return nil, p.bad("its manifest does not list its file %.200q", name)
		}
	}
	return p, nil
}

// mostMembers is how many files an archive may have: each costs memory.
const mostMembers = 1000

// overlapping says which files of an archive of some bytes share a part of it, or lie beyond its
// end, "" where each has its own: small archives could come to any size otherwise.
func overlapping(all []*zip.File, size int64) string {
	if len(all) > mostMembers {
		return fmt.Sprintf("it contains %d files, but a packed model has only a few", len(all))
	}
	type part struct {
		name       string
		begin, end int64
	}
	parts := make([]part, len(all))
	for i, m := range all {
		begin, err := m.DataOffset()
		if err != nil || m.CompressedSize64 > uint64(size) || begin+int64(m.CompressedSize64) > size {
			return fmt.Sprintf("its file %.200q lies beyond its end", m.Name)
		}
		parts[i] = part{m.Name, begin, begin + int64(m.CompressedSize64)}
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	for i := 1; i < len(parts); i++ {
		if parts[i].begin < parts[i-1].end {
			return fmt.Sprintf("its files %.200q and %.200q overlap", parts[i-1].name, parts[i].name)
		}
	}
	return ""
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

// done is Close of a file that was only read, and of none.
func (p *Pack) done() {
	if p != nil {
		_ = p.Close()
	}
}

// changed is the error of a file whose bytes are not those that were packed.
func (p *Pack) changed(name string) error {
	return p.bad("its file %.200q has changed since it was packed; get the model again", name)
}

// extract writes the files that models are made of below dir. It refuses a file that is not as it was
// packed, and stages that this program does not pack.
func (p *Pack) extract(dir string) error {
	for name, want := range p.Manifest.Files {
		if slices.Contains(unusedFiles, path.Base(name)) {
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
			return p.changed(name)
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

// Request is that of the models as Temporary wrote them below dir, but styles, threads and devices.
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

// most bounds numbers of settings and shapes, so that no file makes a program ask for all memory.
const most = 1 << 20

// misused says which of the settings no smlm-exp writes, "" where all are well.
func (m *Manifest) misused() string {
	s, g := &m.Settings, &m.Settings.Guided
	for name, n := range map[string]int{
		"beam": s.Beam, "max_extra": s.MaxExtra, "candidates": g.Candidates, "more_masks": g.MoreMasks,
	} {
		if n < 0 || n > most/1024 {
			return fmt.Sprintf("its setting %s is %d", name, n)
		}
	}
	if n := m.Attribution.IGSteps; n < 0 || n > 10_000 { // as [masking] has them
		return fmt.Sprintf("its setting ig_steps is %d", n)
	}
	_, shares := m.Files[sharesName]
	switch {
	case !m.Mask.Name.Known():
		return fmt.Sprintf("its masking policy %.40q is unknown", m.Mask.Name)
	case !slices.Contains(Explained(), string(m.Attribution.Method)):
		return fmt.Sprintf("its masking method %.40q is unknown", m.Attribution.Method)
	case !slices.Contains(s.Decoding.Choices(), string(s.Decoding)):
		return fmt.Sprintf("its decoding %.40q is unknown", s.Decoding)
	case (s.Decoding == recipe.GuidedDecoding) != (*g != recipe.Guided{}):
		return fmt.Sprintf("its decoding %q does not fit its settings of guided refilling", s.Decoding)
	case g.AsksGuide() && m.Stages["guide"].ID == "", g.AsksNGrams() && m.Stages["fluency"].ID == "",
		g.Rated && m.Stages["rater"].ID == "", g.Price > 0 && !shares:
		return "it lacks what its settings need"
	case g.Ranked != (s.Ranker != nil) || g.Ranked && !s.Ranker.Sound():
		return "its ranker has no weights"
	case m.Labels.N() < 2 || m.Labels.N() > corpus.MostStyles:
		return fmt.Sprintf("it has %d styles", m.Labels.N())
	case slices.ContainsFunc(s.Lengths, func(l stages.LengthOf) bool {
		return !slices.Contains(m.Labels.DirectionsWith(true), l.Direction)
	}):
		return "it has the length of a direction that its styles do not have"
	}
	for k, label := range m.Labels {
		if label == "" || slices.Contains(m.Labels[:k], label) {
			return "its styles have no names"
		}
		if wording.Control(label) >= 0 || wording.Visible(label) != label {
			return fmt.Sprintf("the name of its style %.100q contains a control character", label)
		}
	}
	return ""
}

// check looks at the stages below dir: that each is what the manifest says, of this program's
// version, and of a shape that fits its weights.
func (p *Pack) check(dir string) error {
	for _, name := range slices.Sorted(maps.Keys(p.Manifest.Stages)) {
		s := p.Manifest.Stages[name]
		at := filepath.Join(dir, filepath.FromSlash(s.dir()))
		r, err := stage.ReadRecord(filepath.Join(at, "stage.json"))
		switch {
		case err != nil || r.State != workspace.StateDone || r.ID != s.ID || r.Name != s.Name || !p.holds(s, r.Files):
			return p.bad("the record of its stage %s has been changed", name)
		case r.Version != stages.Version(s.Name):
			return p.bad("its stage %s has version %d, but this program has version %d; use the smlm-exp that "+
				"packed it, %s",
				name, r.Version, stages.Version(s.Name), p.Manifest.Program)
		}
		if word := unseenWord(filepath.Join(at, "vocab.txt")); word != "" {
			return p.bad("the word %.100q in its vocabulary contains a control character", word)
		}
		if what := misshaped(at); what != "" {
			return p.bad("the shape of its stage %s, %s, does not fit its weights", name, what)
		}
	}
	return nil
}

// unseenWord returns the first word of a vocabulary that a terminal might obey where models write
// it, "" where there is none, or no vocabulary.
func unseenWord(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for word := range strings.Lines(string(text)) {
		if word = strings.TrimSuffix(word, "\n"); wording.VisibleLine(word) != word {
			return word
		}
	}
	return ""
}

// holds tells whether the manifest has a stage's files as its record has them, and the record.
func (p *Pack) holds(s Stage, files map[string]stage.File) bool {
	n := 0
	for name := range p.Manifest.Files {
		if strings.HasPrefix(name, s.dir()+"/") {
			n++
		}
	}
	for name, f := range files {
		if p.Manifest.Files[path.Join(s.dir(), name)] != f {
			return false
		}
	}
	return n == len(files)+1
}

// atLeastOne are the numbers of a shape that are not 0.
var atLeastOne = []string{"vocab", "dim", "heads", "layers", "ff", "embedding", "hidden", "attention", "filters"}

// misshaped says which number of a model.json asks for more than the weights beside it can be.
func misshaped(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "model.json"))
	if err != nil {
		return "" // of a stage without one
	}
	var shape map[string]any
	weights, err := os.Stat(filepath.Join(dir, "model.safetensors"))
	if err != nil || json.Unmarshal(text, &shape) != nil {
		return "model.json"
	}
	for name, v := range shape {
		n, ok := v.(float64)
		if !ok {
			continue
		}
		// Of a table of words each has a number at least, and of a layer's matrices the smallest as
		// many as it is wide.
		if n < 0 || n == 0 && slices.Contains(atLeastOne, name) || n > most || 4*n > float64(weights.Size()) {
			return fmt.Sprintf("%s %v", wording.VisibleLine(wording.Clip(name, 40)), n)
		}
	}
	dim, _ := shape["dim"].(float64)
	if heads, ok := shape["heads"].(float64); ok && math.Mod(dim, heads) != 0 {
		return fmt.Sprintf("heads %v of dim %v", heads, dim)
	}
	vocab, _ := shape["vocab"].(float64)
	for _, width := range []string{"dim", "embedding"} {
		if n, _ := shape[width].(float64); 4*n*vocab > float64(weights.Size()) || 4*n*n > 64*float64(weights.Size()) {
			return fmt.Sprintf("%s %v", width, n)
		}
	}
	for _, width := range []string{"ff", "hidden", "attention", "filters", "latent"} {
		if n, _ := shape[width].(float64); 4*n*n > 1024*float64(weights.Size()) {
			return fmt.Sprintf("%s %v", width, n)
		}
	}
	if n, _ := shape["layers"].(float64); 4*n*n > float64(weights.Size()) {
		return fmt.Sprintf("layers %v", n)
	}
	return ""
}

// unusedFiles are those of a stage that no model is made of: they tell how it came about.
var unusedFiles = []string{"history.json", "result.json", "log.txt"}

// Temporary extracts the files that models are made of into a folder of its own, calls use with
// it, and removes them: what use has opened must be in memory by then.
func (p *Pack) Temporary(use func(dir string) error) (err error) {
	dir, err := os.MkdirTemp("", "smlm-exp-model-")
	if err != nil {
		return userr.New(userr.BadInput, "%q cannot be unpacked for use in the folder %q (%w): set TMPDIR to "+
			"an existing folder with enough space", p.name, os.TempDir(), files.Cause(err))
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := p.extract(dir); err != nil {
		return err
	}
	return use(dir)
}

// Rewriting is the packed models, asked to write in a direction.
func (p *Pack) Rewriting(asked corpus.Direction) *Rewriting {
	m := &Rewriting{Request: p.Request(""), Labels: p.Manifest.Labels, pack: p}
	m.Request.Direction = asked
	return m
}

// Explaining is the packed Diversity-LSTM and the policy of its masks.
func (p *Pack) Explaining() *Explaining {
	x := &Explaining{Labels: p.Manifest.Labels, pack: p}
	x.Request.Methods = []stages.ExplainMethod{{Attribution: p.Manifest.Attribution}}
	x.Policies = append(x.Policies, p.Manifest.Mask)
	return x
}

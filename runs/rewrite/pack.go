package rewrite

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

const (
	formatName    = "smlm-exp model"
	formatVersion = 2

	manifestName = "manifest.json"
	noticeName   = "NOTICE.txt" // of packs that have no card
	sharesName   = "shares/" + stages.SharesFile
)

// Manifest is manifest.json: what is in a packed model and how it is used.
type Manifest struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Program string `json:"program"` // version that packed it
	Commit  string `json:"commit,omitempty"`

	Name        string                     `json:"name"` // "smlm-ft on demo, ..."
	Labels      corpus.Styles              `json:"labels"`
	Attribution stages.AttributionSettings `json:"attribution"`
	Mask        stages.MaskSettings        `json:"mask"`
	Settings    stages.TransferSettings    `json:"settings"`
	Draw        recipe.Guided              `json:"draw"` // of candidates

	Stages map[string]Stage      `json:"stages"` // by what they are to the models: vocab, divlstm, model, guide, fluency
	Files  map[string]stage.File `json:"files"`  // all but manifest.json, by path
	Sum    string                `json:"sum"`    // sha256 of the manifest's JSON without it
}

// Stage names a stage's folder.
type Stage struct {
	Name stage.Name `json:"stage"`
	ID   string     `json:"id"`
}

func (s Stage) dir() string { return path.Join("stages", string(s.Name), s.ID) }

// sumOf returns the sum that a manifest should have.
func sumOf(m Manifest) (string, error) {
	m.Sum = ""
	text, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("writing the manifest: %w", err)
	}
	return files.Sum(text), nil
}

var (
	identity = regexp.MustCompile("^[0-9a-f]{64}$")
	plain    = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*$`)
)

// roles are what rewriting needs, by what it is to the models, and the stages that may be that. A
// pack brings nothing else: another stage, a score say, would count as finished in a workspace.
var roles = map[string][]stage.Name{
	"vocab": {stages.Vocab}, "divlstm": {stages.DivLSTM}, "model": {stages.SMLM, stages.SMLMG, stages.SMLMFT},
	"guide": {stages.Guide}, "fluency": {stages.Fluency}, "rater": {stages.Rater},
}

// mostBytes bounds what a packed model may come to.
const mostBytes = 64 << 30

// wrong says what is wrong with a manifest, "" where it can be used by this program.
func (m *Manifest) wrong() string {
	switch sum, err := sumOf(*m); {
	case m.Format != formatName:
		return "it is not a packed model"
	case m.Version != formatVersion:
		return fmt.Sprintf("it has format %d, but this program knows format %d: use the smlm-exp that packed "+
			"it",
			m.Version, formatVersion)
	case err != nil || m.Sum != sum:
		return "its manifest has been changed"
	}
	dirs := []string{}
	for name, s := range m.Stages {
		if !slices.Contains(roles[name], s.Name) || !identity.MatchString(s.ID) {
			return fmt.Sprintf("its stage %.40q, %.40q, is not one that rewriting needs", name, s.Name)
		}
		dirs = append(dirs, s.dir())
	}
	for _, name := range []string{"vocab", "divlstm", "model"} {
		if m.Stages[name].ID == "" {
			return "it lacks the stage " + name
		}
	}
	total := int64(0)
	for name, f := range m.Files {
		dir, base := path.Split(name)
		if name != CardFile && name != noticeName && name != sharesName &&
			(!slices.Contains(dirs, path.Clean(dir)) || !plain.MatchString(base) || dir+base != path.Clean(name)) {
			return fmt.Sprintf("its file %.200q is in a place where packed models have none", name)
		}
		if total += f.Size; f.Size < 0 || f.Size > mostBytes || total > mostBytes {
			return fmt.Sprintf("its file %.200q is given as %d bytes, which is not possible", name, f.Size)
		}
	}
	return m.misused()
}

// readByText are inputs that only the shares of words are computed from: they hold training text,
// and are not packed.
var readByText = []string{"prepare", "mask"}

// Write packs chosen models, which must be finished, at path: a ZIP archive of stored files that
// holds the folders of their stages, how they are used, their card (Chosen.Card), and what says
// that all of it is whole. Nothing of the training text is in it but the words of the vocabulary
// and counts of n-grams.
func Write(file string, c *Chosen, ws *workspace.Workspace, card string) (*Manifest, error) {
	m := &Manifest{
		Format: formatName, Version: formatVersion, Name: c.String(), Labels: c.Labels,
		Attribution: c.Request.Attribution, Mask: c.Request.Mask, Settings: c.Request.Settings, Draw: c.Request.Draw,
		Stages: map[string]Stage{}, Files: map[string]stage.File{},
	}
	if info, ok := machine.ReadBuild(); ok {
		m.Program, m.Commit = info.Version, info.Commit
	}
	if word := unseenWord(filepath.Join(c.Request.Inputs["vocab"], "vocab.txt")); word != "" {
		return nil, userr.New(userr.BadInput, "%s cannot be packed: the word %.100q in its vocabulary "+
			"contains a control character, which other people's terminals might obey: remove it from the "+
			"training text", c, word)
	}
	texts := map[string][]byte{CardFile: []byte(card)}
	paths := map[string]string{} // in the archive -> on disk
	for name, stage := range c.Stages {
		if slices.Contains(readByText, name) {
			continue
		}
		s := Stage{stage.Name, stage.ID}
		m.Stages[name] = s
		r, err := ws.Record(stage)
		if err != nil {
			return nil, err
		}
		for base, f := range r.Files {
			m.Files[path.Join(s.dir(), base)] = f
			paths[path.Join(s.dir(), base)] = filepath.Join(ws.StageDir(stage), filepath.FromSlash(base))
		}
		if texts[path.Join(s.dir(), "stage.json")], err = r.ToHandOn(); err != nil {
			return nil, err
		}
	}
	if c.Request.Settings.Guided.Price > 0 {
		shares, err := stages.Shares(c.Request.Inputs)
		if err != nil {
			return nil, err
		}
		texts[sharesName] = stages.SharesText(shares)
	}
	for name, text := range texts {
		m.Files[name] = stage.File{Size: int64(len(text)), SHA256: files.Sum(text)}
	}
	var err error
	if m.Sum, err = sumOf(*m); err != nil {
		return nil, err
	}
	if what := m.wrong(); what != "" {
		return nil, userr.New(userr.BadInput, "%s cannot be packed: %s", c, what)
	}
	if err := files.Write(file, func(w io.Writer) error { return m.write(w, texts, paths) }); err != nil {
		return nil, files.Explain("--output", file, err)
	}
	return m, nil
}

// write writes the archive: the manifest first, all stored as they are.
func (m *Manifest) write(w io.Writer, texts map[string][]byte, paths map[string]string) error {
	z := zip.NewWriter(w)
	add := func(name string, r io.Reader) error {
		f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = io.Copy(f, r)
		}
		return err
	}
	about, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := add(manifestName, bytes.NewReader(append(about, '\n'))); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		if text, ok := texts[name]; ok {
			if err := add(name, bytes.NewReader(text)); err != nil {
				return err
			}
			continue
		}
		f, err := os.Open(paths[name])
		if err != nil {
			return err
		}
		err = add(name, f)
		_ = f.Close() // read only
		if err != nil {
			return err
		}
	}
	return z.Close()
}

package rewrite

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

const (
	formatName    = "smlm-exp model"
	formatVersion = 4

	manifestName = "manifest.json"
)

// Manifest is manifest.json: the content of a packed model and its settings.
type Manifest struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Program string `json:"program"` // version of the program that packed the model
	Commit  string `json:"commit,omitempty"`

	Name        string                     `json:"name"` // such as "smlm-ft on demo, ..."
	Labels      corpus.Styles              `json:"labels"`
	Attribution stages.AttributionSettings `json:"attribution"`
	Mask        stages.MaskSettings        `json:"mask"`
	Settings    stages.TransferSettings    `json:"settings"`

	Stages map[string]Stage      `json:"stages"` // by input name, such as "vocab"
	Files  map[string]stage.File `json:"files"`  // all files of the archive except manifest.json, by path
}

// Stage has the name and ID of a stage, which determine its folder in the archive.
type Stage struct {
	Name stage.Name `json:"stage"`
	ID   string     `json:"id"`
}

func (s Stage) dir() string { return path.Join("stages", string(s.Name), s.ID) }

// Write packs chosen models, which must be finished, into a ZIP archive without compression. The
// archive holds the folders of their stages and their settings. Of the training text, the archive
// contains only the words of the vocabulary, trigrams, and phrases of at most four words.
func Write(file string, c *Chosen, ws *workspace.Workspace) (*Manifest, error) {
	m := &Manifest{
		Format: formatName, Version: formatVersion, Name: c.String(), Labels: c.Labels,
		Attribution: c.Request.Attribution, Mask: c.Request.Mask, Settings: c.Request.Settings,
		Stages: map[string]Stage{}, Files: map[string]stage.File{},
	}
	if info, ok := machine.ReadBuild(); ok {
		m.Program, m.Commit = machine.Release, info.Commit
	}
	texts := map[string][]byte{}
	paths := map[string]string{} // path in the archive -> path on disk
	for name, s := range c.Stages {
		packed := Stage{s.Name, s.ID}
		m.Stages[name] = packed
		r, err := ws.Record(s)
		if err != nil {
			return nil, err
		}
		for base, f := range r.Files {
			m.Files[path.Join(packed.dir(), base)] = f
			paths[path.Join(packed.dir(), base)] = filepath.Join(ws.StageDir(s), filepath.FromSlash(base))
		}
		if texts[path.Join(packed.dir(), stage.RecordFile)], err = r.ToHandOn(); err != nil {
			return nil, err
		}
	}
	for name, text := range texts {
		m.Files[name] = stage.File{Size: int64(len(text)), SHA256: files.Sum(text)}
	}
	if err := files.Write(file, func(w io.Writer) error { return m.write(w, texts, paths) }); err != nil {
		return nil, files.NotWritten(file, err)
	}
	return m, nil
}

// write writes the archive, uncompressed, with the manifest first.
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
		_ = f.Close() // the file was only read, so an error does not matter
		if err != nil {
			return err
		}
	}
	return z.Close()
}

package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
)

// Ran is an experiment that was run in the workspace. Commands find the models of an experiment by
// the experiment's name.
type Ran struct {
	Name     string   `json:"name"`
	File     string   `json:"file"` // absolute path; the workspace keeps a copy of the file
	Set      []string `json:"set,omitempty"`
	Datasets []string `json:"datasets,omitempty"` // names of the data sets, if the run was limited to some
}

// NoteExperiment saves a copy of an experiment's file, and how the experiment was run.
func (w *Workspace) NoteExperiment(r Ran, text []byte) error {
	if err := os.MkdirAll(w.Path("experiments"), 0o755); err != nil {
		return w.Explain(err, "writing")
	}
	about, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("writing down the experiment: %w", err)
	}
	contents := map[string][]byte{w.TextOf(r.Name): text, w.experiment(r.Name, ".json"): append(about, '\n')}
	for path, text := range contents {
		if err := files.WriteBytes(path, text); err != nil {
			return err
		}
	}
	return nil
}

// TextOf returns the path of the copy of an experiment's file that was saved at the last run.
func (w *Workspace) TextOf(experiment string) string { return w.experiment(experiment, ".toml") }

func (w *Workspace) experiment(name, ext string) string { return w.Path("experiments", name+ext) }

// Experiment returns the experiment with that name. The error is fs.ErrNotExist if none was run
// here.
func (w *Workspace) Experiment(name string) (*Ran, error) {
	if filepath.Base(name) != name {
		return nil, fs.ErrNotExist
	}
	path := w.experiment(name, ".json")
	text, err := files.ReadSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fs.ErrNotExist
	} else if err != nil {
		return nil, w.Explain(err, "reading")
	}
	r := &Ran{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("reading %q: %w; `smlm-exp run` writes it again", path, err)
	}
	return r, nil
}

// Experiments lists the names of the experiments that were run here.
func (w *Workspace) Experiments() (names []string) {
	entries, _ := os.ReadDir(w.Path("experiments"))
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && !strings.HasPrefix(name, ".") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Ran is an experiment that was run in the workspace, by whose name its models are found again.
type Ran struct {
	Name     string   `json:"name"`
	File     string   `json:"file"` // absolute path; what it held is in the workspace
	Set      []string `json:"set,omitempty"`
	Datasets []string `json:"datasets,omitempty"` // that it was kept to
	Only     []string `json:"only,omitempty"`     // of a run of some stages, which these are
	// Ended is zero where a program wrote it down that did not ask for it.
	Ended time.Time `json:"ended,omitzero"`
}

// NoteExperiment keeps the text of an experiment's file and how it was run. A run of some stages
// of another file or with other overrides is a trial, which does not take the place of a whole run:
// who names the experiment means the models of that. Passwords and tokens of addresses are not
// kept.
func (w *Workspace) NoteExperiment(r Ran, text []byte) error {
	r.Set, text = lists.Map(r.Set, wording.WithoutSecrets), []byte(wording.WithoutSecrets(string(text)))
	if before, err := w.Experiment(r.Name); err == nil && len(r.Only) > 0 && len(before.Only) == 0 {
		if w.NamedBy(r.Name, r.File, text) != "" {
			return nil
		}
		if !slices.Equal(before.Set, r.Set) || !slices.Equal(before.Datasets, r.Datasets) {
			return nil
		}
		r.Only, r.Ended = nil, before.Ended // the same, of which the rest is there
	}
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

// NamedBy returns the other file whose whole run this name means, and with it the tables, figures
// and page of the name; "" where there is none. A file that was only moved, or is found by another
// path, is no other one; an equal copy elsewhere is, as its data are those beside it.
func (w *Workspace) NamedBy(name, file string, text []byte) string {
	before, err := w.Experiment(name)
	if err != nil || len(before.Only) > 0 || before.File == file {
		return ""
	}
	then, gone := os.Stat(before.File)
	if now, err := os.Stat(file); err == nil && gone == nil && os.SameFile(then, now) {
		return ""
	}
	kept, err := files.ReadSmall(w.TextOf(name))
	text = []byte(wording.WithoutSecrets(string(text))) // as NoteExperiment keeps it
	if err == nil && bytes.Equal(kept, text) && (gone != nil || filepath.Dir(before.File) == filepath.Dir(file)) {
		return ""
	}
	return before.File
}

// LastRun returns the last whole run of a file, whatever name its settings gave the experiment, and
// of the data sets where some are named; nil where there is none. A file that was moved is the
// same, as NamedBy has it.
func (w *Workspace) LastRun(file string, text []byte, datasets []string) (last *Ran) {
	for _, name := range w.Experiments() {
		r, err := w.Experiment(name)
		if err != nil || len(r.Only) > 0 || w.NamedBy(name, file, text) != "" {
			continue
		}
		other := func(set string) bool { return !slices.Contains(r.Datasets, set) }
		if len(r.Datasets) > 0 && slices.ContainsFunc(datasets, other) {
			continue
		}
		if last == nil || r.Ended.After(last.Ended) {
			last = r
		}
	}
	return last
}

// TextOf is the file of an experiment as it was when it ran last.
func (w *Workspace) TextOf(experiment string) string { return w.experiment(experiment, ".toml") }

func (w *Workspace) experiment(name, ext string) string { return w.Path("experiments", name+ext) }

// Experiment returns the experiment of a name. The error is fs.ErrNotExist where none of that name
// was run here.
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

// Experiments lists the names of those that were run here.
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

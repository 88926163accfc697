package runs

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Study is an experiment file, the stages that it needs and the workspace that they lie in.
type Study struct {
	Experiment *experiment.Experiment
	Plan       *plan.Plan
	Workspace  *workspace.Workspace

	file File
	text []byte // of the experiment file
}

// File names an experiment file, and what is said in place of what stands in it.
type File struct {
	Path      string
	Copy      string   // the file that is read, with Path as its name and folder; "" = Path itself
	Set       []string // KEY=VALUE, "masking.lambda_eps=[0,0.15]"
	Datasets  []string // names of data sets to keep to; empty = all
	Workspace string   // folder; "" = the file's
	More      []string // as Set, and comes after it: what the caller needs whatever its user says
}

// load reads the experiment.
func (f *File) load() (*experiment.Experiment, error) {
	e, err := experiment.LoadCopy(f.Path, f.Copy, slices.Concat(f.Set, f.More))
	if err != nil {
		return nil, err
	}
	return e, e.Only(f.Datasets)
}

// Open reads an experiment file, plans it and opens its workspace. What is wrong with the file or
// the data is said all at once, a line each (userr.BadInput).
func Open(f File) (*Study, error) {
	if f.Copy == "" {
		f.Copy = f.Path
	}
	e, err := f.load()
	if err != nil {
		return nil, err
	}
	if f.Workspace != "" {
		own := e.Workspace
		if e.Workspace, err = filepath.Abs(f.Workspace); err != nil {
			return nil, err
		}
		e.Elsewhere = e.Workspace != own
	}
	s := &Study{Experiment: e, file: f}
	if s.text, err = files.ReadSmall(f.Copy); err != nil {
		return nil, err
	}
	ws, unopened := workspace.Open(e.Workspace)
	// All of a plan stays: to look for garbage each time that it has doubled is a quarter of the
	// work.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	if s.Plan, err = plan.New(e); err != nil {
		return nil, err
	}
	if s.Workspace = ws; unopened != nil {
		return nil, unopened
	}
	return s, nil
}

// Results gathers what the finished stages measured.
func (s *Study) Results() (*results.Results, error) { return results.Collect(s.Plan, s.Workspace) }

// note keeps the experiment's file in the workspace, so that commands find it by its name. A run of
// some stages does not take the place of an earlier run.
func (s *Study) note(only []string) error {
	e := s.Experiment
	if _, err := s.Workspace.Experiment(e.Name); err == nil && len(only) > 0 {
		return nil
	}
	return s.Workspace.NoteExperiment(workspace.Ran{Name: e.Name, File: e.Path, Set: e.Set, Datasets: e.Kept()}, s.text)
}

// Warn writes what the data have that is seldom meant, a line each.
func (s *Study) Warn(w io.Writer) {
	for _, warning := range s.Plan.Warnings() {
		fmt.Fprintf(w, "smlm-exp: %s\n", warning)
	}
}

// OneDataset returns the name of the only data set of a study, and refuses one of several.
func (s *Study) OneDataset() (string, error) {
	sets := s.Experiment.Datasets
	if len(sets) > 1 {
		return "", userr.New(userr.BadInput, "--dataset must name one data set: %s has %s and %d more",
			s.Experiment.File, sets[0].Name, len(sets)-1)
	}
	return sets[0].Name, nil
}

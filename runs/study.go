package runs

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Study is an experiment, the plan of its stages and the workspace with their results.
type Study struct {
	Experiment *experiment.Experiment
	Plan       *plan.Plan
	Workspace  *workspace.Workspace

	file   File
	text   []byte          // content of the experiment file
	warned map[string]bool // warnings that Warn or Run has printed
}

// File is an experiment file with command-line overrides.
type File struct {
	Path      string
	Copy      string   // file to read instead of Path, which still gives the name and the folder; "": read Path
	Set       []string // KEY=VALUE, such as "masking.lambda_eps=[0,0.15]"
	Datasets  []string // only these data sets; empty = all
	Workspace string   // folder of the workspace; "": the workspace of the experiment
}

// load reads the experiment.
func (f *File) load() (*experiment.Experiment, error) {
	e, err := experiment.LoadCopy(f.Path, f.Copy, f.Set)
	if err != nil {
		return nil, err
	}
	return e, e.Only(f.Datasets)
}

// Open reads an experiment file, plans it and opens its workspace. The error (userr.BadInput) lists
// everything that is wrong with the file or the data, one problem per line.
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
	s := &Study{Experiment: e, file: f, warned: map[string]bool{}}
	if s.text, err = files.ReadSmall(f.Copy); err != nil {
		return nil, err
	}
	ws, unopened := workspace.Open(e.Workspace)
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

// Warn prints the warnings about the data from the records of finished stages, one per line. It
// prints each warning only once.
func (s *Study) Warn(w io.Writer) {
	for _, of := range s.Plan.Stages {
		record, err := s.Workspace.Record(of)
		if err != nil {
			continue // not finished, or damaged; the code that reads the stage's files reports the damage
		}
		for _, warning := range record.Warnings {
			if !s.warned[warning] {
				s.warned[warning] = true
				fmt.Fprintf(w, "smlm-exp: %s\n", warning)
			}
		}
	}
}

// OneDataset returns the name of a study's only data set. It is an error if there are several.
func (s *Study) OneDataset() (string, error) {
	sets := s.Experiment.Datasets
	if len(sets) > 1 {
		return "", userr.New(userr.BadInput, "--dataset must name one data set: %s has %s and %d more",
			s.Experiment.File, sets[0].Name, len(sets)-1)
	}
	return sets[0].Name, nil
}

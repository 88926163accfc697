package cli

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"github.com/urfave/cli/v2"
)

// Study is an experiment file, its stages and where they lie.
type Study struct {
	Exp  *experiment.Experiment
	Plan *plan.Plan
	WS   *workspace.Workspace
	text []byte // of the file
	read study
}

// onStudy is the action of a command whose first argument is an experiment file.
func onStudy(run func(c *cli.Context, s *Study) error) cli.ActionFunc {
	return taking(func(c *cli.Context, args []string) error {
		s, err := OpenStudy(c, args[0])
		if err != nil {
			return err
		}
		return run(c, s)
	})
}

// Note keeps the experiment's file in the workspace, so that OpenNamed finds it. A run that was not
// of all stages says which those were.
func (s *Study) Note(only []string) error {
	return s.WS.NoteExperiment(workspace.Ran{
		Name: s.Exp.Name, File: s.Exp.Path, Set: s.Exp.Set, Datasets: s.Exp.Kept(), Only: only,
	}, s.text)
}

// OneDataset returns the name of the only data set of a study, and refuses one of several.
func (s *Study) OneDataset() (string, error) {
	sets := s.Exp.Datasets
	if len(sets) > 1 {
		return "", userr.New(userr.BadInput, "--dataset is needed, of one data set: %s has %s and %d more", s.Exp.File,
			sets[0].Name, len(sets)-1)
	}
	return sets[0].Name, nil
}

// Collect reads the results of a study and says on standard error which stages are damaged.
func (e *Env) Collect(s *Study) (*results.Results, error) {
	found, err := results.Collect(s.Plan, s.WS)
	if err != nil {
		return nil, err
	}
	for _, d := range found.Damaged {
		fmt.Fprintf(e.Stderr, "smlm-exp: %v; until then what rests on it is left out\n", d)
	}
	return found, nil
}

// Warn says on standard error what the data have that is seldom meant.
func (e *Env) Warn(s *Study) {
	for _, warning := range s.Plan.Warnings() {
		fmt.Fprintf(e.Stderr, "smlm-exp: %s\n", warning)
	}
}

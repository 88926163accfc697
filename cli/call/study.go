package call

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/search"
	"github.com/smlm-exp/smlm-exp/runs/slurm"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"github.com/urfave/cli/v2"
)

// Study is an experiment file, its stages and where they lie.
type Study struct {
	Exp  *experiment.Experiment
	Plan *plan.Plan
	WS   *workspace.Workspace
	text []byte // of the file
}

// OnStudy is the action of a command whose first argument is an experiment file.
func OnStudy(run func(c *cli.Context, s *Study) error) cli.ActionFunc {
	return Taking(func(c *cli.Context, args []string) error {
		s, err := OpenStudy(c, args[0])
		if err != nil {
			return err
		}
		return run(c, s)
	})
}

// OpenStudy reads an experiment file with the overrides of ExperimentFlags, plans it and opens its
// workspace. The more overrides come last.
func OpenStudy(c *cli.Context, file string, more ...string) (*Study, error) {
	copied := file
	if list := c.String(slurm.TaskFlag); list != "" {
		copied = slurm.TextOf(list)
	}
	return openStudy(study{
		file: file, copied: copied, set: slices.Concat(c.StringSlice("set"), more), datasets: c.StringSlice("dataset"),
		workspace: c.String("workspace"),
	})
}

// study says how an experiment file is read.
type study struct {
	file, copied  string // as experiment.LoadCopy has them
	set, datasets []string
	workspace     string // "": the file's
}

func openStudy(o study) (*Study, error) {
	exp, err := experiment.LoadCopy(o.file, o.copied, o.set)
	if err != nil {
		return nil, err
	}
	if err := exp.Only(o.datasets); err != nil {
		return nil, err
	}
	if o.workspace != "" {
		if exp.Workspace, err = filepath.Abs(o.workspace); err != nil {
			return nil, err
		}
	}
	s := &Study{Exp: exp}
	if s.text, err = os.ReadFile(o.copied); err != nil {
		return nil, err
	}
	ws, unopened := workspace.Open(exp.Workspace)
	if unopened == nil {
		end := ws.Ahead() // while the data are read and the plan is made
		defer end()
	}
	// All of a plan stays: to look for garbage each time that it has doubled is a quarter of the
	// work.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	if s.Plan, err = plan.New(exp); err != nil {
		return nil, err
	}
	if s.WS = ws; unopened != nil {
		return nil, unopened
	}
	s.Plan, _, err = search.Grow(s.Plan, s.WS)
	return s, err
}

// Note keeps the experiment's file in the workspace, so that OpenNamed finds it.
func (s *Study) Note() error {
	return s.WS.NoteExperiment(workspace.Ran{
		Name: s.Exp.Name, File: s.Exp.Path, Set: s.Exp.Set, Datasets: s.Exp.Kept(),
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

package cli

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/search"
	"github.com/smlm-exp/smlm-exp/runs/slurm"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"github.com/urfave/cli/v2"
)

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

// load reads the experiment, with more overrides last.
func (o *study) load(more ...string) (*experiment.Experiment, error) {
	exp, err := experiment.LoadCopy(o.file, o.copied, slices.Concat(o.set, more))
	if err != nil {
		return nil, err
	}
	return exp, exp.Only(o.datasets)
}

func openStudy(o study) (*Study, error) {
	exp, err := o.load()
	if err != nil {
		return nil, err
	}
	if o.workspace != "" {
		own := exp.Workspace
		if exp.Workspace, err = filepath.Abs(o.workspace); err != nil {
			return nil, err
		}
		exp.Elsewhere = exp.Workspace != own
	}
	s := &Study{Exp: exp, read: o}
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

// With plans the experiment with more overrides, of models and not of data, which are not read
// again.
func (s *Study) With(more ...string) (*plan.Plan, error) {
	exp, err := s.read.load(more...)
	if err != nil {
		return nil, err
	}
	exp.Workspace, exp.Elsewhere = s.Exp.Workspace, s.Exp.Elsewhere
	p, err := s.Plan.Reread(exp)
	if err != nil {
		return nil, err
	}
	p, _, err = search.Grow(p, s.WS)
	return p, err
}

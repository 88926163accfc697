package cli

import (
	"context"
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"github.com/urfave/cli/v2"
)

func cleanCommand(e *env) *cli.Command {
	var dir string
	var yes bool
	return leaf(&cli.Command{
		Name:      "clean",
		Usage:     "remove the stages of a workspace that no named experiment file needs, and leftovers",
		ArgsUsage: "FILE...",
		Description: describe("Lists what can be removed, with sizes; --yes removes it. Name every experiment "+
			"file that uses the workspace: stages that none of them needs are removed, also those of runs with "+
			"--set, and scores measured with WordNet if this machine has none. The list shows the command that made each stage.\n\nLeftovers are half-written files, "+
			"checkpoints of finished stages and records of failed tries. Tables, figures and pages stay. If a "+
			"file cannot be read or a run is in progress, nothing is removed.",
			"smlm-exp clean experiments.toml other.toml", userr.OK, userr.StageFailed, userr.BadInput),
		Flags: []cli.Flag{
			workspaceFlag(&dir),
			&cli.BoolFlag{Name: "yes", Usage: "remove what is listed", Destination: &yes},
		},
		Action: anyArguments(func(_ context.Context, _ *cli.Command, files []string) error {
			if len(files) == 0 {
				return userr.New(userr.BadInput, "FILE is missing: name every experiment file whose stages "+
					"must stay, see `smlm-exp clean --help`")
			}
			on, err := openStudies(dir, files)
			if err != nil {
				return err
			}
			return clean(e, on, yes)
		}),
	})
}

// studies holds the studies of several experiment files that share a workspace.
type studies struct {
	ws     *workspace.Workspace
	all    []*runs.Study
	kept   []workspace.Kept
	wanted map[string]bool // the IDs of the stages that the files need
}

// openStudies reads all experiment files that a command names, and lists the finished stages in
// their workspace. The files name this workspace, unless dir gives another one.
func openStudies(dir string, files []string) (*studies, error) {
	on := &studies{wanted: map[string]bool{}}
	for _, file := range files {
		s, err := runs.Open(runs.File{Path: file, Workspace: dir})
		if err != nil {
			return nil, err
		}
		if err := on.add(file, s); err != nil {
			return nil, err
		}
	}
	return on, on.read()
}

// add adds the study of an experiment file and marks all stages of its plan as needed.
func (on *studies) add(file string, s *runs.Study) error {
	if on.ws != nil && on.ws.Dir != s.Workspace.Dir {
		return userr.New(userr.BadInput, "%s names the workspace %q, but %s names %q: choose one with "+
			"--workspace",
			on.all[0].Experiment.File, on.ws.Dir, file, s.Workspace.Dir)
	}
	on.ws, on.all = s.Workspace, append(on.all, s)
	for _, stage := range s.Plan.Stages {
		on.wanted[stage.ID] = true
	}
	return nil
}

// read updates the list of finished stages.
func (on *studies) read() (err error) {
	on.kept, err = on.ws.Kept()
	return err
}

func clean(e *env, on *studies, yes bool) error {
	if err := on.ws.Hold(); err != nil {
		return err
	}
	defer on.ws.Unlock()
	if err := on.read(); err != nil { // a run may have ended since the first read
		return err
	}
	wanted := func(id string) bool { return on.wanted[id] }
	rest, err := on.ws.Leftovers(wanted)
	if err != nil {
		return err
	}
	doomed := lists.Filter(on.kept, func(k workspace.Kept) bool { return !wanted(k.ID) })
	if len(doomed)+len(rest) == 0 {
		fmt.Fprintf(e.stdout, "nothing to remove: %s, %s, all needed\n", wording.Count(len(on.kept), "stage"),
			wording.Bytes(sizeOf(on.kept)))
		return nil
	}
	what := listDoomed(e, doomed, rest)
	if !yes {
		fmt.Fprintf(e.stdout, "nothing was removed; --yes removes %s\n", what)
		return nil
	}
	if err := on.ws.Discard(doomed, rest); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "removed %s; kept %s\n", what, wording.Count(len(on.kept)-len(doomed), "stage"))
	return nil
}

// listDoomed prints what the command can remove and returns a summary: "3 stages and 2 leftovers,
// 412 MB".
func listDoomed(e *env, doomed []workspace.Kept, rest []workspace.Leftover) string {
	for _, k := range doomed {
		s, by := plan.Stage{Name: k.Name, ID: k.ID}, "its record is damaged"
		if k.Record != nil {
			s.Label, by = k.Record.Label, "of `"+workspace.Typed(k.Record.Command)+"`"
		}
		fmt.Fprintf(e.stdout, "%s, %s, %s\n", s.Title(), wording.Bytes(k.Size), by)
	}
	bytes := sizeOf(doomed)
	for _, l := range rest {
		fmt.Fprintf(e.stdout, "%s, %s, %s\n", l.Path, l.What, wording.Bytes(l.Size))
		bytes += l.Size
	}
	return fmt.Sprintf("%s and %s, %s", wording.Count(len(doomed), "stage"), wording.Count(len(rest), "leftover"),
		wording.Bytes(bytes))
}

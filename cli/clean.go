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
			ws, needed, err := neededBy(dir, files)
			if err != nil {
				return err
			}
			return clean(e, ws, needed, yes)
		}),
	})
}

// neededBy returns the workspace of several experiment files, and the ids of the stages that the
// files need. The files must name the same workspace, unless dir gives another one.
func neededBy(dir string, files []string) (ws *workspace.Workspace, ids map[string]bool, err error) {
	ids = map[string]bool{}
	for _, file := range files {
		s, err := runs.Open(runs.File{Path: file, Workspace: dir})
		if err != nil {
			return nil, nil, err
		}
		if ws != nil && ws.Dir != s.Workspace.Dir {
			return nil, nil, userr.New(userr.BadInput, "%s names the workspace %q, but %s names %q: choose one with "+
				"--workspace", files[0], ws.Dir, file, s.Workspace.Dir)
		}
		ws = s.Workspace
		for _, stage := range s.Plan.Stages {
			ids[stage.ID] = true
		}
	}
	return ws, ids, nil
}

func clean(e *env, ws *workspace.Workspace, needed map[string]bool, yes bool) error {
	if err := ws.Hold(); err != nil {
		return err
	}
	defer ws.Unlock()
	kept, err := ws.Kept()
	if err != nil {
		return err
	}
	wanted := func(id string) bool { return needed[id] }
	rest, err := ws.Leftovers(wanted)
	if err != nil {
		return err
	}
	doomed := lists.Filter(kept, func(k workspace.Kept) bool { return !wanted(k.ID) })
	if len(doomed)+len(rest) == 0 {
		fmt.Fprintf(e.stdout, "nothing to remove: %s, %s, all needed\n", wording.Count(len(kept), "stage"),
			wording.Bytes(sizeOf(kept)))
		return nil
	}
	what := listDoomed(e, doomed, rest)
	if !yes {
		fmt.Fprintf(e.stdout, "nothing was removed; --yes removes %s\n", what)
		return nil
	}
	if err := ws.Discard(doomed, rest); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "removed %s; kept %s\n", what, wording.Count(len(kept)-len(doomed), "stage"))
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

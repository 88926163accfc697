package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"github.com/urfave/cli/v2"
)

func statusCommand(e *env) *cli.Command {
	var dir string
	return leaf(&cli.Command{
		Name:      "status",
		Usage:     "show what runs in a workspace and how far it is, what failed last, and what is finished",
		ArgsUsage: "[FILE]",
		Description: describe("Only reads, and waits for nothing: you can use it while a run is in progress. "+
			"The workspace is that of the experiment file, or --workspace. The data sets are not read.",
			"smlm-exp status experiments.toml", userr.OK, userr.BadInput),
		Flags: []cli.Flag{workspaceFlag(&dir)},
		Action: anyArguments(func(_ context.Context, command *cli.Command, args []string) error {
			if len(args) > 0 {
				if err := checkArguments(command, args, "FILE"); err != nil {
					return err
				}
			}
			return status(e, dir, args)
		}),
	})
}

// status prints the state of a workspace. If dir is "", the experiment file names the workspace.
func status(e *env, dir string, files []string) error {
	given, file := dir, ""
	if len(files) > 0 {
		exp, err := experiment.Load(files[0], nil)
		if err != nil {
			return err
		}
		if file = files[0]; dir == "" {
			dir = exp.Workspace
		}
	}
	if dir == "" {
		return userr.New(userr.BadInput, "FILE is missing: name an experiment file, or a workspace with "+
			"--workspace")
	}
	ws, err := workspace.Open(dir)
	if err != nil {
		return err
	}
	kept, err := ws.Kept()
	if err != nil && file != "" && given == "" { // the file's workspace does not exist yet
		fmt.Fprintf(e.stdout, "nothing has run in the workspace %q yet: `%s` creates it\n", ws.Dir,
			wording.Command("smlm-exp", "run", wording.Path(file)))
		return nil
	} else if err != nil {
		return err
	}
	if err := statusOfRuns(e, ws); err != nil {
		return err
	}
	statusOfStages(e, ws, kept)
	return nil
}

// statusOfRuns prints which processes use the workspace, and which were killed while they used it.
func statusOfRuns(e *env, ws *workspace.Workspace) error {
	all, err := ws.Running()
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(r workspace.Running) bool { return r.Alive }) {
		fmt.Fprintln(e.stdout, "running: nothing")
	}
	for i := range all {
		switch r := &all[i]; {
		case len(r.Command) == 0 && r.PID == 0:
			fmt.Fprintln(e.stdout, "running: a process that has not yet written what it runs")
		case len(r.Command) == 0:
			fmt.Fprintf(e.stdout, "running: no stage; process %d on %s has held the workspace since %s\n", r.PID, r.Host,
				when(r.Since))
		case r.Alive:
			fmt.Fprintf(e.stdout, "running: process %d on %s since %s: %s\n", r.PID, r.Host, when(r.Since),
				workspace.Typed(r.Command))
			statusOfStage(e, r)
		default:
			fmt.Fprintf(e.stdout, "killed: process %d on %s, which ran from %s to %s or later: `%s` continues "+
				"from there\n",
				r.PID, r.Host, when(r.Since), when(r.Updated), workspace.Typed(r.Command))
			statusOfStage(e, r)
		}
	}
	return nil
}

// statusOfStage prints the progress of the stage that a process is running, or was running when it
// was killed.
func statusOfStage(e *env, r *workspace.Running) {
	said, line := "stage", r.Line(0)
	if !r.Alive {
		said = "its last stage"
	}
	if r.Stage == "" || r.Waits {
		line = "none; " + line
	}
	if r.Failed > 0 {
		line += "; " + wording.Count(r.Failed, "stage") + " failed in this run"
	}
	fmt.Fprintf(e.stdout, "%s: %s\n", said, line)
}

// statusOfStages prints how many stages failed, can continue from a checkpoint, and are finished.
func statusOfStages(e *env, ws *workspace.Workspace, kept []workspace.Kept) {
	if failures := ws.Failures(); len(failures) > 0 {
		last := failures[0]
		s := plan.Stage{Name: last.Name, ID: last.ID, Label: last.Label}
		fmt.Fprintf(e.stdout, "failed: %s, the last %s at %s: %s (its record is %s)\n",
			wording.Count(len(failures), "stage"), s.Title(), when(last.End), wording.FirstLine(last.Error),
			ws.FailedPath(&s, ".json"))
	} else {
		fmt.Fprintln(e.stdout, "failed: nothing")
	}
	if n := ws.Checkpoints(); n > 0 {
		fmt.Fprintf(e.stdout, "started: %s with checkpoints to continue from\n", wording.Count(n, "stage"))
	}
	fmt.Fprintf(e.stdout, "finished: %s, %s\n", wording.Count(len(kept), "stage"), wording.Bytes(sizeOf(kept)))
}

func sizeOf(kept []workspace.Kept) (bytes int64) {
	for i := range kept {
		bytes += kept[i].Size
	}
	return bytes
}

func when(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

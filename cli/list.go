package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"github.com/urfave/cli/v2"
)

func listCommand(e *env) *cli.Command {
	var dir string
	return leaf(&cli.Command{
		Name:      "list",
		Usage:     "list the finished stages of a workspace, and which experiment files need them",
		ArgsUsage: "[FILE...]",
		Description: describe("Changes nothing. SETTINGS shows what told a stage apart when it ran, and the "+
			"settings in which stages of the same name differ; stage.json has all settings. NEEDED BY names "+
			"the experiment files, among those given, that need the stage.",
			"smlm-exp list --workspace workspace experiments.toml other.toml", userr.OK, userr.StageFailed, userr.BadInput),
		Flags: []cli.Flag{workspaceFlag(&dir)},
		Action: anyArguments(func(_ context.Context, _ *cli.Command, files []string) error {
			on, err := openStudies(dir, files)
			if err != nil {
				return err
			}
			return list(e, on)
		}),
	})
}

// studies holds the studies of several experiment files that share a workspace.
type studies struct {
	ws     *workspace.Workspace
	all    []*runs.Study
	kept   []workspace.Kept
	wanted map[string][]string // for each stage ID, the experiment files that need the stage
}

// openStudies reads all experiment files that a command names, and lists the finished stages in
// their workspace. The files name this workspace, unless dir gives another one.
func openStudies(dir string, files []string) (*studies, error) {
	on := &studies{wanted: map[string][]string{}}
	for _, file := range files {
		s, err := runs.Open(runs.File{Path: file, Workspace: dir})
		if err != nil {
			return nil, err
		}
		if err := on.add(file, s); err != nil {
			return nil, err
		}
	}
	if on.ws == nil {
		ws, err := openWorkspace(dir)
		if err != nil {
			return nil, err
		}
		on.ws = ws
	}
	return on, on.read()
}

// add adds a study and marks all stages of its plan as needed. The parameter "name" is the
// experiment file that needs these stages.
func (on *studies) add(name string, s *runs.Study) error {
	if on.ws != nil && on.ws.Dir != s.Workspace.Dir {
		return userr.New(userr.BadInput, "%s names the workspace %q, but %s names %q: choose one with "+
			"--workspace",
			on.all[0].Experiment.File, on.ws.Dir, name, s.Workspace.Dir)
	}
	on.ws, on.all = s.Workspace, append(on.all, s)
	for _, stage := range s.Plan.Stages {
		if by := on.wanted[stage.ID]; !slices.Contains(by, name) {
			on.wanted[stage.ID] = append(by, name)
		}
	}
	return nil
}

// openWorkspace opens a workspace. If dir is "", it returns an error.
func openWorkspace(dir string) (*workspace.Workspace, error) {
	if dir == "" {
		return nil, userr.New(userr.BadInput, "FILE is missing: name an experiment file, or a workspace with "+
			"--workspace")
	}
	return workspace.Open(dir)
}

// read updates the list of finished stages.
func (on *studies) read() (err error) {
	if on.kept, err = on.ws.Kept(); err != nil {
		return err
	}
	on.keepScores()
	return nil
}

// keepScores marks scores that were measured with WordNet as needed, if all their inputs are needed
// and this machine has no WordNet. Without this, the command clean would remove them, because a
// plan on a machine without WordNet contains only scores without WordNet.
func (on *studies) keepScores() {
	if slices.ContainsFunc(on.all, func(s *runs.Study) bool { return s.Plan.WordNet.Dir != "" }) {
		return
	}
	for _, k := range on.kept {
		if k.Record == nil || k.Record.Sources["wordnet"] == "" || on.wanted[k.ID] != nil {
			continue
		}
		inputs := slices.Collect(maps.Values(k.Record.Inputs))
		if !slices.ContainsFunc(inputs, func(id string) bool { return on.wanted[id] == nil }) {
			on.wanted[k.ID] = on.wanted[inputs[0]]
		}
	}
}

func list(e *env, on *studies) error {
	t := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	head := "STAGE\tSETTINGS\tSIZE\tENDED\tTIME"
	if len(on.all) > 0 {
		head += "\tNEEDED BY"
	}
	fmt.Fprintln(t, head)
	told := workspace.Differing(on.kept)
	for i, k := range on.kept {
		ended, took := "-", "-"
		if r := k.Record; r != nil {
			ended, took = r.End.Local().Format("2006-01-02 15:04"), wording.ShortSeconds(r.Seconds)
		}
		line := fmt.Sprintf("%s\t%s\t%s\t%s\t%s", shortOf(&k), told[i], wording.Bytes(k.Size), ended, took)
		if len(on.all) > 0 {
			line += "\t" + cmp.Or(strings.Join(on.wanted[k.ID], ", "), "-")
		}
		fmt.Fprintln(t, line)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%s, %s\n", wording.Count(len(on.kept), "stage"), wording.Bytes(sizeOf(on.kept)))
	return nil
}

func shortOf(k *workspace.Kept) string { return (&plan.Stage{Name: k.Name, ID: k.ID}).Short() }

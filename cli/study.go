package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"github.com/urfave/cli/v2"
)

const (
	defaultFile      = "experiments.toml"
	defaultWorkspace = "workspace"
)

// onStudy returns the action of a command whose first argument is an experiment file. It opens the
// file's study, with the overrides in f, and calls run with the study and the other arguments.
func (e *env) onStudy(f *runs.File, run func(ctx context.Context, s *runs.Study, args []string) error) cli.ActionFunc {
	return action(func(ctx context.Context, args []string) error {
		f.Path = args[0]
		s, err := runs.Open(*f)
		if err != nil {
			return err
		}
		return run(ctx, s, args[1:])
	})
}

// experimentFlag returns --experiment, for commands that use the trained models of an experiment.
func experimentFlag(name *string) cli.Flag {
	return &cli.StringFlag{
		Name: "experiment", Destination: name,
		Usage: "experiment `FILE` whose models to use, or the name of an experiment that was run in the " +
			"workspace (default: experiments.toml, or the only one that was run)",
	}
}

// openNamed opens the study of an experiment. The parameter "name" is an experiment file, or the
// name of an experiment that was run in the workspace. The name "" means the file experiments.toml
// or, if there is no such file, the only experiment that was run. The settings in the list "more"
// override all others.
func (e *env) openNamed(name string, f runs.File, more ...string) (*runs.Study, error) {
	openFile := func(path string) (*runs.Study, error) {
		f.Path, f.More = path, more
		return runs.Open(f)
	}
	file := cmp.Or(name, defaultFile)
	info, err := os.Stat(file)
	folder := err == nil && info.IsDir() // such as the folder NAME of `data import NAME`
	if !folder && !errors.Is(err, fs.ErrNotExist) || strings.ContainsRune(name, filepath.Separator) {
		return openFile(file)
	}
	dir := cmp.Or(f.Workspace, defaultWorkspace)
	ws, err := workspace.Open(dir)
	if err != nil {
		return nil, err
	}
	names := ws.Experiments()
	if name == "" && len(names) == 1 {
		name = names[0]
		fmt.Fprintf(e.stderr, "smlm-exp: using the experiment %s, which was run in the workspace %q\n", name, dir)
	}
	ran, err := ws.Experiment(name)
	switch {
	case len(names) == 0 && name == "":
		return nil, userr.New(userr.BadInput, "there is no experiment file %q, and no experiment was run in "+
			"the workspace %q: name one with --experiment FILE", file, dir)
	case len(names) == 0:
		return openFile(file)
	case name == "":
		return nil, userr.New(userr.BadInput, "there is no experiment file %q: choose an experiment of the "+
			"workspace %q with --experiment: %s", file, dir, strings.Join(names, " or "))
	case errors.Is(err, fs.ErrNotExist):
		return nil, userr.New(userr.BadInput, "%s is neither a file nor an experiment that was run in the "+
			"workspace %q: %s",
			name, dir, wording.Suggest(name, names, "it has "+strings.Join(names, ", ")))
	case err != nil:
		return nil, err
	}
	if len(f.Datasets) == 0 {
		f.Datasets = ran.Datasets
	}
	return runs.Open(runs.File{
		Path: ran.File, Copy: ws.TextOf(name), Set: slices.Concat(ran.Set, f.Set), More: more, Datasets: f.Datasets,
		Workspace: dir,
	})
}

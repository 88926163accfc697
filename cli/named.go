package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"github.com/urfave/cli/v2"
)

const (
	defaultFile      = "experiments.toml"
	defaultWorkspace = "workspace"
)

// experimentFlag is of every command that uses an experiment's trained models.
func experimentFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "experiment",
		Usage: "the experiment `FILE` whose models to use, or the name of one that was run in the workspace " +
			"(default: experiments.toml, or the only one that was run)",
	}
}

// OpenNamed is OpenStudy of a file, or of an experiment that was run in the workspace by its name;
// "" as ExperimentFlag has it.
func (e *Env) OpenNamed(c *cli.Context, name string, more ...string) (*Study, error) {
	file := cmp.Or(name, defaultFile)
	info, err := os.Stat(file)
	folder := err == nil && info.IsDir() // `data import NAME` and `init NAME` leave one beside NAME.toml
	if !folder && !errors.Is(err, fs.ErrNotExist) || strings.ContainsRune(name, filepath.Separator) {
		return OpenStudy(c, file, more...)
	}
	dir := cmp.Or(c.String("workspace"), defaultWorkspace)
	ws, err := workspace.Open(dir)
	if err != nil {
		return nil, err
	}
	names := ws.Experiments()
	if name == "" && len(names) == 1 {
		name = names[0]
		fmt.Fprintf(e.Stderr, "smlm-exp: using the experiment %s, which was run in the workspace %q\n", name, dir)
	}
	ran, err := ws.Experiment(name)
	switch {
	case len(names) == 0 && name == "":
		return nil, userr.New(userr.BadInput, "there is no experiment file %q, and no experiment was run in the workspace "+
			"%q: name one with --experiment FILE", file, dir)
	case len(names) == 0: // of an older program, or none
		return OpenStudy(c, file, more...)
	case name == "":
		return nil, userr.New(userr.BadInput, "there is no experiment file %q: say with --experiment which of those run in "+
			"the workspace %q it is, %s", file, dir, strings.Join(names, " or "))
	case errors.Is(err, fs.ErrNotExist):
		return nil, userr.New(userr.BadInput, "%s is no file, and no experiment that was run in the workspace %q: %s",
			name, dir, wording.Suggest(name, names, "it has "+strings.Join(names, ", ")))
	case err != nil:
		return nil, err
	}
	sets := c.StringSlice("dataset")
	if len(sets) == 0 {
		sets = ran.Datasets
	}
	return openStudy(study{
		file: ran.File, copied: ws.TextOf(name), set: slices.Concat(ran.Set, c.StringSlice("set"), more),
		datasets: sets, workspace: dir,
	})
}

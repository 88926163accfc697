package cli

import (
	"cmp"
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/runs"
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
// without says what such a command uses if the flag is not given.
func experimentFlag(file *string, without string) cli.Flag {
	return &cli.StringFlag{
		Name: "experiment", Destination: file, DefaultText: without,
		Usage: "experiment `FILE` whose models to use",
	}
}

// openExperiment opens the study of an experiment file; "" means experiments.toml. The overrides in
// the list "more" are applied after those in f.
func openExperiment(file string, f runs.File, more ...string) (*runs.Study, error) {
	f.Path, f.Set = cmp.Or(file, defaultFile), slices.Concat(f.Set, more)
	return runs.Open(f)
}

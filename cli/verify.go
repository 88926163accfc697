package cli

import (
	"context"
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/urfave/cli/v2"
)

func verifyCommand(e *env) *cli.Command {
	var f runs.File
	var repair bool
	return leaf(&cli.Command{
		Name:      "verify",
		Usage:     "read every file of an experiment's finished stages and report damage",
		ArgsUsage: "FILE",
		Description: describe("Compares each file with the sha256 that its stage recorded when it ended. "+
			"Before a stage runs, `run` does this for the stages that it reads. Results computed before the damage "+
			"stay.",
			"smlm-exp verify experiments.toml", userr.OK, userr.StageFailed, userr.BadInput),
		Flags: experimentFlags(&f, &cli.BoolFlag{
			Name: "repair", Usage: "remove damaged stages, so that the next run makes them again", Destination: &repair,
		}),
		Action: e.onStudy(&f, func(_ context.Context, s *runs.Study, _ []string) error {
			return verify(e, s, repair)
		}),
	})
}

func verify(e *env, s *runs.Study, repair bool) error {
	if repair {
		if err := s.Workspace.Lock(); err != nil {
			return err
		}
		defer s.Workspace.Unlock()
	}
	damaged := s.Workspace.Verify(s.Plan.Stages...)
	there := len(lists.Filter(s.Plan.Stages, s.Workspace.Done))
	for _, d := range damaged {
		fmt.Fprintf(e.stdout, "%s: %q %s\n", d.Stage.Title(), d.Path, d.What)
		if repair {
			if err := s.Workspace.Remove(s.Workspace.StageDir(d.Stage)); err != nil {
				return err
			}
		}
	}
	switch {
	case len(damaged) == 0:
		fmt.Fprintf(e.stdout, "%s, none damaged\n", wording.Count(there, "finished stage"))
		return nil
	case repair:
		fmt.Fprintf(e.stdout, "%s removed; `%s` makes what is missing\n", wording.Count(len(damaged), "damaged stage"),
			s.Experiment.Command())
		return nil
	}
	return userr.New(userr.StageFailed, "%s: add --repair to remove them, so that the next run makes them again",
		wording.Count(len(damaged), "damaged stage"))
}

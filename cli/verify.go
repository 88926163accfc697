package cli

import (
	"context"
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/urfave/cli/v2"
)

// verifyCommand is the command verify.
func verifyCommand(e *env) *cli.Command {
	var f runs.File
	var repair bool
	return leaf(&cli.Command{
		Name:      "verify",
		Usage:     "read every file of an experiment's finished stages and report damage",
		ArgsUsage: "FILE",
		Description: describe("Compares each file with the sha256 that its stage recorded when it ended. "+
			"`run` does this too, and runs damaged stages again. Results computed from them before the damage "+
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
	there := len(lists.Where(s.Plan.Stages, s.Workspace.Done))
	for _, d := range damaged {
		fmt.Fprintf(e.stdout, "%s: %q %s; %s\n", d.Stage.Title(), d.Path, d.What, resting(s, d.Stage))
		if repair {
			if err := s.Workspace.Remove(s.Workspace.StageDir(d.Stage)); err != nil {
				return err
			}
		}
	}
	switch {
	case len(damaged) == 0:
		fmt.Fprintf(e.stdout, "%s, none damaged\n", wording.Count(there, "finished stage"))
		for _, origin := range results.Unpacked(s.Plan, s.Workspace, stages.Names()) {
			fmt.Fprintln(e.stdout, origin)
		}
		return nil
	case repair:
		fmt.Fprintf(e.stdout, "%s removed; `%s` makes what is missing\n", wording.Count(len(damaged), "damaged stage"),
			s.Experiment.Command())
		return nil
	}
	return userr.New(userr.StageFailed, "%s: `%s` makes them again", wording.Count(len(damaged), "damaged stage"),
		s.Experiment.Command())
}

// resting says which finished stages of the study rest on a stage.
func resting(s *runs.Study, on *plan.Stage) string {
	rests := s.Plan.Resting(func(stage *plan.Stage) bool { return stage == on })
	of := lists.Where(s.Plan.Stages, func(one *plan.Stage) bool {
		return one != on && rests[one] && s.Workspace.Done(one)
	})
	if len(of) == 0 {
		return "no finished stage was computed from it"
	}
	return "computed from it: " +
		wording.Counts(lists.Map(of, func(one *plan.Stage) stage.Name { return one.Name }))
}

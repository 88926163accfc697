package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/search"
	"github.com/urfave/cli/v2"
)

func planCommand(e *Env) *cli.Command {
	return Leaf(&cli.Command{
		Name:      "plan",
		Usage:     "list the stages of an experiment file: done, to run, and how long",
		ArgsUsage: "FILE",
		Description: describe("Checks the file and the data as `run` does, trains nothing and writes nothing. Time, memory "+
			"and disk are guessed by what\n"+
			"like stages in the workspace took; without any they are unknown. docs/workspace.md describes the JSON.",
			"smlm-exp plan experiments.toml", userr.OK, userr.BadInput),
		// What a large plan is made of stays until the process ends: collecting it is half of the
		// time.
		Before: func(*cli.Context) error {
			debug.SetGCPercent(400)
			return nil
		},
		Flags: experimentFlags(&cli.BoolFlag{Name: "json", Usage: "print one JSON document instead of a list"}),
		Action: onStudy(func(c *cli.Context, s *Study) error {
			if s.Plan.Lacks != nil {
				return s.Plan.Lacks
			}
			if err := s.Plan.Check(s.Plan.Stages); err != nil {
				return err
			}
			e.Warn(s)
			if c.Bool("json") {
				return s.WS.WriteJSON(e.Stdout, s.Plan)
			}
			if err := s.WS.WriteListing(e.Stdout, s.Plan); err != nil {
				return err
			}
			lines, err := search.Progress(s.Plan, s.WS)
			for _, line := range lines {
				fmt.Fprintln(e.Stdout, line)
			}
			return err
		}),
	})
}

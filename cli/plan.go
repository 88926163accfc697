package cli

import (
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/urfave/cli/v2"
)

func (e *env) planCommand() *cli.Command {
	return leaf(&cli.Command{
		Name:      "plan",
		Usage:     "list the stages of an experiment file: done, to run, and how long",
		ArgsUsage: "FILE",
		Description: describe("Checks the file and the data as `run` does, trains nothing and writes nothing. Time, memory "+
			"and disk are guessed by what\n"+
			"like stages in the workspace took; without any they are unknown. docs/workspace.md describes the JSON.",
			"smlm-exp plan experiments.toml", userr.OK, userr.BadInput),
		Flags: experimentFlags(&cli.BoolFlag{Name: "json", Usage: "print one JSON document instead of a list"}),
		Action: onStudy(func(c *cli.Context, s *study) error {
			if s.plan.Lacks != nil {
				return s.plan.Lacks
			}
			if err := s.plan.Check(s.plan.Stages); err != nil {
				return err
			}
			e.warn(s)
			if c.Bool("json") {
				return s.ws.WriteJSON(e.stdout, s.plan)
			}
			return s.ws.WriteListing(e.stdout, s.plan)
		}),
	})
}

// Package people has the commands of a human evaluation: blind forms out, votes in.
package cli

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/urfave/cli/v2"
)

// humanCommand is the group of commands of a human evaluation.
func humanCommand(e *Env) *cli.Command {
	return group(&cli.Command{
		Name: "human", Usage: "hand out blind forms for two systems' outputs, and count what comes back",
		Subcommands: []*cli.Command{humanExportCommand(e), tallyCommand(e)},
	})
}

func humanExportCommand(e *Env) *cli.Command {
	return Leaf(&cli.Command{
		Name:      "export",
		Usage:     "write blind forms that ask which of two systems' outputs is better",
		ArgsUsage: "FOLDER FILE A B",
		Description: describe("A and B are rows of FILE's table of results, of one seed: SMLM:decoding=guided,seed=1 or "+
			"DirR. Each annotator\n"+
			"gets form-N.csv, in an order of its own, where either system is first half of the time and none is named;\n"+
			"the column answer takes 1, 2, both (are good) or neither. key.json says which is which: keep it back, and\n"+
			"show key.sha256 beforehand, which proves that the key was not changed. Outputs that are equal are not asked\n"+
			"about. FOLDER must be new or empty.",
			"smlm-exp human export ../votes experiments.toml SMLM:decoding=guided,lambda_con=1.5,lambda_eps=0.5 "+
				"SMLM:decoding=copied,lambda_con=1.5,lambda_eps=0.5",
			userr.OK, userr.StageFailed, userr.BadInput, userr.Interrupted),
		Flags: experimentFlags(
			&cli.IntFlag{Name: "annotators", Usage: "`N` forms", Value: 3, Action: annotatorsWithin},
			&cli.IntFlag{Name: "items", Usage: "`N` sentences of each direction", Value: 50, Action: atLeastOne("items")},
			&cli.Uint64Flag{Name: "seed", Usage: "`N` by which sentences, orders and sides are drawn", Value: 1},
		),
		Action: taking(func(c *cli.Context, args []string) error {
			return interrupted(export(e, c, args), nothing)
		}),
	})
}

// mostAnnotators bounds time and memory, and is more than studies have.
const mostAnnotators = 1000

func annotatorsWithin(_ *cli.Context, n int) error {
	if n < 1 || n > mostAnnotators {
		return userr.New(userr.BadInput, "--annotators is %d and must be 1 to %d, a form for each", n, mostAnnotators)
	}
	return nil
}

func export(e *Env, c *cli.Context, args []string) error {
	dir := args[0]
	if err := emptyFolder(dir); err != nil {
		return err
	}
	s, err := OpenStudy(c, args[1])
	if err != nil {
		return err
	}
	set, err := s.OneDataset()
	if err != nil {
		return err
	}
	found, err := e.Collect(s)
	if err != nil {
		return err
	}
	var rows [2]int
	for i, name := range args[2:] {
		of, err := found.Find(set, name)
		if err != nil {
			return err
		}
		if len(of) > 1 {
			return userr.New(userr.BadInput, "%q means %s, of several seeds: add seed=N", name, wording.Count(len(of), "row"))
		}
		rows[i] = of[0]
	}
	pairs, err := found.Pairs(rows[0], rows[1], s.Plan.Data[set].Labels)
	if err != nil {
		return err
	}
	drawn := human.Draw(pairs, c.Int("items"), c.Uint64("seed"))
	if len(drawn) == 0 {
		return userr.New(userr.BadInput, "%s and %s write the same everywhere: there is nothing to ask", args[2], args[3])
	}
	if items := c.Int("items"); len(drawn) < 2*items {
		fmt.Fprintf(e.Stderr, "smlm-exp: %s in place of %d of each direction: of no more test sentences the outputs differ\n",
			wording.Count(len(drawn), "question"), items)
	}
	if err := makeFolder(dir); err != nil {
		return err
	}
	n := c.Int("annotators")
	study := human.Study{Dataset: set, A: args[2], B: args[3], Seed: c.Uint64("seed")}
	if err := human.Export(c.Context, dir, study, drawn, n); err != nil {
		return err
	}
	fmt.Fprintf(e.Stdout, "wrote %s of %s to %s; when all are filled in: smlm-exp human tally %s\n",
		wording.Count(n, "form"), wording.Count(len(drawn), "question"), dir, dir)
	return nil
}

func tallyCommand(e *Env) *cli.Command {
	return Leaf(&cli.Command{
		Name:      "tally",
		Usage:     "count the votes of filled forms: majority, no agreement, Fleiss' kappa",
		ArgsUsage: "FOLDER",
		Description: describe("Checks the key against key.sha256, writes votes.csv beside the forms, and prints the table "+
			"that an experiment\n"+
			"shows with votes = \"FOLDER/votes.csv\" and \"human\" among its report.tables.",
			"smlm-exp human tally ../votes", userr.OK, userr.BadInput),
		Flags: []cli.Flag{tableFormatFlag()},
		Action: taking(func(c *cli.Context, args []string) error {
			s, votes, err := human.Tally(args[0])
			if err != nil {
				return err
			}
			rows := results.HumanRows(s.Dataset, s.A, s.B, votes)
			return report.Human(rows, report.About{}).Write(e.Stdout, c.String("format"))
		}),
	})
}

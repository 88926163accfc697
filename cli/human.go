package cli

import (
	"context"
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/urfave/cli/v2"
)

// humanCommand is the group of commands of a human evaluation.
func humanCommand(e *env) *cli.Command {
	return group(&cli.Command{
		Name: "human", Usage: "hand out blind forms for two systems' outputs, and count what comes back",
		Subcommands: []*cli.Command{humanExportCommand(e), tallyCommand(e)},
	})
}

// humanExportOptions are the flags of human export.
type humanExportOptions struct {
	file              runs.File
	annotators, items int
	seed              uint64
}

func humanExportCommand(e *env) *cli.Command {
	o := &humanExportOptions{}
	return leaf(&cli.Command{
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
		Flags: experimentFlags(&o.file,
			&cli.IntFlag{Name: "annotators", Usage: "`N` forms", Value: 3, Action: annotatorsWithin, Destination: &o.annotators},
			&cli.IntFlag{
				Name: "items", Usage: "`N` sentences of each direction", Value: 50, Action: atLeastOne("items"),
				Destination: &o.items,
			},
			&cli.Uint64Flag{
				Name: "seed", Usage: "`N` by which sentences, orders and sides are drawn", Value: 1, Destination: &o.seed,
			},
		),
		Action: action(func(ctx context.Context, args []string) error {
			return interrupted(exportForms(ctx, e, o, args), nothing)
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

func exportForms(ctx context.Context, e *env, o *humanExportOptions, args []string) error {
	dir := args[0]
	if err := emptyFolder(dir); err != nil {
		return err
	}
	o.file.Path = args[1]
	s, err := runs.Open(o.file)
	if err != nil {
		return err
	}
	set, err := s.OneDataset()
	if err != nil {
		return err
	}
	found, err := e.collect(s)
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
	styles := s.Plan.Data[set].Labels
	pairs, err := found.Pairs(rows[0], rows[1], styles)
	if err != nil {
		return err
	}
	drawn := human.Draw(pairs, o.items, o.seed)
	if len(drawn) == 0 {
		return userr.New(userr.BadInput, "%s and %s write the same everywhere: there is nothing to ask", args[2], args[3])
	}
	if items := o.items; len(drawn) < items*len(styles.Directions()) {
		fmt.Fprintf(e.stderr, "smlm-exp: %s in place of %d of each direction: of no more test sentences the outputs differ\n",
			wording.Count(len(drawn), "question"), items)
	}
	if err := makeFolder(dir); err != nil {
		return err
	}
	n := o.annotators
	study := human.Study{Dataset: set, A: args[2], B: args[3], Seed: o.seed}
	if err := human.Export(ctx, dir, study, drawn, n); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "wrote %s of %s to %s; when all are filled in: smlm-exp human tally %s\n",
		wording.Count(n, "form"), wording.Count(len(drawn), "question"), dir, dir)
	return nil
}

func tallyCommand(e *env) *cli.Command {
	var format string
	return leaf(&cli.Command{
		Name:      "tally",
		Usage:     "count the votes of filled forms: majority, no agreement, Fleiss' kappa",
		ArgsUsage: "FOLDER",
		Description: describe("Checks the key against key.sha256, writes votes.csv beside the forms, and prints the table "+
			"that an experiment\n"+
			"shows with votes = \"FOLDER/votes.csv\" and \"human\" among its report.tables.",
			"smlm-exp human tally ../votes", userr.OK, userr.StageFailed, userr.BadInput),
		Flags: []cli.Flag{tableFormatFlag(&format)},
		Action: action(func(_ context.Context, args []string) error {
			s, votes, err := human.Tally(args[0])
			if err != nil {
				return err
			}
			rows := results.HumanRows(s.Dataset, s.A, s.B, votes)
			return report.Human(rows, report.About{}).Write(e.stdout, format)
		}),
	})
}

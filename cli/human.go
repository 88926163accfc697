package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/urfave/cli/v2"
)

// humanCommand returns the group of commands for human evaluation.
func humanCommand(e *env) *cli.Command {
	return group(&cli.Command{
		Name: "human", Usage: "human evaluation: write blind sheets for readers, count their answers",
		Subcommands: []*cli.Command{sheetsCommand(e), tallyCommand(e)},
	})
}

// sheetsOptions holds the flags of `human sheets`.
type sheetsOptions struct {
	file           runs.File
	readers, items int
	seed           uint64
	dev            bool
	skip           []string
}

func sheetsCommand(e *env) *cli.Command {
	o := &sheetsOptions{}
	return leaf(&cli.Command{
		Name:      "sheets",
		Usage:     "write blind sheets on which readers rate the outputs of several systems",
		ArgsUsage: "FOLDER FILE SYSTEM [SYSTEM ...]",
		Description: describe("A SYSTEM is a row of FILE's table of results, with one seed: its name in the column System "+
			"and, if several rows share it, the columns that tell them apart, such as "+
			"SMLM:decoding=guided,lambda_eps=0.5, DirR or \"references\".\n\nSend reader N the file sheet-N.html, a form "+
			"for a browser that saves the answers as sheet-N.json; or sheet-N.csv to fill in, with instructions.txt. Each "+
			"sheet has an order of its own, and no system is named. Readers rate every output 0, 1 or 2 for style, content "+
			"and fluency, and mark the best. With two systems, this is also the paper's human evaluation. Do not send "+
			"key.json: it says who wrote what.\n\nUse dev sentences (--dev) to choose among your "+
			"own variants, as often as you like. Test sentences should be rated once: --skip leaves out those of earlier sheets. "+
			"FOLDER must be new or empty.",
			"smlm-exp human sheets sheets experiments.toml \\\n    "+
				"SMLM:decoding=guided,lambda_eps=0.5 \\\n    "+
				"SMLM:decoding=copied,lambda_eps=0.5 --items 5",
			userr.OK, userr.StageFailed, userr.BadInput),
		Flags: experimentFlags(&o.file,
			&cli.IntFlag{
				Name: "readers", Usage: "number `N` of sheets", Value: 3, Action: atLeastOne("readers"),
				Destination: &o.readers,
			},
			&cli.IntFlag{
				Name: "items", Usage: "number `N` of sentences for each direction", Value: 30, Action: atLeastOne("items"),
				Destination: &o.items,
			},
			&cli.Uint64Flag{
				Name: "seed", Usage: "seed `N` that draws the sentences, orders and letters", Value: 1, Destination: &o.seed,
			},
			&cli.BoolFlag{Name: "dev", Usage: "use dev sentences instead of test sentences", Destination: &o.dev},
			&cli.StringSliceFlag{
				Name: "skip", Action: into(&o.skip),
				Usage: "leave out the sentences in `FILE`, key.json or answers.csv of earlier sheets; may be repeated",
			},
		),
		Action: anyArguments(func(_ context.Context, command *cli.Command, args []string) error {
			if len(args) < 3 {
				return checkArguments(command, args, "FOLDER", "FILE", "SYSTEM")
			}
			return exportSheets(e, o, args[0], args[1], args[2:])
		}),
	})
}

func exportSheets(e *env, o *sheetsOptions, dir, file string, systems []string) error {
	if len(systems) > human.MaxSystems {
		return userr.New(userr.BadInput, "%s are too many for one sheet: name at most %d",
			wording.Count(len(systems), "system"), human.MaxSystems)
	}
	if err := files.EmptyFolder(dir); err != nil {
		return err
	}
	o.file.Path = file
	s, err := runs.Open(o.file)
	if err != nil {
		return err
	}
	set, err := s.OneDataset()
	if err != nil {
		return err
	}
	found, err := s.Results()
	if err != nil {
		return err
	}
	rows, err := rowsOf(found, set, systems)
	if err != nil {
		return err
	}
	split := corpus.Test
	if o.dev {
		split = corpus.Dev
	}
	data := s.Plan.Sets[set]
	all, err := found.Outputs(rows, split, data)
	if err != nil {
		return err
	}
	skip := map[human.Sentence]bool{}
	for _, path := range o.skip {
		some, err := human.Skip(path)
		if err != nil {
			return err
		}
		maps.Copy(skip, some)
	}
	drawn := human.Draw(all, o.items, o.seed, skip)
	if len(drawn) == 0 {
		return userr.New(userr.BadInput, "no %s sentence is left to rate: skip fewer files", split)
	}
	if wanted := o.items * len(data.Directions); len(drawn) < wanted {
		fmt.Fprintf(e.stderr, "smlm-exp: only %s are left to rate, not %d\n",
			wording.Count(len(drawn), split.String()+" sentence"), wanted)
	}
	key := human.Key{Dataset: set, Systems: systems, Items: drawn}
	if err := human.Export(dir, key, o.readers, o.seed); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "wrote %s of %s to %s; put the answers there, then run: %s\n",
		wording.Count(o.readers, "sheet"), wording.Count(len(drawn), "sentence"), dir,
		wording.Command("smlm-exp", "human", "tally", wording.Path(dir)))
	return nil
}

// rowsOf finds, for each system, its row in the table of results.
func rowsOf(found *results.Results, set string, systems []string) (rows []*results.System, err error) {
	for i, name := range systems {
		of, err := found.Find(set, name)
		if err != nil {
			return nil, err
		}
		if len(of) > 1 {
			return nil, userr.New(userr.BadInput, "%q means %s with several seeds: name one, such as %q", name,
				wording.Count(len(of), "row"), of[0].Name())
		}
		if k := slices.Index(rows, of[0]); k >= 0 {
			return nil, userr.New(userr.BadInput, "%q and %q are the same row: name each system once", systems[k], systems[i])
		}
		rows = append(rows, of[0])
	}
	return rows, nil
}

func tallyCommand(e *env) *cli.Command {
	var format string
	var readers []string
	return leaf(&cli.Command{
		Name:      "tally",
		Usage:     "count the readers' answers: ratings, agreement, which system is better",
		ArgsUsage: "FOLDER|FILE [FOLDER|FILE ...]",
		Description: describe("FOLDER is a folder of `smlm-exp human sheets` with the readers' answers: sheet-N.json from the "+
			"form, or the filled-in sheet-N.csv. Readers without answers are left out.\n\nPrints shares of the ratings with the "+
			"agreement of the readers, sign tests between systems and, for two systems, the paper's human evaluation: on how "+
			"many sentences one or the other is better, both are good or both are bad. Writes all ratings to "+
			"FOLDER/answers.csv, which contains no sentences and can be used as FILE.",
			"smlm-exp human tally sheets \\\n    --reader \"first person\" --reader \"second person\"",
			userr.OK, userr.StageFailed, userr.BadInput),
		Flags: []cli.Flag{
			tableFormatFlag(&format),
			&cli.StringSliceFlag{
				Name: "reader", Action: into(&readers),
				Usage: "`NAME` of the reader of sheet 1, such as \"first person\" or a model's name; give it again for " +
					"sheet 2 and so on (default: reader 1, reader 2 and so on)",
			},
		},
		Action: anyArguments(func(_ context.Context, command *cli.Command, args []string) error {
			if len(args) == 0 {
				return checkArguments(command, args, "FOLDER")
			}
			return tally(e, args, readers, format)
		}),
	})
}

func tally(e *env, paths, readers []string, format string) error {
	var all human.Ratings
	for _, path := range paths {
		ratings, err := e.ratings(path, readers)
		if err != nil {
			return err
		}
		all = append(all, ratings...)
	}
	if err := all.Check(); err != nil {
		return err
	}
	return table.WriteAll(e.data(), format, report.Human(all))
}

// ratings reads ratings from a file, or from a folder with the sheets that readers filled in.
func (e *env) ratings(path string, readers []string) (human.Ratings, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return human.ReadRatings(path)
	}
	ratings, without, err := human.Tally(path, readers)
	if err != nil {
		return nil, err
	}
	if len(without) > 0 {
		fmt.Fprintf(e.stderr, "smlm-exp: no answers in %s of %s\n", path, strings.Join(without, ", "))
	}
	fmt.Fprintf(e.stderr, "smlm-exp: wrote %s\n", filepath.Join(path, human.AnswersFile))
	return ratings, nil
}

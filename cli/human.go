package cli

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
	"github.com/urfave/cli/v2"
)

// humanCommand is the group of commands of a human evaluation.
func humanCommand(e *env) *cli.Command {
	return group(&cli.Command{
		Name: "human", Usage: "hand out blind forms or sheets of systems' outputs, count what comes back, set metrics beside it, and learn a ranker from it",
		Subcommands: []*cli.Command{
			humanExportCommand(e), sheetsCommand(e), tallyCommand(e), agreementCommand(e), learnCommand(e),
		},
	})
}

// humanExportOptions are the flags of human export.
type humanExportOptions struct {
	file              runs.File
	annotators, items int
	seed              uint64
}

// namesRow says how the row of a system is named.
const namesRow = "FILE's table of results, of one seed: a name in its column System and, where several rows have it, the " +
	"columns that tell them apart"

func humanExportCommand(e *env) *cli.Command {
	o := &humanExportOptions{}
	return leaf(&cli.Command{
		Name:      "export",
		Usage:     "write blind forms that ask which of two systems' outputs is better",
		ArgsUsage: "FOLDER FILE A B",
		Description: describe("A and B are rows of "+namesRow+": SMLM:decoding=guided,seed=1 or DirR. Each annotator gets "+
			"form-N.csv, in an order of its own, where either system is first half of the time and none is named; the "+
			"column answer takes 1, 2, both (are good) or neither. key.json says which is which: keep it back, send a form "+
			"and not the folder, and show key.sha256 beforehand, which proves that the key was not changed. Outputs that "+
			"are equal are not asked about. FOLDER must be new or empty.",
			"smlm-exp human export ../votes experiments.toml \\\n    "+
				"SMLM:decoding=guided,lambda_con=1.5,lambda_eps=0.5 \\\n    "+
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

func annotatorsWithin(_ *cli.Context, n int) error {
	if n < 1 || n > human.MostReaders {
		return userr.New(userr.BadInput, "--annotators is %d and must be 1 to %d, a form for each", n, human.MostReaders)
	}
	return nil
}

func exportForms(ctx context.Context, e *env, o *humanExportOptions, args []string) error {
	dir := args[0]
	if err := emptyFolder(dir); err != nil {
		return err
	}
	o.file.Path = args[1]
	s, err := e.open(o.file)
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
	data := s.Plan.Data[set]
	pairs, err := found.Pairs(rows[0], rows[1], data)
	if err != nil {
		return err
	}
	drawn := human.Draw(pairs, o.items, o.seed)
	if len(drawn) == 0 {
		return userr.New(userr.BadInput, "%s and %s write the same everywhere: there is nothing to ask", args[2], args[3])
	}
	if items := o.items; len(drawn) < items*len(data.Directions) {
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

// sheetsOptions are the flags of human sheets.
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
		Description: describe("A SYSTEM is a row of "+namesRow+": SMLM:decoding=guided,lambda_con=1.5, DirR or "+
			"\"human references\". "+
			"Each reader gets sheet-N.csv, in an order of its own, with no system named and equal outputs once, and gives "+
			"every output 0, 1 or 2 for style, content and fluency, and marks the best; instructions.txt says how. Send "+
			"these two files and not the folder: key.json says who wrote what. key.sha256 may be shown beforehand, and "+
			"proves that the key was not changed. To choose among variants of your own read dev sentences, --dev, as often "+
			"as you like. Test sentences are for what you report, your own systems too, and are read once: --skip leaves "+
			"out those of the sheets before. FOLDER must be new or empty.",
			"smlm-exp human sheets ../read experiments.toml \\\n    "+
				"SMLM:decoding=guided,lambda_con=1.5,lambda_eps=0.5 \\\n    "+
				"SMLM:decoding=copied,lambda_con=1.5,lambda_eps=0.5 \\\n    \"human references\" --items 5",
			userr.OK, userr.StageFailed, userr.BadInput, userr.Interrupted),
		Flags: experimentFlags(&o.file,
			&cli.IntFlag{Name: "readers", Usage: "`N` sheets", Value: 2, Action: readersWithin, Destination: &o.readers},
			&cli.IntFlag{
				Name: "items", Usage: "`N` sentences of each direction", Value: 30, Action: atLeastOne("items"),
				Destination: &o.items,
			},
			&cli.Uint64Flag{
				Name: "seed", Usage: "`N` by which sentences, orders and letters are drawn", Value: 1, Destination: &o.seed,
			},
			&cli.BoolFlag{Name: "dev", Usage: "dev sentences in place of test sentences", Destination: &o.dev},
			&cli.StringSliceFlag{
				Name: "skip", Action: into(&o.skip),
				Usage: "leave the sentences of `FILE` out: key.json or readings.csv of sheets before; may be repeated",
			},
		),
		Action: anyArguments(func(ctx context.Context, command *cli.Command, args []string) error {
			if len(args) < 3 {
				return checkArguments(command, args, "FOLDER", "FILE", "SYSTEM")
			}
			return interrupted(exportSheets(ctx, e, o, args), nothing)
		}),
	})
}

func readersWithin(_ *cli.Context, n int) error {
	if n < 1 || n > human.MostReaders {
		return userr.New(userr.BadInput, "--readers is %d and must be 1 to %d, a sheet for each", n, human.MostReaders)
	}
	return nil
}

func exportSheets(ctx context.Context, e *env, o *sheetsOptions, args []string) error {
	dir, names := args[0], args[2:]
	if err := emptyFolder(dir); err != nil {
		return err
	}
	if len(names) > human.MostSystems {
		return userr.New(userr.BadInput, "%s are too many for one sheet: name at most %d", wording.Count(len(names), "system"),
			human.MostSystems)
	}
	o.file.Path = args[1]
	s, err := e.open(o.file)
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
	var rows []int
	for i, name := range names {
		of, err := found.Find(set, name)
		if err != nil {
			return err
		}
		if len(of) > 1 {
			return userr.New(userr.BadInput, "%q means %s, of several seeds: add seed=N", name, wording.Count(len(of), "row"))
		}
		if k := slices.Index(rows, of[0]); k >= 0 {
			return userr.New(userr.BadInput, "%q and %q are the same row: name each system once", names[k], names[i])
		}
		rows = append(rows, of[0])
	}
	split := corpus.Test
	if o.dev {
		split = corpus.Dev
	}
	data := s.Plan.Data[set]
	all, err := found.Outputs(rows, split, data)
	if err != nil {
		return err
	}
	skip := map[human.Sentence]bool{}
	for _, path := range o.skip {
		directions := lists.Map(data.Directions, data.Labels.Name)
		some, err := human.Skip(path, split.String(), directions)
		if err != nil {
			return err
		}
		maps.Copy(skip, some)
	}
	drawn := human.DrawOutputs(all, o.items, o.seed, skip)
	if len(drawn) == 0 {
		return userr.New(userr.BadInput, "--skip leaves no %s sentence: read other data, or skip fewer files", split)
	}
	if wanted := o.items * len(data.Directions); len(drawn) < wanted {
		fmt.Fprintf(e.stderr, "smlm-exp: there are only %s left to read, not %d\n",
			wording.Count(len(drawn), split.String()+" sentence"), wanted)
	}
	if err := makeFolder(dir); err != nil {
		return err
	}
	if len(names) == 1 {
		fmt.Fprintln(e.stderr, "smlm-exp: of one system alone the column best says nothing: name others to compare it with")
	}
	reading := human.Reading{Dataset: set, Systems: names, Seed: o.seed}
	if err := human.ExportSheets(ctx, dir, reading, drawn, o.readers); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "wrote %s of %s to %s; send each reader a sheet and %s, and keep key.json back; when all are "+
		"filled in: smlm-exp human tally %s\n", wording.Count(o.readers, "sheet"), wording.Count(len(drawn), "sentence"), dir,
		human.SheetGuide, dir)
	return nil
}

func tallyCommand(e *env) *cli.Command {
	var format string
	var readers []string
	return leaf(&cli.Command{
		Name:      "tally",
		Usage:     "count filled forms or sheets: shares, agreement, which system is better",
		ArgsUsage: "FOLDER",
		Description: describe("Checks the key against key.sha256. Of forms it writes votes.csv beside them, and prints the table "+
			"that an "+
			"experiment shows with votes = \"FOLDER/votes.csv\" and \"human\" among its report.tables. Of sheets it writes "+
			"readings.csv, numbers without a sentence, and prints the three tables that an experiment shows with "+
			"readings = [\"FOLDER/readings.csv\"] and \"read\" among its report.tables. In place of sheet-N.csv a program may "+
			"fill in sheet-N.json; answers in both are refused. On standard error it says which lines to add.",
			"smlm-exp human tally ../read \\\n    --reader \"first person\" --reader \"second person\"",
			userr.OK, userr.StageFailed, userr.BadInput),
		Flags: []cli.Flag{
			tableFormatFlag(&format),
			&cli.StringSliceFlag{
				Name: "reader", Action: into(&readers),
				Usage: "`WHO` filled in sheet-1, such as \"first person\" or a model's name; again, with another name, for sheet-2 and " +
					"so on (default: reader 1, reader 2 and so on)",
			},
		},
		Action: action(func(_ context.Context, args []string) error {
			if sheets, err := human.IsReading(args[0]); err != nil {
				return err
			} else if sheets {
				return tallySheets(e, args[0], readers, format)
			}
			if len(readers) > 0 {
				return userr.New(userr.BadInput, "--reader is for sheets, and %q has forms: leave it out", args[0])
			}
			s, votes, err := human.Tally(args[0])
			if err != nil {
				return err
			}
			rows := results.HumanRows(s.Dataset, s.A, s.B, votes)
			if err := report.Human(rows, report.About{}).Write(e.data(), format); err != nil {
				return err
			}
			tellLines(e, filepath.Join(args[0], human.VoteFile), s.Dataset, "human", func(path string) string {
				return fmt.Sprintf("votes = %s\nvoted_on = [%q, %q]", path, s.A, s.B)
			})
			return nil
		}),
	})
}

// tallySheets prints what the sheets of a folder say.
func tallySheets(e *env, dir string, readers []string, format string) error {
	r, readings, err := human.TallySheets(dir, readers)
	if err != nil {
		return err
	}
	tables := report.Read([]report.ReadDataset{{Dataset: r.Dataset, Readings: readings}}, report.About{})
	if err := table.WriteAll(e.data(), format, tables); err != nil {
		return err
	}
	tellLines(e, filepath.Join(dir, human.ReadingsFile), r.Dataset, "read", func(path string) string {
		return fmt.Sprintf("readings = [%s]", path)
	})
	return nil
}

// tellLines says on standard error, apart from tables that a program may read, what tally wrote,
// and the lines by which an experiment shows it.
func tellLines(e *env, path, dataset, table string, keys func(path string) string) {
	fmt.Fprintf(e.stderr, "smlm-exp: wrote %s; an experiment shows it with these lines under their headings, the path being "+
		"relative to its file; no stage runs anew:\n[datasets.%s]\n%s\n[report]\ntables = [\"results\", %q]\n",
		path, dataset, keys(strconv.Quote(path)), table)
}

func agreementCommand(e *env) *cli.Command {
	var file runs.File
	var format string
	return leaf(&cli.Command{
		Name:      "agreement",
		Usage:     "say how far each metric agrees with what readers say",
		ArgsUsage: "FILE",
		Description: describe("Sets metrics beside what readers said of test outputs, in the files that FILE's data sets name "+
			"as readings, and prints two tables: of every two outputs of a sentence, how often each metric and judge points to "+
			"the one that readers find better, by style, content, fluency and all three; and how far each puts the systems in "+
			"the order of readers, with intervals. The table \"read\" has both too. Trains nothing.",
			"smlm-exp human agreement experiments.toml \\\n    --set \"datasets.yelp.readings=['../read/readings.csv']\"",
			userr.OK, userr.StageFailed, userr.BadInput),
		Flags: experimentFlags(&file, tableFormatFlag(&format)),
		Action: e.onStudy(&file, func(_ context.Context, s *runs.Study, _ []string) error {
			return printAgreement(e, s, format)
		}),
	})
}

func printAgreement(e *env, s *runs.Study, format string) error {
	if r := &s.Experiment.Report; !slices.Contains(r.Tables, "read") {
		r.Tables = append(r.Tables, "read")
	}
	found, err := e.collect(s)
	if err != nil {
		return err
	}
	if len(found.Read) == 0 {
		return userr.New(userr.BadInput, "no data set of %s has readings: write readings = [\"FOLDER/readings.csv\"] under its "+
			"heading, with a file that `smlm-exp human tally` wrote", s.Experiment.File)
	}
	tellMissing(e, found)
	tables := lists.Where(found.Agreement(), func(t *table.Table) bool { return len(t.Rows) > 0 })
	if len(tables) == 0 {
		fmt.Fprintln(e.stderr, "smlm-exp: no metric is known of two test outputs between which the readers decide")
	}
	return table.WriteAll(e.data(), format, tables)
}

func learnCommand(e *env) *cli.Command {
	var format string
	var asJSON bool
	return leaf(&cli.Command{
		Name:      "learn",
		Usage:     "fit the ranker of guided.ranked to outputs that readers rated",
		ArgsUsage: "FILE",
		Description: describe("FILE is a CSV of rated outputs, numbers without a sentence, such as docs/results/ranker-new.csv "+
			"and ranker-pretrained.csv, of which the shipped ranker was fitted. Prints how often the ranker, and each of the "+
			"numbers that it looks at, points to the output that readers prefer: a sentence is ranked by what was fitted on "+
			"nine tenths of the others. Trains nothing else.",
			"smlm-exp human learn docs/results/ranker-pretrained.csv",
			userr.OK, userr.StageFailed, userr.BadInput),
		Flags: []cli.Flag{
			tableFormatFlag(&format),
			&cli.BoolFlag{Name: "json", Usage: "print the weights as JSON instead of a table", Destination: &asJSON},
		},
		Action: action(func(_ context.Context, args []string) error {
			rated, err := guided.ReadRated(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(e.data(), guided.Fit(rated))
			}
			return printLearned(e, rated, format)
		}),
	})
}

func printLearned(e *env, rated []guided.Rated, format string) error {
	a := guided.CrossValidate(rated)
	if a.Pairs == 0 {
		return userr.New(userr.BadInput, "readers give no two outputs of a sentence totals a point or more apart: nothing can "+
			"be learned; have more outputs of the same sentences rated")
	}
	rows := []report.LearnedRow{{Number: "the ranker", Right: a.Ranker}}
	for f, name := range guided.FeatureNames {
		rows = append(rows, report.LearnedRow{Number: name, Right: a.Features[f]})
	}
	note := fmt.Sprintf("Flawless by readers: %.1f %% of the ratings of all %d outputs, %.1f of those that the ranker chooses, "+
		"%.1f of the best of each sentence.", 100*a.Mean, len(rated), 100*a.Chosen, 100*a.Best)
	return report.Learned(rows, a.Pairs, note).Write(e.data(), format)
}

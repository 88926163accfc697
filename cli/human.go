package cli

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
	"github.com/urfave/cli/v2"
)

// humanCommand is the group of commands of a human evaluation.
func humanCommand(e *env) *cli.Command {
	return group(&cli.Command{
		Name: "human", Usage: "have people judge outputs: write blind forms or sheets, count the answers, " +
			"compare metrics with them, fit a ranker",
		Subcommands: []*cli.Command{
			humanExportCommand(e), sheetsCommand(e), choicesCommand(e), tallyCommand(e), agreementCommand(e),
			learnCommand(e),
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
const namesRow = "FILE's table of results, with one seed: its name in the column System and, if several rows " +
	"share it, the columns that tell them apart"

func humanExportCommand(e *env) *cli.Command {
	o := &humanExportOptions{}
	return leaf(&cli.Command{
		Name:      "export",
		Usage:     "write blind forms that ask which of two systems' outputs is better",
		ArgsUsage: "FOLDER FILE A B",
		Description: describe("A and B are rows of "+namesRow+", such as SMLM:decoding=guided,seed=1 or "+
			"DirR.\n\nEach annotator gets a file form-N.csv, in an order of its own. No system is named, and "+
			"each system comes first in half of the items. The column answer takes 1, 2, both (are good) or "+
			"neither. Sentences for which both systems write the same are left out.\n\nkey.json says which "+
			"output is whose: keep it, and send a form, never the folder. Show key.sha256 beforehand; it "+
			"proves later that the key was not changed. FOLDER must be new or empty.",
			"smlm-exp human export ../votes experiments.toml \\\n    "+
				"SMLM:decoding=guided,lambda_eps=0.5 \\\n    "+
				"SMLM:decoding=copied,lambda_eps=0.5",
			userr.OK, userr.StageFailed, userr.BadInput, userr.Interrupted),
		Flags: experimentFlags(&o.file,
			&cli.IntFlag{Name: "annotators", Usage: "number `N` of forms", Value: 3, Action: annotatorsWithin, Destination: &o.annotators},
			&cli.IntFlag{
				Name: "items", Usage: "number `N` of sentences for each direction", Value: 50, Action: atLeastOne("items"),
				Destination: &o.items,
			},
			&cli.Uint64Flag{
				Name: "seed", Usage: "seed `N` of the draw of sentences, orders and sides", Value: 1, Destination: &o.seed,
			},
		),
		Action: action(func(ctx context.Context, args []string) error {
			return interrupted(exportForms(ctx, e, o, args), nothing)
		}),
	})
}

func annotatorsWithin(_ *cli.Context, n int) error {
	if n < 1 || n > human.MostReaders {
		return userr.New(userr.BadInput, "--annotators is %d, but must be from 1 to %d: one form for each", n, human.MostReaders)
	}
	return nil
}

// openForReaders opens an experiment with one data set, whose name it returns, for what readers are
// to get in a new folder.
func (e *env) openForReaders(dir, path string, file *runs.File) (s *runs.Study, set string, err error) {
	if err := files.EmptyFolder(dir); err != nil {
		return nil, "", err
	}
	file.Path = path
	if s, err = runs.Open(*file); err != nil {
		return nil, "", err
	}
	set, err = s.OneDataset()
	return s, set, err
}

func exportForms(ctx context.Context, e *env, o *humanExportOptions, args []string) error {
	dir := args[0]
	s, set, err := e.openForReaders(dir, args[1], &o.file)
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
			return userr.New(userr.BadInput, "%q means %s with several seeds: add seed=N", name, wording.Count(len(of), "row"))
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
		return userr.New(userr.BadInput, "%s and %s write the same outputs everywhere: there is nothing to ask", args[2], args[3])
	}
	if items := o.items; len(drawn) < items*len(data.Directions) {
		fmt.Fprintf(e.stderr, "smlm-exp: %s in place of %d for each direction: no more test sentences have "+
			"different outputs\n",
			wording.Count(len(drawn), "question"), items)
	}
	n := o.annotators
	study := human.Study{Dataset: set, A: args[2], B: args[3], Seed: o.seed}
	if err := human.Export(ctx, dir, study, drawn, n); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "wrote %s of %s to %s; when all are filled in, run: smlm-exp human tally %s\n",
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
		Description: describe("A SYSTEM is a row of "+namesRow+", such as "+
			"SMLM:decoding=guided,lambda_eps=0.5, DirR or \"human references\".\n\nEach reader gets a file "+
			"sheet-N.csv, in an order of its own. No system is named, and equal outputs appear once. Readers "+
			"rate every output 0, 1 or 2 for style, content and fluency, and mark the best one; "+
			"instructions.txt explains how. Send these two files, never the folder: key.json says who wrote "+
			"what. You may show key.sha256 beforehand; it proves later that the key was not changed.\n\nTo "+
			"choose among your own variants, have dev sentences read (--dev), as often as you like; those from "+
			"which a rater learned are left out. Test sentences are for the systems that you report, your own "+
			"included, and are read once: --skip leaves out the sentences of earlier sheets. FOLDER must be new "+
			"or empty.",
			"smlm-exp human sheets ../read experiments.toml \\\n    "+
				"SMLM:decoding=guided,lambda_eps=0.5 \\\n    "+
				"SMLM:decoding=copied,lambda_eps=0.5 \\\n    \"human references\" --items 5",
			userr.OK, userr.StageFailed, userr.BadInput, userr.Interrupted),
		Flags: experimentFlags(&o.file,
			&cli.IntFlag{Name: "readers", Usage: "number `N` of sheets", Value: 2, Action: readersWithin, Destination: &o.readers},
			&cli.IntFlag{
				Name: "items", Usage: "number `N` of sentences for each direction", Value: 30, Action: atLeastOne("items"),
				Destination: &o.items,
			},
			&cli.Uint64Flag{
				Name: "seed", Usage: "seed `N` of the draw of sentences, orders and letters", Value: 1, Destination: &o.seed,
			},
			&cli.BoolFlag{Name: "dev", Usage: "use dev sentences in place of test sentences", Destination: &o.dev},
			&cli.StringSliceFlag{
				Name: "skip", Action: into(&o.skip),
				Usage: "leave out the sentences in `FILE`, key.json or readings.csv of earlier sheets; may be " +
					"repeated",
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
		return userr.New(userr.BadInput, "--readers is %d, but must be from 1 to %d: one sheet for each", n, human.MostReaders)
	}
	return nil
}

func exportSheets(ctx context.Context, e *env, o *sheetsOptions, args []string) error {
	dir, names := args[0], args[2:]
	if len(names) > human.MostSystems {
		return userr.New(userr.BadInput, "%s are too many for one sheet: name at most %d", wording.Count(len(names), "system"),
			human.MostSystems)
	}
	s, set, err := e.openForReaders(dir, args[1], &o.file)
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
			return userr.New(userr.BadInput, "%q means %s with several seeds: add seed=N", name, wording.Count(len(of), "row"))
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
		some, err := human.Skip(path, split.String(), fromEach(data.Labels, data.Directions))
		if err != nil {
			return err
		}
		maps.Copy(skip, some)
	}
	if o.dev {
		e.leaveOutRated(all, data, skip)
	}
	drawn := human.DrawOutputs(all, o.items, o.seed, skip)
	if len(drawn) == 0 {
		return userr.New(userr.BadInput, "no %s sentence is left to read: use other data, or skip fewer files", split)
	}
	if wanted := o.items * len(data.Directions); len(drawn) < wanted {
		fmt.Fprintf(e.stderr, "smlm-exp: only %s are left to read, not %d\n",
			wording.Count(len(drawn), split.String()+" sentence"), wanted)
	}
	if len(names) == 1 {
		fmt.Fprintln(e.stderr, "smlm-exp: with only one system the column best says nothing: name other "+
			"systems to compare it with")
	}
	reading := human.Reading{Dataset: set, Systems: names, Seed: o.seed}
	if err := human.ExportSheets(ctx, dir, reading, drawn, o.readers); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "wrote %s of %s to %s; send each reader a sheet and %s, and keep key.json; when all "+
		"are filled in, run: smlm-exp human tally %s\n", wording.Count(o.readers, "sheet"), wording.Count(len(drawn), "sentence"), dir,
		human.SheetGuide, dir)
	return nil
}

// leaveOutRated adds to skip the dev sentences whose outputs were rated: a rater has learned from
// them, so its choice there says little of other sentences.
func (e *env) leaveOutRated(all []human.Outputs, data *plan.Data, skip map[human.Sentence]bool) {
	n := 0
	for _, s := range all {
		if data.Rated.Has(s.Direction, strings.Fields(s.Source)) {
			skip[s.Key()] = true
			n++
		}
	}
	if n > 0 {
		fmt.Fprintf(e.stderr, "smlm-exp: left out %s of %d, from which a rater learned (datasets.%s.ratings)\n",
			wording.Count(n, "dev sentence"), len(all), data.Name)
	}
}

// fromEach returns the names of the directions from each style.
func fromEach(labels corpus.Styles, directions []corpus.Direction) [][]string {
	from := make([][]string, labels.N())
	for _, d := range directions {
		if d.From != corpus.NoStyle {
			from[d.From] = append(from[d.From], labels.Name(d))
		}
	}
	return from
}

func tallyCommand(e *env) *cli.Command {
	var format string
	var readers []string
	return leaf(&cli.Command{
		Name:      "tally",
		Usage:     "count filled forms or sheets: shares, agreement, which system is better",
		ArgsUsage: "FOLDER",
		Description: describe("Checks key.json against key.sha256.\n\nFor forms, it writes votes.csv beside "+
			`them and prints the table "human". An experiment shows this table if it has votes = `+
			`"FOLDER/votes.csv" and "human" in report.tables. For sheets, it writes readings.csv, which `+
			`contains numbers and no sentences, and prints the three tables of "read". An experiment shows `+
			`them if it has readings = ["FOLDER/readings.csv"] and "read" in report.tables. The lines to add `+
			"are printed to standard error. For sheets of `smlm-exp human choices`, it only writes "+ratedFile+
			", for `smlm-exp human learn`.\n\nA program may fill in sheet-N.json in place of sheet-N.csv; "+
			"answers in both are refused.",
			"smlm-exp human tally ../read \\\n    --reader \"first person\" --reader \"second person\"",
			userr.OK, userr.StageFailed, userr.BadInput),
		Flags: []cli.Flag{
			tableFormatFlag(&format),
			&cli.StringSliceFlag{
				Name: "reader", Action: into(&readers),
				Usage: "`WHO` filled in sheet-1, such as \"first person\" or a model's name; give it again, " +
					"with another name, for sheet-2 and so on (default: reader 1, reader 2 and so on)",
			},
		},
		Action: action(func(_ context.Context, args []string) error {
			sheets, choices, err := human.IsReading(args[0])
			switch {
			case err != nil:
				return err
			case sheets && !choices:
				return tallySheets(e, args[0], readers, format)
			case len(readers) > 0 && choices:
				return userr.New(userr.BadInput, "--reader is for sheets of systems, but those in %q are of `smlm-exp human "+
					"choices`, and %s names no reader: leave it out", args[0], ratedFile)
			case len(readers) > 0:
				return userr.New(userr.BadInput, "--reader is for sheets, but %q contains forms: leave it out", args[0])
			case choices:
				return tallyChoices(e, args[0])
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
	fmt.Fprintf(e.stderr, "smlm-exp: wrote %s; to show it in an experiment, add these lines under their "+
		"headings (the path is relative to the experiment file; no stage runs "+
		"again):\n[datasets.%s]\n%s\n[report]\ntables = [\"results\", %q]\n",
		path, dataset, keys(strconv.Quote(path)), table)
}

func agreementCommand(e *env) *cli.Command {
	var file runs.File
	var format string
	return leaf(&cli.Command{
		Name:      "agreement",
		Usage:     "measure how well each metric agrees with human readers",
		ArgsUsage: "FILE",
		Description: describe("Compares metrics with readers' ratings of test outputs, from the files that "+
			"FILE's data sets name as readings. Prints two tables. The first says how often each metric or "+
			"judge prefers the same one of two outputs of a sentence as the readers do, by style, content, "+
			"fluency and their sum. The second says how well each metric ranks the systems as readers do, "+
			`with intervals. Both are also in the table "read". Trains nothing.`,
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
		return userr.New(userr.BadInput, "no data set of %s has readings: add readings = "+
			"[\"FOLDER/readings.csv\"] under its heading, with a file that `smlm-exp human tally` wrote", s.Experiment.File)
	}
	tellMissing(e, found)
	tables := lists.Where(found.Agreement(), func(t *table.Table) bool { return len(t.Rows) > 0 })
	if len(tables) == 0 {
		fmt.Fprintln(e.stderr, "smlm-exp: there are no two test outputs of a sentence that readers rate "+
			"differently and a metric measured")
	}
	return table.WriteAll(e.data(), format, tables)
}

func learnCommand(e *env) *cli.Command {
	var format string
	var asJSON bool
	return leaf(&cli.Command{
		Name:      "learn",
		Usage:     "fit a ranker to rated outputs and see how often it agrees with readers",
		ArgsUsage: "FILE",
		Description: describe("FILE is a CSV file of rated outputs, with numbers and new words but no sentences, such as "+
			"docs/results/ranker-new.csv and ranker-pretrained.csv. The shipped ranker was fitted to these "+
			"two, and for outputs with deleted or inserted words to ranker-negations.csv. Prints how often the "+
			"ranker, and each number that it reads, prefers the output that readers prefer (cross-validated: each "+
			"sentence is ranked by a fit on nine tenths of the others). An experiment ranks by the shipped ranker; "+
			"your ratings change what is chosen through guided.rated.",
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
			a := guided.CrossValidate(rated)
			if a.Pairs == 0 {
				return userr.New(userr.BadInput, "%q has no two outputs of a sentence with totals a point or more apart, so "+
					"nothing can be learned: have more outputs of the same sentences rated", args[0])
			}
			if asJSON {
				return writeJSON(e.data(), guided.Fit(rated))
			}
			return printLearned(e, a, len(rated), format)
		}),
	})
}

func printLearned(e *env, a guided.Agreement, outputs int, format string) error {
	rows := []report.LearnedRow{{Number: "the ranker", Right: a.Ranker}}
	for f, name := range guided.FeatureNames {
		rows = append(rows, report.LearnedRow{Number: name, Right: a.Features[f]})
	}
	note := fmt.Sprintf("Flawless outputs by readers' ratings: %.1f %% of all %d outputs, %.1f %% of those "+
		"that the ranker chooses, %.1f %% of the best for each sentence.", 100*a.Mean, outputs, 100*a.Chosen, 100*a.Best)
	return report.Learned(rows, a.Pairs, note).Write(e.data(), format)
}

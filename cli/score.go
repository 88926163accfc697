package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/metrics/embedding"
	"github.com/smlm-exp/smlm-exp/metrics/meteor"
	"github.com/smlm-exp/smlm-exp/metrics/naturalness"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/urfave/cli/v2"
)

// scoreOptions holds the flags of `score`. If a flag is given once per direction, its values are in
// the order of --direction or, without --direction, from style 0 to 1 and from 1 to 0.
type scoreOptions struct {
	directions  []string // "FROM -> TO"; nil means both directions of styles 0 and 1 (with one output, the first)
	asked       []direction
	sources     []string // one file per direction
	outputs     []string // one file per direction
	against     []string // outputs of another system, one file per direction; nil means no comparison
	references  []string // files of the first set, one per direction, then of the second set; nil means no r-BLEU
	naturalness string   // file of unigram weights; "" means no naturalness
	vectors     string   // file of word vectors; "" means no embedding metrics
	wordnet     string   // folder; "" means the usual places, "none" means no METEOR
	experiment  string   // experiment with the judges; "" means the files above
	file        runs.File
	format      string // format of the tables
	json        bool   // print JSON instead of tables
}

func scoreCommand(e *env) *cli.Command {
	o := &scoreOptions{}
	return leaf(&cli.Command{
		Name: "score",
		Usage: "measure the outputs of any system: TST%, BLEU, METEOR, ROUGE-L, CIDEr, embedding metrics, " +
			"naturalness, perplexity, diversity, lengths, and signs of collapse, copying and shortening",
		Description: describe("Line i of an output file is the rewrite of line i of its source file. Give the "+
			"files of style 0 first, then those of style 1. Or give the files of one or more directions, each "+
			"after its --direction. Texts are compared as they are: tokenise outputs, sources and references "+
			"in the same way (a warning says if they look different). METEOR needs WordNet (Debian: "+
			"wordnet-base).\n\nWith --experiment, the sources are the test sentences of an experiment that has "+
			"been run, and its judges and references give the same columns as its tables. Nothing is trained.\n\n"+
			"With --against, a second system is tested against the first by paired bootstrap.",
			"smlm-exp score --experiment mine.toml --output out.0.txt --output out.1.txt\n"+
				"smlm-exp score --source test.0.txt --source test.1.txt \\\n    "+
				"--reference ref.0.txt --reference ref.1.txt \\\n    --output out.0.txt --output out.1.txt --json\n"+
				"smlm-exp score --direction \"rude -> polite\" --source test.txt --output out.txt",
			userr.OK, userr.StageFailed, userr.BadInput, userr.NoTorch, userr.Interrupted),
		Flags: experimentFlags(&o.file,
			experimentFlag(&o.experiment, "none; only the given files count"),
			&cli.StringSliceFlag{Name: "source", Action: into(&o.sources), Usage: "`FILE` of source " +
				"sentences; give it once for each direction"},
			&cli.StringSliceFlag{Name: "output", Action: into(&o.outputs), Usage: "`FILE` of outputs for " +
				"these sources; give it once for each direction"},
			&cli.StringSliceFlag{Name: "against", Action: into(&o.against), Usage: "`FILE` of another " +
				"system's outputs; give it once for each direction"},
			&cli.StringSliceFlag{Name: "reference", Action: into(&o.references), Usage: "`FILE` of human " +
				"rewrites of these sources; give it once for each direction, and again for further sets"},
			&cli.StringSliceFlag{Name: "direction", Action: into(&o.directions), Usage: "`\"FROM -> TO\"`, " +
				"the styles of the files that follow; give it once for each direction (default: from style 0 " +
				"to 1, then from 1 to 0)"},
			&cli.StringFlag{Name: "naturalness", Destination: &o.naturalness, Usage: "`FILE` of unigram weights, for naturalness"},
			&cli.StringFlag{
				Name: "vectors", Destination: &o.vectors,
				Usage: "`FILE` of word vectors (GloVe, word2vec or fastText text format; .gz too), for the " +
					"embedding metrics",
			},
			&cli.StringFlag{
				Name: "wordnet", Destination: &o.wordnet, Usage: "`FOLDER` of WordNet's database, or none to " +
					"leave METEOR out",
				DefaultText: "looked for in the usual places",
			},
			tableFormatFlag(&o.format),
			&cli.BoolFlag{Name: "json", Usage: "print one JSON document instead of tables", Destination: &o.json},
		),
		Action: action(func(ctx context.Context, _ []string) error { return score(ctx, e, o) }),
	})
}

func score(ctx context.Context, e *env, o *scoreOptions) error {
	if o.experiment != "" {
		return scoreInStudy(ctx, e, o)
	}
	if given := givenOf(&o.file); len(given) > 0 {
		return userr.New(userr.BadInput, "--%s works only with --experiment: give that too, or leave it out", given[0])
	}
	if err := o.check(); err != nil {
		return err
	}
	var dirs, against []metrics.Input
	for k, d := range o.asked {
		in, err := o.read(e, k, d)
		if err != nil {
			return err
		}
		dirs = append(dirs, in)
		if o.against != nil {
			other := in
			other.Output, err = readAligned(e.readOutputs, o.against[k], o.sources[k], len(in.Source))
			if err != nil {
				return err
			}
			against = append(against, other)
		}
		warnOfLines(e, o, dirs, against)
	}
	with, err := o.instruments(e, dirs, against)
	if err != nil {
		return err
	}
	if with.METEOR == nil && o.wordnet != experiment.NoWordNet {
		fmt.Fprintln(e.stderr, "smlm-exp: METEOR is left out, because WordNet is not on this machine: install "+
			"it (Debian: wordnet-base), or name its folder with --wordnet (--wordnet none leaves METEOR out)")
	}
	r, err := scoreOne(ctx, dirs, with)
	if err != nil {
		return err
	}
	out := scored{Scores: r}
	if o.against != nil {
		if out.Against, err = scoreOne(ctx, against, with); err != nil {
			return err
		}
		one := func(s *metrics.Scores) [][][]metrics.Sentence { return [][][]metrics.Sentence{s.Sentences} }
		out.Comparison, err = results.CompareUntil(ctx, one(r), one(out.Against))
		if err != nil {
			return err
		}
	}
	if o.json {
		return writeJSON(e.data(), out)
	}
	return table.WriteAll(e.data(), o.format, out.tables())
}

// The type scored is the JSON output of `score`. With --against, it also has the scores of the
// other system and the results of the significance tests.
type scored struct {
	*metrics.Scores
	Against    *metrics.Scores      `json:"against,omitempty"`
	Comparison []metrics.Comparison `json:"comparison,omitempty"`
}

func (s scored) tables() []*table.Table {
	tables := []*table.Table{report.Score(s.Scores)}
	if s.Against != nil {
		var rows []report.SignificanceRow
		for _, c := range s.Comparison {
			rows = append(rows, report.SignificanceRow{
				A: "output", B: "against", Resamples: metrics.Resamples, Comparison: c,
				SignA: metrics.Signs(s.Flaws()), SignB: metrics.Signs(s.Against.Flaws()),
			})
		}
		tables = append(tables, report.Score(s.Against), report.Significance(rows, report.About{}))
		tables[1].Name, tables[1].Title = "score-against", "Scores of the outputs given with --against."
	}
	return tables
}

// scoreOne computes the scores of one system.
func scoreOne(
	ctx context.Context, dirs []metrics.Input, with metrics.Instruments,
) (*metrics.Scores, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r, err := metrics.Score(dirs, with)
	if err != nil {
		return nil, err
	}
	r.Intervals = metrics.Intervals(r.Sentences, metrics.Resamples)
	return r, nil
}

// check returns an error if flags contradict each other or are incomplete. It also sets the
// directions.
func (o *scoreOptions) check() error {
	if err := o.direct(); err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		files []string
		wrong bool
	}{
		{"source", o.sources, len(o.sources) != len(o.asked)},
		{"output", o.outputs, len(o.outputs) != len(o.asked)},
		{"reference", o.references, len(o.references)%len(o.asked) != 0},
		{"against", o.against, len(o.against) != 0 && len(o.against) != len(o.asked)},
	} {
		if f.wrong {
			return userr.New(userr.BadInput, "--%s must be given once for each direction (%s), but is given %s", f.name,
				strings.Join(lists.Map(o.asked, direction.name), ", then "),
				wording.Count(len(f.files), "time"))
		}
	}
	return nil
}

// direction has the names of a source style and a target style.
type direction struct{ from, to string }

func (d direction) name() string { return d.from + " to " + d.to }

// The method direct sets the directions of the files.
func (o *scoreOptions) direct() error {
	if len(o.directions) == 0 {
		o.asked = []direction{{"0", "1"}, {"1", "0"}}
		if len(o.outputs) == 1 {
			o.asked = o.asked[:1]
		}
		return nil
	}
	for _, text := range o.directions {
		from, to, arrow := corpus.CutDirection(text)
		if !arrow || from == to || from == "" || to == "" {
			return userr.New(userr.BadInput, `--direction is %q: write it like "rude -> polite", with two `+
				"styles", text)
		}
		if c := wording.Control(text); c >= 0 {
			return userr.New(userr.BadInput, "--direction is %q, which contains the control character %U, and no table "+
				"can show it: remove it", text, c)
		}
		d := direction{from, to}
		if slices.Contains(o.asked, d) {
			return userr.New(userr.BadInput, "--direction %q is given twice: score each direction once", text)
		}
		o.asked = append(o.asked, d)
	}
	return nil
}

// read reads the files of the k-th direction, which is d.
func (o *scoreOptions) read(e *env, k int, d direction) (in metrics.Input, err error) {
	in = metrics.Input{From: d.from, To: d.to}
	source := o.sources[k]
	if in.Source, err = corpus.ReadLines(source); err != nil {
		return in, err
	}
	if in.Output, err = readAligned(e.readOutputs, o.outputs[k], source, len(in.Source)); err != nil {
		return in, err
	}
	for _, path := range o.referencesOf(k) {
		set, err := readAligned(corpus.ReadReferences, path, source, len(in.Source))
		if err != nil {
			return in, err
		}
		in.References = append(in.References, set)
	}
	return in, nil
}

// readOutputs reads a file of outputs. It prints a warning if reading changes or cuts lines.
func (e *env) readOutputs(path string) ([]corpus.Sentence, error) {
	outputs, warning, err := corpus.CheckOutputs(path)
	if warning != "" {
		fmt.Fprintf(e.stderr, "smlm-exp: %s: %s\n", path, warning)
	}
	return outputs, err
}

// referencesOf returns the reference files of the k-th direction, one for each set of references.
func (o *scoreOptions) referencesOf(k int) (files []string) {
	for i := k; i < len(o.references); i += len(o.asked) {
		files = append(files, o.references[i])
	}
	return files
}

// readAligned reads a file that must have one line for each of the n lines of the file "sources".
func readAligned(
	read func(path string) ([]corpus.Sentence, error), path, sources string, n int,
) ([]corpus.Sentence, error) {
	lines, err := read(path)
	if err != nil {
		return nil, err
	}
	if len(lines) != n {
		return nil, userr.New(
			userr.BadInput, "%q has %s, but %q has %d: both need one line per sentence, in the same order", path,
			wording.Count(len(lines), "line"), sources, n,
		)
	}
	return lines, nil
}

// instruments loads what metrics need, such as word vectors. It loads only the vectors of words
// that occur in the systems' texts.
func (o *scoreOptions) instruments(e *env, systems ...[]metrics.Input) (metrics.Instruments, error) {
	var with metrics.Instruments
	if o.naturalness != "" {
		nat, err := naturalness.Load(o.naturalness)
		if err != nil {
			return with, err
		}
		with.Naturalness = nat
	}
	if o.vectors != "" {
		v, err := embedding.LoadOnly(o.vectors, wordsOf(systems))
		if err != nil {
			return with, err
		}
		warning, err := v.CheckCoverage(o.vectors, texts(systems)...)
		if err != nil {
			return with, err
		}
		if warning != "" {
			fmt.Fprintf(e.stderr, "smlm-exp: %s\n", warning)
		}
		with.Embedding = embedding.NewJudge(v, filepath.Base(o.vectors))
	}
	if o.wordnet == experiment.NoWordNet {
		return with, nil
	}
	dir, ok := meteor.Find(o.wordnet)
	if !ok && o.wordnet == "" {
		return with, nil
	}
	if !ok {
		return with, userr.New(
			userr.BadInput,
			"--wordnet: there is no WordNet in %q: name the folder that contains data.noun and index.noun, or "+
				"none",
			o.wordnet,
		)
	}
	m, err := meteor.New(dir)
	if err != nil {
		return with, err
	}
	with.METEOR = m
	return with, nil
}

// texts returns the sources and outputs of the systems.
func texts(systems [][]metrics.Input) (texts [][][]string) {
	for _, dirs := range systems {
		for k := range dirs {
			texts = append(texts, dirs[k].Source, dirs[k].Output)
		}
	}
	return texts
}

// wordsOf returns a function that reports whether a word occurs in the systems' sources or outputs.
func wordsOf(systems [][]metrics.Input) func(string) bool {
	known := map[string]bool{}
	for _, text := range texts(systems) {
		for _, words := range text {
			for _, word := range words {
				known[word] = true
			}
		}
	}
	return func(word string) bool { return known[word] }
}

// warnOfLines checks the direction that was read last. It warns if outputs or references look
// tokenised or cased differently from the sources, or if a line seems to be missing or doubled.
func warnOfLines(e *env, o *scoreOptions, dirs, against []metrics.Input) {
	say := func(path, warning string) {
		if warning != "" {
			fmt.Fprintf(e.stderr, "smlm-exp: %s: %s\n", path, warning)
		}
	}
	k := len(dirs) - 1
	in := &dirs[k]
	besideSources := func(path, texts string, lines []corpus.Sentence) {
		say(path, metrics.TokenisationWarning(texts, in.Source, lines))
		say(path, metrics.ShiftWarning(texts, in.Source, lines))
	}
	besideSources(o.outputs[k], "outputs", in.Output)
	if against != nil {
		besideSources(o.against[k], "outputs", against[k].Output)
	}
	for i, path := range o.referencesOf(k) {
		besideSources(path, "references", in.References[i])
	}
}

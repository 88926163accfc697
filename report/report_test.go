package report

import (
	"bytes"
	"fmt"
	"html"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/paper"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// scores returns invented scores in two directions. If r is -1, there is no r-BLEU.
func scores(
	tst, r, s, nat, mean, share0, share1 float64,
	distinct0, distinct1 int,
	repeat0, repeat1 float64,
) *metrics.Scores {
	m := &metrics.Scores{
		Metrics:    metrics.Values{"tst": tst, "s_bleu": s, "naturalness": nat, "mean": mean},
		Directions: make([]metrics.Direction, 2),
	}
	if r >= 0 {
		m.Metrics["r_bleu"] = r
	}
	m.Directions[0].From, m.Directions[0].To, m.Directions[0].N, m.Directions[0].MostFrequentNewWord = "fed_up",
		"pleased", 200, "best"
	m.Directions[1].From, m.Directions[1].To, m.Directions[1].N = "pleased", "fed_up", 1000
	m.Signatures = map[string]string{
		"s_bleu": "bleu4|level:corpus|n:4|tok:whitespace|case:as-is|smooth:none|dirs:mean|refs:source|version:1",
	}
	m.Directions[0].MostFrequentNewWordShare, m.Directions[1].MostFrequentNewWordShare = share0, share1
	m.Directions[0].NewWords, m.Directions[1].NewWords = 2*distinct0+30, 2*distinct1+30
	m.Directions[0].DistinctNewWords, m.Directions[1].DistinctNewWords = distinct0, distinct1
	m.Directions[0].RepeatShare, m.Directions[1].RepeatShare = repeat0, repeat1
	return m
}

var about = About{
	Data: []string{
		"market: 4,000 + 4,000 training sentences", "plain & fancy_100%: 50 + 50",
	}, Seeds: []uint64{3, 1, 1}, Profile: "paper",
	Signatures: map[string]string{
		"s_bleu":      "bleu4|level:corpus|n:4|tok:whitespace|case:as-is|smooth:none|dirs:mean|refs:source|version:1",
		"naturalness": "unigram, trained on the spot",
	},
	Notes: []string{"Conicity is a mean over sentences, cross-entropy a mean over the batch."},
}

// aboutOverridden returns a copy of the variable "about" with settings that differ from the
// profile's.
func aboutOverridden() About {
	a := about
	a.Overrides = []Override{
		{"market", "divlstm", "lambda_con", "0.5"},
		{"market", "smlm", "dim", "256"},
		{"market", "smlm", "ff", "1024"},
		{"yelp", "smlm", "dim", "256"},
	}
	return a
}

// aboutTrained returns a copy of the variable "about" with the signatures of trained models and
// masks.
func aboutTrained() About {
	a := about
	a.Signatures = map[string]string{
		"dev_accuracy": "accuracy|split:dev|version:1", "test_accuracy": "accuracy|split:test|version:1",
		"conicity": "conicity|form:abs|version:1", "accuracy": "accuracy|of:masked-sentences|version:1",
		"masked_s_bleu": metrics.BLEUSignature("source"), "char_s_bleu": metrics.CharBLEUSignature,
	}
	return a
}

// results returns records on two data sets. The outputs of SMLM-FT have collapsed.
func results() []*Record {
	return []*Record{
		system("market", "SMLM", scores(41.25, 20.11, 63.2, 0.8312, 62.5, 0.07, 0.05, 195, 158, 0.01, 0),
			"lambda_con", "10", "lambda_eps", "0.15", Seed, "1"),
		as(Published, system("market", "Tag", scores(88.9, 16.9, 47, 0.841, 73.4, 0.14, 0.09, 193, 195, 0.01, 0.01))),
		system("market", "SMLM-FT", scores(88.94, -1, 53.4, 0.9, 77.61, 0.98, 1, 3, 1, 0.4, 0.25),
			"lambda_con", "10", "lambda_eps", "0.5", Seed, "1"),
		as(People, system("market", "references", scores(65.6, 100, 25.3, 0.651, 51.9, 0.03, 0.05, 805, 644, 0, 0))),
		system("plain & fancy_100%", "SMLM-G", scores(50, 20, 60, 0.8, 63.33, 0.1, 0.08, 1000, 900, 0, 0),
			"lambda_con", "0.5", "lambda_eps", "0.15", Seed, "3"),
		as(Published, system("plain & fancy_100%", "D&R", scores(50, 21, 60, 0.8, 63.33, 0.07, 0.03, 424, 570, 0.02, 0.02))),
	}
}

// tables returns one table of each kind.
func tables() map[string]*Table {
	ratings := Human(studyHuman())
	chosen := about
	chosen.Legend = []string{"Each system is shown at the sweep point with the highest dev Mean."}
	source := `the stall was a let-down -- 100% overpriced & "stale" .`
	masked := `the stall was a <mask> -- 100% <mask> & "<mask>" .`
	return map[string]*Table{
		"results": Build("results", results(), about),
		"content": Build("content", contentRecords(), contentAbout),
		"datasets": Build("datasets", []*Record{
			sizes("market", "fed_up", "", 4000, 400, 200, 200), sizes("market", "pleased", "", 4000, 400, 200, 200),
			sizes("yelp", "negative", "negative", 107384, 2000, 500, 0),
		}, about),
		"data":  Corpus(demoReport()),
		"score": Score(withInterval(scores(41.25, -1, 63.2, 0.8312, 62.5, 0.07, 0, 195, 0, 0.01, 0))),
		"classifier": Build("classifier", []*Record{
			classifier("market", "classifier", "1", 99.25, 98.5, 5, 1234567),
			classifier("market", "fasttext", "1", 95, 94.96, 5, 20000200),
			classifier("yelp", "classifier", "2", 97, 96.94, 1, 12345678),
		}, aboutTrained()),
		"divlstm": Build("divlstm", []*Record{
			divLSTM("market", "0", 98, 97.5, .7, 5, "bidirectional", "false", Seed, "1"),
			divLSTM("market", "10", 92.2, 92, .24, 5, "bidirectional", "true", Seed, "1"),
		}, aboutTrained()),
		"attribution":       Build("attribution", masks(), aboutTrained()),
		"intervals":         Build("intervals", studyIntervals()[:8], studyAbout()),
		"significance":      Significance(studySignificance()[14:24], studyAbout()),
		"main":              Build("main", mainRecords(), chosen),
		"seeds":             Build("seeds", studySeeds()[:20], studyAbout()),
		"selection":         Build("selection", devRecords()[:20], aboutOverridden()),
		"human-ratings":     ratings[0],
		"human-tests":       ratings[1],
		"human":             ratings[2],
		"results-paper":     paper.Beside(Build("results", paperRecords(), paperAbout)),
		"content-paper":     paper.Beside(Build("content", paperRecords(), paperAbout)),
		"attribution-paper": paper.Beside(Build("attribution", studyMasks()[:8], aboutTrained())),
		"classifier-paper":  paper.Beside(Build("classifier", studyClassifiers()[3:6], aboutTrained())),
		"divlstm-paper":     paper.Beside(Build("divlstm", studyDivLSTMs()[3:6], aboutTrained())),
		"datasets-paper":    paper.Beside(Build("datasets", studySizes(), about)),
		"examples": Examples([]Example{
			{
				Dataset: "market", From: "fed_up", To: "pleased", System: "SMLM (lambda_con 10, lambda_eps 0.15)", Source: source, Masked: masked,
				Output: `the stall was a joy -- 100% fair & "fresh" .`,
			},
			{
				Dataset: "market", From: "fed_up", To: "pleased", System: "SMLM-FT (lambda_con 10, lambda_eps 0.15)", Source: source, Masked: masked,
				Output: `the stall was a best -- 100% best & "best" .`,
			},
			{
				Dataset: "market", From: "pleased", To: "fed_up", System: "SMLM",
				Source: "a crêpe for $2 | {no} #1 ~ ^ \\o/ `tick` _all_ day", Masked: Absent,
				Output: "averyveryverylongwordwithoutanyplacetobreakitwhateverhappens [1] 日本 \x1b[31m red",
			},
		}, about),
	}
}

// TestGolden compares the text of each table and the heads of its CSV fields with a golden file. It
// also checks that every format has all notes. The formats themselves are tested in package table.
func TestGolden(t *testing.T) {
	for name, made := range tables() {
		var b bytes.Buffer
		if err := withMarks(made).Write(&b, "text"); err != nil {
			t.Fatal(err)
		}
		heads := strings.Join(csvRecords(t, made)[0], ",")
		testkit.Golden(t, filepath.Join("testdata", name+".txt"), b.String()+"\nFields of CSV: "+heads+"\n")
		for _, format := range table.Formats {
			b.Reset()
			if err := made.Write(&b, format); err != nil {
				t.Fatal(err)
			}
			for _, note := range saidIn(format, made) {
				first := strings.TrimSuffix(strings.Fields(note)[0], ":")
				if _, signature, is := strings.Cut(note, ": "); is && strings.Contains(signature, "|") {
					first, _, _ = strings.Cut(signature, "|")
				}
				if !strings.Contains(strings.ReplaceAll(b.String(), `\allowbreak{}`, ""), latexOrNot(format, first)) {
					t.Errorf("%s as %s: the note %q is missing", name, format, note)
				}
			}
		}
	}
}

// withMarks returns a copy of a table whose cells show their marks: **best**.
func withMarks(t *Table) *Table {
	marked := *t
	marked.Rows = slices.Clone(t.Rows)
	for i, r := range t.Rows {
		marked.Rows[i].Cells = slices.Clone(r.Cells)
		for j, c := range r.Cells {
			sign := map[bool]string{Best: "**"}[c.Best]
			marked.Rows[i].Cells[j].Text = sign + c.Text + sign
		}
	}
	return &marked
}

// TestLaTeXHeads checks that LaTeX prints the names of settings as the symbols that the paper has
// for them.
func TestLaTeXHeads(t *testing.T) {
	for name, head := range map[string]string{
		"results": `$\lambda_{\mathrm{con}}$ & $\lambda_{\epsilon}$ & `, "divlstm": `$\mathrm{Loss}_{\mathrm{con}}$ & `,
	} {
		var b strings.Builder
		if err := tables()[name].Write(&b, "latex"); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), head) {
			t.Errorf("%s has no head %s:\n%s", name, head, b.String())
		}
	}
}

// saidIn returns those sentences about the table that a format prints. LaTeX prints some of them in
// the caption and the rest in an appendix.
func saidIn(format string, t *Table) []string {
	switch format {
	case "csv": // contains only data
		return nil
	case "latex":
		return t.Legend
	case "latex-appendix":
		return slices.Concat(t.Defines, t.Settings, t.Notes, t.Signatures)
	case "latex-document":
		return slices.Concat(t.Legend, t.Defines, t.Settings, t.Notes, t.Signatures)
	}
	return said(t)
}

// latex escapes the first words of notes in the same way as the LaTeX formats.
var latex = strings.NewReplacer(
	"Loss_con", `$\mathrm{Loss}_{\mathrm{con}}$`, "_", "\\_", "%", "\\%", "‡", "$^\\ddagger$", "‖", "$^\\Vert$", "†", "$^\\dagger$", "\"", "\\char34{}", "'", "\\textquotesingle{}",
)

func latexOrNot(format, s string) string {
	switch {
	case strings.HasPrefix(format, "latex"):
		return latex.Replace(s)
	case format == "html":
		return html.EscapeString(s)
	}
	return s
}

// demoReport returns the report on a small invented data set.
func demoReport() *corpus.Report {
	lines := func(n int) (s []corpus.Sentence) {
		for i := range n {
			s = append(s, []string{"word", fmt.Sprint(i % 3), "."})
		}
		return s
	}
	d := corpus.NewDataset("yelp", corpus.Styles{"fed_up", "pleased"})
	for split, n := range []int{6, 2, 3} {
		for k := range 2 {
			d.Text[split][k] = lines(n + k)
		}
	}
	return d.Report(4)
}

// TestResultsMarks checks which values are marked as best. On "market", SMLM-FT has collapsed, so
// only SMLM and Tag are ranked. Tag has the better TST%, Nat. and Mean. On the other data set,
// systems differ only in r-BLEU.
func TestResultsMarks(t *testing.T) {
	got := map[string][]bool{}
	for _, r := range tables()["results"].Rows {
		for _, c := range r.Cells[5:] {
			got[r.Cells[0].Text+"/"+r.Cells[1].Text] = append(got[r.Cells[0].Text+"/"+r.Cells[1].Text], c.Best)
		}
	}
	none := make([]bool, 8)
	if d := cmp.Diff(map[string][]bool{ // the marks of TST%, r-BLEU, s-BLEU, Nat., Mean and three collapse columns
		"market/SMLM":               {Plain, Best, Best, Plain, Plain, Plain, Plain, Plain},
		"market/SMLM-FT":            none, // not ranked, despite the highest TST% and Mean
		"market/Tag":                {Best, Plain, Plain, Best, Best, Plain, Plain, Plain},
		"market/references":         none, // not ranked, despite an r-BLEU of 100
		"plain & fancy_100%/SMLM-G": none,
		"plain & fancy_100%/D&R":    {Plain, Best, Plain, Plain, Plain, Plain, Plain, Plain},
	}, got); d != "" {
		t.Errorf("marks (-want +got):\n%s", d)
	}
}

// TestLabelsThatDiffer checks that the data set and the seed have columns only if records differ in
// them. Swept settings always have columns in the table "results".
func TestLabelsThatDiffer(t *testing.T) {
	s := scores(2, 2, 2, 0.2, 2, 0, 0, 0, 0, 0, 0)
	one, two := system("market", "SMLM", s, Seed, "7"), system("market", "SMLM", s, Seed, "8")
	tag := as(Published, system("market", "Tag", s))
	for want, records := range map[string][]*Record{
		"System,TST%":            {tag, one},
		"System,seed,TST%":       {tag, one, two},
		"Data set,System,TST%":   {tag, one, one.with(Dataset, "yelp")},
		"System,lambda_con,TST%": {system("market", "SMLM", s, "lambda_con", "1")},
	} {
		if got := heads(Build("results", records, About{})); !strings.HasPrefix(got, want) {
			t.Errorf("columns %s, want first %s", got, want)
		}
	}
	made := Build("results", []*Record{tag, one}, About{})
	if made.Rows[0].Cells[0].Text != "SMLM" || made.Rows[1].Cells[0].Text != "Tag" || !made.Rows[1].Rule {
		t.Errorf("published systems are not last, below a line: %q", lines(made))
	}
}

// withInterval adds the interval of one metric to the scores.
func withInterval(r *metrics.Scores) *metrics.Scores {
	r.Intervals = map[string]metrics.Interval{"tst": {Value: 41.25, Low: 38.04, High: 44.46}}
	return r
}

// TestCaptions checks that a caption has the number of sentences and the seeds. The legend must
// explain cells such as "3.6 / 4.7". Heads have arrows ("↑" if higher is better), except in CSV.
func TestCaptions(t *testing.T) {
	of := func(dataset string, seed string) *Record {
		return system(dataset, "SMLM", scores(41, 20, 60, .8, 62, .1, .2, 600, 700, 0, 0), Seed, seed)
	}
	made := Build("main", []*Record{of("market", "2"), of("market", "10")}, About{})
	if want := "Automatic evaluation on the market test set (1,200 sentences; seeds 2, 10)."; made.Title != want {
		t.Errorf("title %q, want %q", made.Title, want)
	}
	for name, want := range map[string]bool{"main": true, "content": false} {
		var b strings.Builder
		err := Build(name, []*Record{of("market", "1")}, About{}).Write(&b, "text")
		if has := strings.Contains(b.String(), "\na / b: "); err != nil || has != want {
			t.Errorf("%s says which direction comes first: %v\n%s", name, has, b.String())
		}
	}
	two := Build("main", []*Record{of("market", "1"), of("yelp", "1")}, About{})
	if want := "(1,200 sentences of market, 1,200 sentences of yelp; seed 1)."; !strings.HasSuffix(two.Title, want) {
		t.Errorf("title %q, want %q", two.Title, want)
	}
	for format, want := range map[string]string{
		"latex": `TST\%$\uparrow$`, "markdown": "| TST%↑ |", "html": ">TST%↑<", "text": "TST%↑ ", "csv": ",TST%,",
	} {
		var b strings.Builder
		if err := two.Write(&b, format); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: no %q in\n%s", format, want, b.String())
		}
	}
}

package report

import (
	"bytes"
	"fmt"
	"html"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/paper"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// What tests of tables say often.
type (
	Table  = table.Table
	Row    = table.Row
	Column = table.Column
	Mark   = table.Mark
)

const (
	Plain  = table.Plain
	Best   = table.Best
	Second = table.Second
	Absent = table.Absent
)

// scores makes a report; every number in this file is invented, to exercise a format.
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

// aboutOverridden is about with settings that are not the profile's.
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

// tables returns one table of each builder.
func tables() map[string]*Table {
	point := func(con, eps string) []Axis { return swept("lambda_con", con, "lambda_eps", eps) }
	return map[string]*Table{
		"results": Results([]ResultRow{
			{
				Dataset: "market", System: "SMLM", Axes: point("10", "0.15"), Seed: 1,
				Metrics: scores(41.25, 20.11, 63.2, 0.8312, 62.5, 0.07, 0.05, 195, 158, 0.01, 0),
			},
			{
				Dataset: "market", System: "Tag", Published: true,
				Metrics: scores(88.9, 16.9, 47, 0.841, 73.4, 0.14, 0.09, 193, 195, 0.01, 0.01),
			},
			{
				Dataset: "market", System: "SMLM-FT", Axes: point("10", "0.5"), Seed: 1,
				Metrics: scores(88.94, -1, 53.4, 0.9, 77.61, 0.98, 1, 3, 1, 0.4, 0.25),
			},
			{
				Dataset: "market", System: "human references", Published: true, Unranked: true,
				Metrics: scores(65.6, 100, 25.3, 0.651, 51.9, 0.03, 0.05, 805, 644, 0, 0),
			},
			{
				Dataset: "plain & fancy_100%", System: "SMLM-G", Axes: point("0.5", "0.15"), Seed: 3,
				Metrics: scores(50, 20, 60, 0.8, 63.33, 0.1, 0.08, 1000, 900, 0, 0),
			},
			{
				Dataset: "plain & fancy_100%", System: "D&R", Published: true,
				Metrics: scores(50, 21, 60, 0.8, 63.33, 0.07, 0.03, 424, 570, 0.02, 0.02),
			},
		}, about),
		"content": Content(contentRows(), contentAbout),
		"datasets": Datasets([]DatasetRow{
			{Dataset: "market", Label: "fed_up", Train: 4000, Dev: 400, Test: 200, Refs: 200},
			{Dataset: "market", Label: "pleased", Train: 4000, Dev: 400, Test: 200, Refs: 200},
			{
				Dataset: "yelp", Label: "negative", Train: 107384, Dev: 2000, Test: 500,
				Paper: [3]int{177_000, 2000, 500},
			},
		}, about),
		"data":  Corpus(demoReport()),
		"score": Score(withInterval(scores(41.25, -1, 63.2, 0.8312, 62.5, 0.07, 0, 195, 0, 0.01, 0))),
		"classifier": Classifier([]ClassifierRow{
			{
				Dataset: "market", Model: "classifier", Seed: 1, DevAccuracy: 99.25, TestAccuracy: 98.5, Epochs: 5,
				Parameters: 1234567,
			},
			{
				Dataset: "market", Model: "fasttext", Seed: 1, DevAccuracy: 95, TestAccuracy: 94.96, Epochs: 5,
				Parameters: 20000200,
			},
			{
				Dataset: "yelp", Model: "classifier", Seed: 2, DevAccuracy: 97, TestAccuracy: 96.94, Epochs: 1,
				Parameters: 12345678,
			},
		}, about),
		"divlstm": DivLSTM([]DivLSTMRow{
			{
				Dataset: "market", LambdaCon: 0, Axes: swept("lambda_con", "0", "bidirectional", "false"), Seed: 1,
				DevAccuracy: 98, TestAccuracy: 97.5, Conicity: 0.7, Reduction: "mean", Epochs: 5,
			},
			{
				Dataset: "market", LambdaCon: 10, Axes: swept("lambda_con", "10", "bidirectional", "true"),
				Seed: 1, DevAccuracy: 92.2, TestAccuracy: 92, Conicity: 0.24, Reduction: "sum", Epochs: 5,
			},
		}, about),
		"attribution":       Attribution(attributionRows(), about),
		"training":          Training(trainingRows(), aboutOverridden()),
		"bleu":              BLEU(bleuRows(), studyAbout()),
		"intervals":         Intervals(studyIntervals()[:8], studyAbout()),
		"significance":      Significance(studySignificance()[14:24], studyAbout()),
		"main":              Main(mainRows(), true, about),
		"seeds":             SeedMeans(studySeeds()[:20], studyAbout()),
		"human-ratings":     Human(studyHuman())[0],
		"human-tests":       Human(studyHuman())[1],
		"human":             Human(studyHuman())[2],
		"results-paper":     paper.Beside(Results(paperRows(), paperAbout)),
		"content-paper":     paper.Beside(Content(paperRows(), paperAbout)),
		"attribution-paper": paper.Beside(Attribution(studyAttribution()[:8], about)),
		"classifier-paper":  paper.Beside(Classifier(studyClassifiers()[3:6], about)),
		"divlstm-paper":     paper.Beside(DivLSTM(studyDivLSTM()[3:6], about)),
		"datasets-paper":    paper.Beside(Datasets(studyDatasets(), about)),
		"examples": Examples([]ExampleRow{
			{
				Dataset: "market", From: "fed_up", To: "pleased", System: "SMLM", Axes: point("10", "0.15"),
				Source: "the stall was a let-down -- 100% overpriced & \"stale\" .",
				Masked: "the stall was a <mask> -- 100% <mask> & \"<mask>\" .",
				Output: "the stall was a joy -- 100% fair & \"fresh\" .",
			},
			{
				Dataset: "market", From: "fed_up", To: "pleased", System: "SMLM-FT", Axes: point("10", "0.15"),
				Source: "the stall was a let-down -- 100% overpriced & \"stale\" .",
				Masked: "the stall was a <mask> -- 100% <mask> & \"<mask>\" .",
				Output: "the stall was a best -- 100% best & \"best\" .",
			},
			{
				Dataset: "market", From: "pleased", To: "fed_up", System: "SMLM",
				Source: "a crêpe for $2 | {no} #1 ~ ^ \\o/ `tick` _all_ day", Masked: Absent,
				Output: "averyveryverylongwordwithoutanyplacetobreakitwhateverhappens [1] 日本 \x1b[31m red",
			},
		}, about),
	}
}

// What each table says, and the fields that its cells are in CSV, is in its golden file; what a
// format makes of it is tested in package table, but that none loses a note.
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

// withMarks is a table whose cells have their marks in the text: the best value in two asterisks,
// the second-best in underscores.
func withMarks(t *Table) *Table {
	marked := *t
	marked.Rows = slices.Clone(t.Rows)
	for i, r := range t.Rows {
		marked.Rows[i].Cells = slices.Clone(r.Cells)
		for j, c := range r.Cells {
			sign := map[Mark]string{Best: "**", Second: "_"}[c.Mark]
			marked.Rows[i].Cells[j].Text = sign + c.Text + sign
		}
	}
	return &marked
}

// LaTeX prints the paper's symbols in place of the names of settings.
func TestLaTeXHeads(t *testing.T) {
	for name, head := range map[string]string{"results": `$\lambda_{\mathrm{con}}$ & $\lambda_{\epsilon}$ & `, "divlstm": "$\\mathrm{Loss}_{\\mathrm{con}}$ & "} {
		var b strings.Builder
		if err := tables()[name].Write(&b, "latex"); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), head) {
			t.Errorf("%s has no head %s:\n%s", name, head, b.String())
		}
	}
}

// said is all that a table says below its rows.
func said(t *Table) []string {
	return slices.Concat(t.Legend, t.Defines, t.Settings.Lines, t.Notes, t.Hints, t.Signatures)
}

// saidIn is what of it a format has: LaTeX a part in the caption, the rest in its appendix.
func saidIn(format string, t *Table) []string {
	switch format {
	case "csv": // it is data
		return nil
	case "latex":
		return t.Legend
	case "latex-appendix":
		return slices.Concat(t.Defines, t.Settings.Data, t.Notes, t.Signatures)
	case "latex-document":
		return slices.Concat(t.Legend, t.Defines, t.Settings.Data, t.Notes, t.Signatures)
	}
	return said(t)
}

// latex writes the first words of notes as LaTeX does.
var latex = strings.NewReplacer(
	"Loss_con", `$\mathrm{Loss}_{\mathrm{con}}$`, "_", "\\_", "%", "\\%", "‡", "$^\\ddagger$", "†", "$^\\dagger$", "\"", "\\char34{}", "'", "\\textquotesingle{}",
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

// demoReport is a corpus report with invented sizes.
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

// The marks by hand: on "market" SMLM-FT has collapsed, so that TST% 88.9 of Tag is best before
// 41.2, Nat. 0.84 before 0.83, and Mean 73.4 before 62.5; the worse of two is no second best. On
// the other data set only r-BLEU differs.
func TestResultsMarks(t *testing.T) {
	table := tables()["results"]
	got := map[string][]Mark{}
	for _, r := range table.Rows {
		var marks []Mark
		for _, c := range r.Cells[5:] {
			marks = append(marks, c.Mark)
		}
		got[r.Cells[0].Text+"/"+r.Cells[1].Text] = marks
	}
	want := map[string][]Mark{ // TST%, r-BLEU, s-BLEU, Nat., Mean, then the collapse columns
		"market/SMLM": {Plain, Best, Best, Plain, Plain, Plain, Plain, Plain},
		// collapsed: its TST% and Mean are the highest, and not ranked
		"market/SMLM-FT":            {Plain, Plain, Plain, Plain, Plain, Plain, Plain, Plain},
		"market/Tag":                {Best, Plain, Plain, Best, Best, Plain, Plain, Plain},
		"market/human references":   {Plain, Plain, Plain, Plain, Plain, Plain, Plain, Plain}, // r-BLEU 100, not ranked
		"plain & fancy_100%/SMLM-G": {Plain, Plain, Plain, Plain, Plain, Plain, Plain, Plain},
		"plain & fancy_100%/D&R":    {Plain, Best, Plain, Plain, Plain, Plain, Plain, Plain},
	}
	for key, marks := range want {
		for i := range marks {
			if len(got[key]) != len(marks) || got[key][i] != marks[i] {
				t.Errorf("%s: marks %v, want %v", key, got[key], marks)
				break
			}
		}
	}
}

// With one data set, one seed and no axis the columns that would not vary are left out, and
// published systems stand last.
func TestResultsColumns(t *testing.T) {
	table := Results([]ResultRow{
		{Dataset: "market", System: "Tag", Published: true, Metrics: scores(1, 1, 1, 0.1, 1, 0, 0, 0, 0, 0, 0)},
		{Dataset: "market", System: "SMLM", Seed: 7, Metrics: scores(2, 2, 2, 0.2, 2, 0, 0, 0, 0, 0, 0)},
	}, About{})
	if got := table.Columns[0].Head + "," + table.Columns[1].Head; got != "System,TST%" {
		t.Errorf("columns begin with %s", got)
	}
	if table.Rows[0].Cells[0].Text != "SMLM" || table.Rows[1].Cells[0].Text != "Tag" || !table.Rows[1].Rule {
		t.Errorf("published systems must stand last, below a line: %+v", table.Rows)
	}
}

// withInterval gives a report the interval of one metric.
func withInterval(r *metrics.Scores) *metrics.Scores {
	r.Intervals = map[string]metrics.Interval{"tst": {Value: 41.25, Low: 38.04, High: 44.46}}
	return r
}

package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// One word in every mask, the sources copied or cut, human references, and a sound system: the
// constructed outputs on which a table must make plain which is which. Numbers are invented, but of
// the size that such outputs have.
func constructed() []ResultRow {
	row := func(system string, tst, s, nat, mean, ppl, self, share float64, distinct int) ResultRow {
		m := scores(tst, -1, s, nat, mean, share, share, distinct, distinct, 0, 0)
		m.Metrics["perplexity"], m.Metrics["self_bleu"] = ppl, self
		m.Directions[1].MostFrequentNewWord = "worst"
		if share == 0 {
			m.Directions[0].MostFrequentNewWord, m.Directions[1].MostFrequentNewWord = "", ""
		}
		m.Metrics["naturalness_by.CAAE"], m.Metrics["naturalness_by.ARAE"] = nat, .5
		m.Metrics["unchanged_share"] = 0
		if system == "copied" { // but for one output in ten of the first direction
			m.Metrics["unchanged_share"] = .98
			m.Directions[0].Metrics = metrics.Values{"unchanged_share": .9}
			m.Directions[1].Metrics = metrics.Values{"unchanged_share": 1}
		}
		m.Metrics["length_ratio"] = .95
		if system == "cut" { // to half of their words, in the second direction
			m.Metrics["length_ratio"] = .7
			m.Directions[0].Metrics = metrics.Values{"halved_share": .05}
			m.Directions[1].Metrics = metrics.Values{"halved_share": .452}
		}
		return ResultRow{Dataset: "market", System: system, Seed: 1, Metrics: m}
	}
	rows := []ResultRow{
		row("one word", 99, 51, .87, 79, 900, 40, .98, 3), row("copied", 3, 100, .9, 80.3, 40, 12, 0, 0),
		row("cut", 97, 45, .95, 79, 30, 20, .1, 200),
		row("sound", 88, 60, .84, 77.3, 70, 15, .1, 300), row("poor", 40, 50, .7, 53.3, 90, 10, .2, 90),
		row("human", 65, 25, .65, 51.7, 90, 8, .03, 800),
	}
	rows[5].Published, rows[5].Unranked = true, true
	return rows
}

func TestFlawsAreNotRanked(t *testing.T) {
	table := Results(constructed(), About{})
	if got, want := heads(table), "System,TST%,s-BLEU,Nat.,Mean,PPL,self-BLEU,unchanged %,length ratio,most frequent new word %,"+
		"distinct new words,repeated word %,Nat. ARAE,Nat. CAAE"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	want := []string{ // **: best, *: second
		"one word‡ 99.0 51.0 0.87 79.0‡ 900.0 40.0 0.0 0.95 98.0 / 98.0 3 / 3 0.0 / 0.0 0.50 0.87",
		"copied§ 3.0 100.0 0.90 80.3§ 40.0 12.0 98.0 0.95 0.0 / 0.0 0 / 0 0.0 / 0.0 0.50 0.90",
		"cut¶ 97.0 45.0 0.95 79.0¶ 30.0 20.0 0.0 0.70 10.0 / 10.0 200 / 200 0.0 / 0.0 0.50 0.95",
		"sound 88.0** 60.0** 0.84** 77.3** 70.0 15.0 0.0 0.95 10.0 / 10.0 300 / 300 0.0 / 0.0 0.50 0.84",
		"poor 40.0 50.0 0.70 53.3 90.0 10.0 0.0 0.95 20.0 / 20.0 90 / 90 0.0 / 0.0 0.50 0.70",
		"human 65.0 25.0 0.65 51.7 90.0 8.0 0.0 0.95 3.0 / 3.0 800 / 800 0.0 / 0.0 0.50 0.65",
	}
	for i, r := range table.Rows {
		var cells []string
		for _, c := range r.Cells {
			cells = append(cells, c.Text+strings.Repeat("*", (3-int(c.Mark))%3)+c.Sign)
		}
		if got := strings.Join(cells, " "); got != want[i] {
			t.Errorf("row %d\n%s, want\n%s", i, got, want[i])
		}
	}
	notes := strings.Join(said(table), "\n")
	for _, want := range []string{
		`and at least 5). Here: one word (seed 1): "best" 98.0 % / "worst" 98.0 %.`,
		"§: left unchanged, not ranked.",
		"§ Left unchanged, not ranked in any column: in one direction at least 50 % of the outputs, and at least 5, equal " +
			"their source word for word. Here: copied (seed 1): 180 of 200 / 1,000 of 1,000 outputs.",
		"¶: shortened, not ranked.",
		"¶ Shortened, not ranked in any column: in one direction at least 30 % of the outputs, and at least 10, have at most " +
			"half as many words as their source. Here: cut (seed 1): 10 of 200 / 452 of 1,000 outputs.",
		"unchanged %: outputs that", "length ratio: words in", "PPL: perplexity", "self-BLEU: BLEU-4 of each", "Nat. with a name:",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes lack %q:\n%s", want, notes)
		}
	}
	if strings.Contains(notes, "dist-2") {
		t.Errorf("a note on a column that is not there:\n%s", notes)
	}
	sound := strings.Join(said(Results(constructed()[3:], About{})), "\n")
	for _, f := range metrics.AllFlaws() {
		if strings.Contains(sound, f.Sign) {
			t.Errorf("a word on %s where nothing is:\n%s", f.Name, sound)
		}
	}
	content := Content(constructed(), About{})
	for i, sign := range []string{"‡", "§", "¶"} {
		if got := content.Rows[i].Cells[0].Sign; got != sign {
			t.Errorf("in the table of content row %d has the sign %q", i, got)
		}
	}
}

// A long list of systems with a flaw is cut.
func TestFlawNotesAreCut(t *testing.T) {
	var rows []ResultRow
	for range 20 {
		rows = append(rows, constructed()[0])
	}
	notes := flawNotes(rows, true)
	if len(notes) != 1 || strings.Count(notes[0], "market one word") != flawedListed || !strings.HasSuffix(notes[0],
		"; and 8 more.") {
		t.Errorf("notes %q", notes)
	}
}

// One judge has no column of its own.
func TestOneJudge(t *testing.T) {
	rows := constructed()
	for i := range rows {
		delete(rows[i].Metrics.Metrics, "naturalness_by.ARAE")
	}
	if got := heads(Results(rows, About{})); strings.Contains(got, "CAAE") {
		t.Errorf("columns %s", got)
	}
}

// mainRows are a system of two seeds and two decodings, a published one, and people.
// The first three are in the paper: package paper has the values.
func mainRows() []ResultRow {
	row := func(system, decoding string, seed uint64, tst, mean float64) ResultRow {
		return ResultRow{
			Dataset: "amazon", System: system, Seed: seed,
			Axes:    []Axis{{Key: "lambda_eps", Value: "0.5"}, {Key: "decoding", Value: decoding}},
			Metrics: scores(tst, 30, 60, .9, mean, .1*float64(seed), .1, 100, 100, 0, 0),
		}
	}
	published := func(system string, unranked bool) ResultRow {
		return ResultRow{
			Dataset: "amazon", System: system, Published: true, Unranked: unranked,
			Metrics: scores(58.2, 34.15, 68.3, .93, 73, .1, .1, 100, 100, 0, 0),
		}
	}
	return []ResultRow{
		row("SMLM", "copied", 1, 60, 70), row("SMLM", "copied", 2, 64, 72),
		row("SMLM", "guided", 1, 80, 75), row("SMLM", "guided", 2, 80, 77),
		published("DirR", false), published("human references", true),
	}
}

// By hand: 60 and 64 have mean 62 and deviation 2 sqrt 2 = 2.83. The paper's values stand once a
// system, below a line and unranked; a setting in which all rows agree has no column. Of the
// most frequent new word's share the seeds' largest is shown.
func TestMainTable(t *testing.T) {
	table := Main(mainRows(), true, About{})
	if got, want := heads(table), "System,TST%,r-BLEU,s-BLEU,Nat.,Mean,most frequent new word %"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	want := []string{
		"SMLM (copied)|62.0 ± 2.8|30.0 ± 0.0|60.0 ± 0.0|0.90 ± 0.00|71.0 ± 1.4|20.0 / 10.0",
		"SMLM (guided)|80.0 ± 0.0|30.0 ± 0.0|60.0 ± 0.0|0.90 ± 0.00|76.0 ± 1.4|20.0 / 10.0",
		"DirR|58.2|34.1|68.3|0.93|73.0|10.0 / 10.0",
		"human references|58.2|34.1|68.3|0.93|73.0|10.0 / 10.0",
		"SMLM, as printed|66.5|31.8|69.2|0.90|75.23|",
		"DirR, as printed|58.2|30.1†|60.6†|0.91|69.93†|",
	}
	got := lines(table)
	if len(got) != len(want) {
		t.Fatalf("rows %q", got)
	}
	for i := range want {
		if i != 4 && got[i] != want[i] { // the fifth is the paper's, see below
			t.Errorf("row %d is %q, want %q", i, got[i], want[i])
		}
	}
	if !strings.HasPrefix(got[4], "SMLM, as printed|") || !table.Rows[4].Rule || table.Rows[5].Rule {
		t.Errorf("the paper's rows: %q", got[4:])
	}
	for i, r := range table.Rows {
		for j, c := range r.Cells {
			if i >= 3 && c.Mark != Plain {
				t.Errorf("row %d, column %d: a value of people or of the paper is ranked", i, j)
			}
		}
	}
	legend := strings.Join(table.Legend, " ")
	for _, want := range []string{"over 2 seeds", "highest dev Mean", "as printed in the paper", "†: the printed value"} {
		if !strings.Contains(legend, want) {
			t.Errorf("the legend lacks %q: %s", want, legend)
		}
	}
	var b strings.Builder
	if err := table.Write(&b, "latex"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`\toprule`, `\textbf{80.0}{\scriptsize$\,\pm\,$0.0}`, `\underline{62.0}{\scriptsize$\,\pm\,$2.8}`,
		`58.2\phantom{{\scriptsize$\,\pm\,$2.8}}`, `\caption[Automatic evaluation`, `\label{tab:main}`,
		`30.1\rlap{$^\dagger$}\phantom{{\scriptsize$\,\pm\,$0.0}}`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("LaTeX lacks %s:\n%s", want, b.String())
		}
	}
	for _, not := range []string{"parbox", "whitespace", "version:1", "tab:amazon"} {
		if strings.Contains(b.String(), not) {
			t.Errorf("LaTeX has %s", not)
		}
	}
	// Where rows differ in a setting it has a column.
	rows := mainRows()
	rows[2].Axes[0].Value, rows[3].Axes[0].Value = "1", "1"
	if got := heads(Main(rows, false, About{})); !strings.HasPrefix(got, "System,lambda_eps,TST%") {
		t.Errorf("columns %s", got)
	}
}

// contentAbout has the signatures of a report: those of the table's columns and others.
var contentAbout = About{Seeds: []uint64{1, 2}, Profile: "paper", Signatures: map[string]string{
	"s_bleu": metrics.BLEUSignature(4, "source"), "rouge_l": metrics.RougeLSignature("source"),
	"cider": metrics.CIDErSignature("source"),
}}

// contentRows are invented, and published systems stand among ours.
func contentRows() []ResultRow {
	row := func(dataset, system string, rougeL, cider float64) ResultRow {
		return ResultRow{
			Dataset: dataset, System: system,
			Metrics: &metrics.Scores{Metrics: metrics.Values{"rouge_l": rougeL, "cider": cider}},
		}
	}
	rows := []ResultRow{
		row("market", "Tag", 0.7071, 4.3262), row("market", "SMLM-FT", 0.7388, 4.9344),
		row("market", "SMLM-FT", 0.8031, 4.9338), row("market", "human references", 0.9, 9.9),
		row("plain & fancy_100%", "SMLM-G", 0.5, 0), row("plain & fancy_100%", "D&R", 0.5, 3.5),
	}
	rows[0].Published, rows[3].Published, rows[5].Published = true, true, true
	rows[3].Unranked = true
	rows[1].Axes, rows[2].Axes = []Axis{{Key: "lambda_eps", Value: "0.15"}}, []Axis{{Key: "lambda_eps", Value: "0.5"}}
	rows[1].Seed, rows[2].Seed, rows[4].Seed = 1, 2, 1
	// an earlier version's: without these metrics
	rows = append(rows, ResultRow{Dataset: "market", System: "SMLM", Seed: 1, Metrics: &metrics.Scores{}})
	return rows
}

// By hand: on "market" ROUGE-L .803 before .739; CIDEr 4.934 twice, printed alike, before 4.326;
// the human references do not compete. On the other data set ROUGE-L is equal, so nothing is
// marked.
func TestContent(t *testing.T) {
	table := Content(contentRows(), contentAbout)
	if got, want := heads(table), "Data set,System,lambda_eps,seed,ROUGE-L,CIDEr"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	var got []string
	for _, r := range table.Rows {
		line := ""
		if r.Rule {
			line = "-- "
		}
		for i, c := range r.Cells {
			line += c.Text + strings.Repeat("*", int(c.Mark)) // Best: one, Second: two
			if i < len(r.Cells)-1 {
				line += "|"
			}
		}
		got = append(got, line)
	}
	want := []string{
		"market|SMLM-FT|0.15|1|0.74**|4.93*",
		"market|SMLM-FT|0.5|2|0.80*|4.93*",
		"market|SMLM||1|–|–",
		"-- market|Tag|||0.71|4.33",
		"-- market|human references|||0.90|9.90",
		"-- plain & fancy_100%|SMLM-G||1|0.50|0.00",
		"-- plain & fancy_100%|D&R|||0.50|3.50*",
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// One data set is named in the title, and each table prints the signatures of its own columns; the
// caller's map stays as it was.
func TestContentNotes(t *testing.T) {
	rows := contentRows()[:1]
	table := Content(rows, contentAbout)
	if table.Title != "Content preservation on the market test set." || heads(table) != "System,ROUGE-L,CIDEr" {
		t.Errorf("%q, columns %s", table.Title, heads(table))
	}
	notes := strings.Join(said(table), "\n")
	if !strings.Contains(notes, "cider: cider|") || !strings.Contains(notes, "rouge_l: rouge_l|") ||
		strings.Contains(notes,
			"s_bleu") {
		t.Errorf("notes of content:\n%s", notes)
	}
	rows[0].Metrics.Metrics["s_bleu"] = 50
	notes = strings.Join(said(Results(rows, contentAbout)), "\n")
	if strings.Contains(notes, "cider") || strings.Contains(notes, "rouge_l") || !strings.Contains(notes, "s_bleu: "+
		"bleu4|") {
		t.Errorf("notes of results:\n%s", notes)
	}
	if len(contentAbout.Signatures) != 3 {
		t.Errorf("signatures left: %v", contentAbout.Signatures)
	}
	if empty := Content(nil, About{}); len(empty.Rows) != 0 {
		t.Errorf("rows of nothing: %v", empty.Rows)
	}
}

// TestMainFitsTheScreen: what `run` prints of a study of seven systems with two swept settings is
// one block of no more than 100 columns, which leaves room on a screen of 40 lines.
func TestMainFitsTheScreen(t *testing.T) {
	var rows []ResultRow
	add := func(system, decoding string) {
		m := scores(76.5, 61.5, 73.7, 0.698, 73.3, 0.19, 0.18, 40, 48, 0, 0)
		m.Metrics["tst_unseen"] = 53.8
		row := ResultRow{Dataset: "market", System: system, Seed: 1, Metrics: m}
		if decoding == "" {
			row.Published, row.Unranked = true, true
		} else {
			row.Axes = swept("lambda_con", fmt.Sprint(1.5+float64(len(rows)%2)/4), "lambda_eps", fmt.Sprint(1+len(rows)%2),
				"decoding", decoding)
		}
		rows = append(rows, row)
	}
	for _, system := range []string{"SMLM", "SMLM-G", "SMLM-FT"} {
		add(system, "copied")
		add(system, "guided")
	}
	add("SMLM-G", "predicted")
	add("human references", "")
	var b strings.Builder
	if err := Main(rows, true, about).Screen(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if len(lines) > 18 || strings.Count(b.String(), "┌") != 1 {
		t.Errorf("%d lines:\n%s", len(lines), &b)
	}
	for _, head := range []string{"TST%", "unseen", "r-BLEU", "s-BLEU", "Nat.", "Mean", "lambda_con"} {
		if !strings.Contains(b.String(), head) {
			t.Errorf("no column %s:\n%s", head, &b)
		}
	}
}

// TestResultsByModel: the points of a model stand together under its name, which a sign repeats,
// and a gap stands between models; published systems and human references stand below lines.
func TestResultsByModel(t *testing.T) {
	row := func(system, eps string) ResultRow {
		r := ResultRow{Dataset: "market", System: system, Metrics: scores(70, 20, 60, 0.8, 70, 0.1, 0.1, 100, 100, 0, 0)}
		if r.Published, r.Unranked = eps == "", system == "human references"; eps != "" {
			r.Axes = swept("lambda_eps", eps)
		}
		return r
	}
	collapsed := row("SMLM", "1")
	collapsed.Metrics = scores(70, 20, 60, 0.8, 70, 0.98, 0.98, 3, 3, 0, 0)
	made := Results([]ResultRow{
		row("SMLM", "0"), row("SMLM-G", "0"), row("human references", ""), row("Tag", ""), row("SMLM", "0.5"),
		collapsed, row("SMLM-G", "0.5"),
	}, About{})
	var got []string
	for i, r := range made.Rows {
		line := r.Cells[0].Text + r.Cells[0].Sign + " " + r.Cells[1].Text
		if r.Rule {
			line = "-- " + line
		}
		if r.Gap && !r.Rule {
			line = "gap " + line
		}
		got = append(got, line)
		if !made.Columns[0].Merge {
			t.Errorf("row %d: the name of a model stands in each of its rows", i)
		}
	}
	want := []string{
		"SMLM 0", "SMLM 0.5", "SMLM‡ 1", "gap SMLM-G 0", "SMLM-G 0.5", "-- Tag ", "-- human references ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	var b strings.Builder
	if err := made.Write(&b, "markdown"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "| SMLM |"); n != 1 || !strings.Contains(b.String(), "| SMLM‡ |") {
		t.Errorf("SMLM is named %d times without its sign:\n%s", n, &b)
	}
	// Without settings each model is one row, and named.
	if made := Results([]ResultRow{row("Tag", ""), row("DirR", "")}, About{}); made.Columns[0].Merge {
		t.Error("a name that stands alone is merged")
	}
}

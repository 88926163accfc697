package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// The function constructed returns records of systems with invented numbers. The first three have
// bad outputs: one word for every mask, unchanged sources, and shortened sources. Then come a sound
// system, a poor one, one with high values but without outputs in some directions, and human
// references.
func constructed() []*Record {
	ours := func(name string, tst, s, nat, mean, ppl, share float64, distinct int) *Record {
		m := scores(tst, -1, s, nat, mean, share, share, distinct, distinct, 0, 0)
		m.Metrics["perplexity"] = ppl
		m.Directions[1].MostFrequentNewWord = "worst"
		if share == 0 {
			m.Directions[0].MostFrequentNewWord, m.Directions[1].MostFrequentNewWord = "", ""
		}
		m.Metrics["unchanged_share"], m.Metrics["length_ratio"] = 0, .95
		return system("market", name, m, Seed, "1")
	}
	records := []*Record{
		ours("one word", 99, 51, .87, 79, 900, .98, 3), ours("copied", 3, 100, .9, 80.3, 40, 0, 0),
		ours("cut", 97, 45, .95, 79, 30, .1, 200), ours("sound", 88, 60, .84, 77.3, 70, .1, 300),
		ours("poor", 40, 50, .7, 53.3, 90, .2, 90), ours("partial", 90, 70, .9, 83.3, 90, .2, 90),
		as(People, ours("human", 65, 25, .65, 51.7, 90, .03, 800)),
	}
	set := func(r *Record, all, key string, value, first, second float64) {
		r.Values[all] = value
		for k, v := range []float64{first, second} {
			r.Scores.Directions[k].Metrics = metrics.Values{key: v}
		}
	}
	set(records[1], "unchanged_share", "unchanged_share", .98, .9, 1)
	set(records[2], "length_ratio", "halved_share", .7, .05, .452)
	records[5].Partial, records[6].Axes = true, records[6].Axes[:2]
	return records
}

// TestNotRanked checks that human references, systems with a flaw, and systems without outputs in
// some directions are not ranked, and that signs and notes explain the flaws.
func TestNotRanked(t *testing.T) {
	table := Build("results", constructed(), About{})
	if got, want := heads(table), "System,TST%,s-BLEU,Nat.,Mean,PPL,unchanged %,length ratio,most frequent new word %,"+
		"distinct new words,repeated word %"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	want := []string{ // ** marks the best value
		"one word‡ 99.0 51.0 0.87 79.0‡ 900.0 0.0 0.95 98.0 / 98.0 3 / 3 0.0 / 0.0",
		"copied§‖ 3.0 100.0 0.90 80.3§‖ 40.0 98.0 0.95 0.0 / 0.0 0 / 0 0.0 / 0.0",
		"cut¶ 97.0 45.0 0.95 79.0¶ 30.0 0.0 0.70 10.0 / 10.0 200 / 200 0.0 / 0.0",
		"sound 88.0** 60.0** 0.84** 77.3** 70.0 0.0 0.95 10.0 / 10.0 300 / 300 0.0 / 0.0",
		"poor 40.0 50.0 0.70 53.3 90.0 0.0 0.95 20.0 / 20.0 90 / 90 0.0 / 0.0",
		"partial 90.0 70.0 0.90 83.3 90.0 0.0 0.95 20.0 / 20.0 90 / 90 0.0 / 0.0",
		"human 65.0 25.0 0.65 51.7 90.0 0.0 0.95 3.0 / 3.0 800 / 800 0.0 / 0.0",
	}
	for i, r := range table.Rows {
		var cells []string
		for _, c := range r.Cells {
			cells = append(cells, c.Text+map[bool]string{Best: "**"}[c.Best]+c.Sign)
		}
		if got := strings.Join(cells, " "); got != want[i] {
			t.Errorf("row %d is\n%s, want\n%s", i, got, want[i])
		}
	}
	notes := strings.Join(said(table), "\n")
	for _, want := range []string{
		`and at least 5). Here: one word (seed 1): "best" 98.0 % / "worst" 98.0 %.`,
		"§: left unchanged, not ranked.",
		"§ Left unchanged, not ranked in any column: in one direction at least 50 % of the outputs, and at least 5, equal " +
			"their source word for word. Here: copied (seed 1): 180 of 200 / 1,000 of 1,000 outputs.",
		"‖: TST% below 20, not ranked.",
		"‖ TST% below 20, not ranked in any column: fewer than 20 % of all outputs have the target style. " +
			"Here: copied (seed 1): TST% 3.0.",
		"¶: shortened, not ranked.",
		"¶ Shortened, not ranked in any column: in one direction at least 30 % of the outputs, and at least 10, have at most " +
			"half as many words as their source. Here: cut (seed 1): 10 of 200 / 452 of 1,000 outputs.",
		"unchanged %: outputs that", "length ratio: words in", "PPL: perplexity",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes lack %q:\n%s", want, notes)
		}
	}
	if strings.Contains(notes, "dist-2") {
		t.Errorf("a note explains a column that is not there:\n%s", notes)
	}
	if table.Unmarked != "References are not ranked." {
		t.Errorf("the table says of unmarked rows: %q", table.Unmarked)
	}
	sound := strings.Join(said(Build("results", constructed()[3:], About{})), "\n")
	for _, f := range metrics.AllFlaws() {
		if strings.Contains(sound, f.Sign) {
			t.Errorf("a note explains %s, which no system is:\n%s", f.Name, sound)
		}
	}
	content := Build("content", constructed(), About{})
	for i, sign := range []string{"‡", "§‖", "¶"} {
		if got := content.Rows[i].Cells[0].Sign; got != sign {
			t.Errorf("row %d of the table content has the sign %q", i, got)
		}
	}
}

// TestFlawNotesAreCut checks that a note names at most flawedListed systems.
func TestFlawNotesAreCut(t *testing.T) {
	notes := flawNotes(slices.Repeat(constructed()[:1], 20), true)
	if len(notes) != 1 || strings.Count(notes[0], "market one word") != flawedListed || !strings.HasSuffix(notes[0],
		"; and 8 more.") {
		t.Errorf("notes %q", notes)
	}
}

// TestGivenScores checks that scores that another program computed have columns.
func TestGivenScores(t *testing.T) {
	records := constructed()
	records[3].Values["given.fluency"] = .25
	made := Build("results", records, About{})
	if j := made.Column("given.fluency"); j < 0 || made.Columns[j].Head != "fluency" || made.Rows[3].Cells[j].Text != "0.25" ||
		made.Rows[4].Cells[j].Text != Absent || !made.Columns[j].Minor {
		t.Errorf("columns %s", heads(made))
	}
}

// mainRecords returns records of one of our systems with two seeds and two decodings, of a
// published system, and of human references. The paper has values for both systems, but not for
// guided decoding.
func mainRecords() []*Record {
	ours := func(decoding string, seed int, tst, mean float64) *Record {
		r := system("amazon", "SMLM", scores(tst, 30, 60, .9, mean, .1*float64(seed), .1, 100, 100, 0, 0),
			"lambda_eps", "0.5", "decoding", decoding, Seed, fmt.Sprint(seed))
		if decoding == "guided" {
			r.Paper = ""
		}
		return r
	}
	other := func(kind Kind, name string) *Record {
		return as(kind, system("amazon", name, scores(58.2, 34.15, 68.3, .93, 73, .1, .1, 100, 100, 0, 0)))
	}
	return []*Record{
		ours("copied", 1, 60, 70), ours("copied", 2, 64, 72), ours("guided", 1, 80, 75), ours("guided", 2, 80, 77),
		other(Published, "DirR"), other(People, "references"),
	}
}

// TestMainTable checks the table "main". Values are means over seeds with their standard
// deviations. The column with the share of the most frequent new word has the largest share
// instead. A setting with only one value has no column.
func TestMainTable(t *testing.T) {
	table := Build("main", mainRecords(), About{})
	if got, want := heads(table), "System,TST%,r-BLEU,s-BLEU,Nat.,Mean,most frequent new word %"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	want := []string{
		"SMLM (copied)|62.0 ± 2.8|30.0 ± 0.0|60.0 ± 0.0|0.90 ± 0.00|71.0 ± 1.4|20.0 / 10.0",
		"SMLM (guided)|80.0 ± 0.0|30.0 ± 0.0|60.0 ± 0.0|0.90 ± 0.00|76.0 ± 1.4|20.0 / 10.0",
		"DirR|58.2|34.1|68.3|0.93|73.0|10.0 / 10.0",
		"references|58.2|34.1|68.3|0.93|73.0|10.0 / 10.0",
	}
	got := lines(table)
	if len(got) != len(want) {
		t.Fatalf("rows %q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("row %d is %q, want %q", i, got[i], want[i])
		}
	}
	for i, r := range table.Rows {
		for j, c := range r.Cells {
			if i >= 3 && c.Best { // the row of references
				t.Errorf("row %d, column %d is ranked", i, j)
			}
		}
	}
	legend := strings.Join(table.Legend, " ")
	if want := "over 2 seeds"; !strings.Contains(legend, want) {
		t.Errorf("the legend lacks %q: %s", want, legend)
	}
	var b strings.Builder
	if err := table.Write(&b, "latex"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`\toprule`, `\textbf{80.0}{\scriptsize$\,\pm\,$0.0}`, `62.0{\scriptsize$\,\pm\,$2.8}`,
		`58.2\phantom{{\scriptsize$\,\pm\,$2.8}}`, `\caption[Automatic evaluation`, `\label{tab:main}`,
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
	// A setting that has several values has a column.
	records := mainRecords()
	records[2], records[3] = records[2].with("lambda_eps", "1"), records[3].with("lambda_eps", "1")
	if got := heads(Build("main", records, About{})); !strings.HasPrefix(got, "System,lambda_eps,TST%") {
		t.Errorf("columns %s", got)
	}
}

// contentAbout has the signatures of several metrics. Some of them have no column in the table
// "content".
var contentAbout = About{Seeds: []uint64{1, 2}, Profile: "paper", Signatures: map[string]string{
	"s_bleu": metrics.BLEUSignature("source"), "rouge_l": rougeLSignature,
	"cider": ciderSignature,
}}

// contentRecords returns systems on two data sets. The last system has no metrics of content
// preservation.
func contentRecords() []*Record {
	values := func(rougeL, cider float64) *metrics.Scores {
		return &metrics.Scores{Metrics: metrics.Values{"rouge_l": rougeL, "cider": cider}}
	}
	return []*Record{
		as(Published, system("market", "Tag", values(0.7071, 4.3262))),
		system("market", "SMLM-FT", values(0.7388, 4.9344), "lambda_eps", "0.15", Seed, "1"),
		system("market", "SMLM-FT", values(0.8031, 4.9338), "lambda_eps", "0.5", Seed, "2"),
		as(People, system("market", "references", values(0.9, 9.9))),
		system("plain & fancy_100%", "SMLM-G", values(0.5, 0), Seed, "1"),
		as(Published, system("plain & fancy_100%", "D&R", values(0.5, 3.5))),
		system("market", "SMLM", &metrics.Scores{}, Seed, "1"),
	}
}

// TestContent checks which values are marked as best. On "market", .803 is the best ROUGE-L, and
// two rows share the best CIDEr. Human references are not ranked. On the other data set, all
// ROUGE-L are equal, so none is marked.
func TestContent(t *testing.T) {
	made := Build("content", contentRecords(), contentAbout)
	if got, want := heads(made), "Data set,System,lambda_eps,seed,ROUGE-L,CIDEr"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	var got []string
	for _, r := range made.Rows {
		cells := lists.Map(r.Cells, func(c table.Cell) string {
			return c.Text + map[bool]string{Best: "*"}[c.Best]
		})
		got = append(got, map[bool]string{true: "-- "}[r.Rule]+strings.Join(cells, "|"))
	}
	want := []string{
		"market|SMLM-FT|0.15|1|0.739|4.934*",
		"market|SMLM-FT|0.5|2|0.803*|4.934*",
		"market|SMLM||1|–|–",
		"-- market|Tag|||0.707|4.326",
		"-- market|references|||0.900|9.900",
		"-- plain & fancy_100%|SMLM-G||1|0.500|0.000",
		"-- plain & fancy_100%|D&R|||0.500|3.500*",
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestContentNotes checks that the title names the data set if there is only one. Each table must
// print the signatures of its own columns, and must not change the caller's map.
func TestContentNotes(t *testing.T) {
	records := contentRecords()[:1]
	table := Build("content", records, contentAbout)
	if table.Title != "Content preservation on the market test set." || heads(table) != "System,ROUGE-L,CIDEr" {
		t.Errorf("%q, columns %s", table.Title, heads(table))
	}
	notes := strings.Join(said(table), "\n")
	if !strings.Contains(notes, "cider: cider|") || !strings.Contains(notes, "rouge_l: rouge_l|") ||
		strings.Contains(notes, "s_bleu") {
		t.Errorf("notes of content:\n%s", notes)
	}
	records[0].Values["s_bleu"] = 50
	notes = strings.Join(said(Build("results", records, contentAbout)), "\n")
	if strings.Contains(notes, "cider") || strings.Contains(notes, "rouge_l") || !strings.Contains(notes, "s_bleu: bleu4|") {
		t.Errorf("notes of results:\n%s", notes)
	}
	if len(contentAbout.Signatures) != 3 {
		t.Errorf("the signatures are now %v", contentAbout.Signatures)
	}
	if empty := Build("content", nil, About{}); len(empty.Rows) != 0 || !strings.HasSuffix(empty.Title, "on the test sets.") {
		t.Errorf("the table of no records is %+v", empty)
	}
}

// TestMainFitsTheScreen checks that `run` prints the table "main" as one block of at most 100
// columns and 18 lines, for a study of eight systems with two swept settings.
func TestMainFitsTheScreen(t *testing.T) {
	var records []*Record
	add := func(kind Kind, name string, settings ...string) {
		m := scores(76.5, 61.5, 73.7, 0.698, 73.3, 0.19, 0.18, 40, 48, 0, 0)
		m.Metrics["tst_unseen"] = 53.8
		records = append(records, as(kind, system("market", name, m, settings...)))
	}
	ours := func(name, decoding string) {
		n := len(records) % 2
		add(Ours, name, "lambda_con", fmt.Sprint(1.5+float64(n)/4), "lambda_eps", fmt.Sprint(1+n), "decoding", decoding, Seed, "1")
	}
	for _, name := range []string{"SMLM", "SMLM-G", "SMLM-FT"} {
		ours(name, "copied")
		ours(name, "guided")
	}
	ours("SMLM-G", "predicted")
	add(People, "references")
	chosen := about
	chosen.Legend = []string{"Each system is shown at the sweep point with the highest dev Mean."}
	var b strings.Builder
	if err := Build("main", records, chosen).Screen(&b); err != nil {
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
	for _, head := range []string{"TST%", "unseen", "r-BLEU", "s-BLEU", "Nat.", "Mean", "_con"} {
		if !strings.Contains(b.String(), head) {
			t.Errorf("no column %s:\n%s", head, &b)
		}
	}
}

// TestResultsByModel checks that the rows of a model are together. The model's name is printed
// once, and again in each row where a sign, such as ‡, follows it. Space separates models, and
// horizontal lines separate our systems, published systems and human references.
func TestResultsByModel(t *testing.T) {
	ours := func(name string, settings ...string) *Record {
		return system("market", name, scores(70, 20, 60, 0.8, 70, 0.1, 0.1, 100, 100, 0, 0), settings...)
	}
	tag := as(Published, ours("Tag"))
	collapsed := system("market", "SMLM", scores(70, 20, 60, 0.8, 70, 0.98, 0.98, 3, 3, 0, 0), "lambda_eps", "1")
	made := Build("results", []*Record{
		ours("SMLM", "lambda_eps", "0"), ours("SMLM-G", "lambda_eps", "0"), as(People, ours("references")), tag,
		ours("SMLM", "lambda_eps", "0.5"), collapsed, ours("SMLM-G", "lambda_eps", "0.5"),
	}, About{})
	var got []string
	for _, r := range made.Rows {
		line := r.Cells[0].Text + r.Cells[0].Sign + " " + r.Cells[1].Text
		if r.Rule {
			line = "-- " + line
		}
		if r.Gap && !r.Rule {
			line = "gap " + line
		}
		got = append(got, line)
	}
	want := []string{
		"SMLM 0", "SMLM 0.5", "SMLM‡ 1", "gap SMLM-G 0", "SMLM-G 0.5", "-- Tag ", "-- references ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	var b strings.Builder
	if err := made.Write(&b, "markdown"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "| SMLM |"); n != 1 || !strings.Contains(b.String(), "| SMLM‡ |") {
		t.Errorf("SMLM is printed %d times without its sign:\n%s", n, &b)
	}
	// If there are no settings, the system's name is printed in each row.
	if made := Build("results", []*Record{tag, as(Published, ours("DirR"))}, About{}); made.Columns[0].Merge {
		t.Error("names are merged although nothing else tells the rows apart")
	}
}

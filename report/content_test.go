package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/metrics"
)

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
		"market|SMLM-FT|0.15|1|0.739**|4.934*",
		"market|SMLM-FT|0.5|2|0.803*|4.934*",
		"market|SMLM||1|–|–",
		"-- market|Tag|||0.707|4.326**",
		"market|human references|||0.900|9.900",
		"-- plain & fancy_100%|SMLM-G||1|0.500|0.000**",
		"-- plain & fancy_100%|D&R|||0.500|3.500*",
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
	if table.Title != "Content preservation on the test set of market." || heads(table) != "System,ROUGE-L,CIDEr" {
		t.Errorf("%q, columns %s", table.Title, heads(table))
	}
	notes := strings.Join(said(table), "\n")
	if !strings.Contains(notes, "cider: cider|") || !strings.Contains(notes, "rouge_l: rouge_l|") ||
		strings.Contains(notes,
			"s_bleu") {
		t.Errorf("notes of content:\n%s", notes)
	}
	notes = strings.Join(Results(rows, contentAbout).Notes, "\n")
	switches := Switches(switchRows(), contentAbout)
	for _, t := range switches {
		notes += strings.Join(said(t), "\n")
	}
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

package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// One word in every mask, the sources copied, human references, and a sound system: the constructed
// outputs on which a table must make plain which is which. Figures are invented, but of the size
// that such outputs have.
func constructed() []ResultRow {
	row := func(system string, tst, s, nat, mean, ppl, self, share float64, distinct int) ResultRow {
		m := scores(tst, -1, s, nat, mean, share, share, distinct, distinct, 0, 0)
		m.Metrics["perplexity"], m.Metrics["self_bleu"] = ppl, self
		m.Directions[1].CommonestNewWord = "worst"
		if share == 0 {
			m.Directions[0].CommonestNewWord, m.Directions[1].CommonestNewWord = "", ""
		}
		m.Metrics["naturalness_by.CAAE"], m.Metrics["naturalness_by.ARAE"] = nat, .5
		return ResultRow{Dataset: "market", System: system, Seed: 1, Metrics: m}
	}
	rows := []ResultRow{
		row("one word", 99, 51, .87, 79, 900, 40, .98, 3), row("copied", 3, 100, .9, 64.3, 40, 12, 0, 0),
		row("sound", 88, 60, .84, 77.3, 70, 15, .1, 300), row("human", 65, 25, .65, 51.7, 90, 8, .03, 800),
	}
	rows[3].Published, rows[3].Unranked = true, true
	return rows
}

func TestCollapsedIsNotRanked(t *testing.T) {
	table := Results(constructed(), About{})
	if got, want := heads(table), "System,TST%,s-BLEU,Nat.,Mean,PPL,self-BLEU,commonest new word,distinct new "+
		"words,repeat,Nat. ARAE,Nat. CAAE"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	want := []string{ // **: best, *: second
		"one word‡ 99.0 51.0 0.870 79.00‡ 900.0 40.0 .98 / .98 3 / 3 .00 / .00 0.500 0.870",
		"copied 3.0* 100.0** 0.900** 64.30* 40.0 12.0 .00 / .00 0 / 0 .00 / .00 0.500 0.900",
		"sound 88.0** 60.0* 0.840* 77.30** 70.0 15.0 .10 / .10 300 / 300 .00 / .00 0.500 0.840",
		"human 65.0 25.0 0.650 51.70 90.0 8.0 .03 / .03 800 / 800 .00 / .00 0.500 0.650",
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
		`at least .50 of all new words of a direction, or of all words that outputs have more often than their sources, of which there are 20 or more (with fewer than 40 outputs: half as many as outputs, and at least 5). one word (seed 1): "best" .98 / "worst" .98.`,
		"PPL: perplexity", "self-BLEU: BLEU-4 of each", "Nat. and a name:",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes lack %q:\n%s", want, notes)
		}
	}
	if strings.Contains(notes, "dist-2") {
		t.Errorf("a note on a column that is not there:\n%s", notes)
	}
	if sound := Results(constructed()[1:], About{}); strings.Contains(strings.Join(sound.Notes, "\n"), collapsedSign) {
		t.Error("a note on collapse where nothing has collapsed")
	}
	content := Content(constructed(), About{})
	if content.Rows[0].Cells[0].Sign != collapsedSign {
		t.Error("the table of content does not show which system has collapsed")
	}
}

// A long list of collapsed systems is cut.
func TestCollapsedNotesAreCut(t *testing.T) {
	var rows []ResultRow
	for range 20 {
		rows = append(rows, constructed()[0])
	}
	notes := collapsedNotes(rows, true)
	if len(notes) != 1 || strings.Count(notes[0], "market one word") != collapsedListed || !strings.HasSuffix(notes[0],
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

// Of the signatures a table prints those of its columns, of which the judge that gives Nat. is
// none; equal ones and the BLEUs of other n share a line.
func TestSignatures(t *testing.T) {
	a := studyAbout()
	a.Data, a.Seeds, a.Profile = nil, nil, ""
	names := func(notes []string) []string {
		var out []string
		for _, n := range notes {
			if name, text, ok := strings.Cut(n, ": "); ok && strings.Contains(text, "|version:1") {
				out = append(out, name)
			}
		}
		return out
	}
	rows := studyResults()[:9]
	for _, c := range []struct {
		table *Table
		want  []string
	}{
		{
			Results(rows, a),
			[]string{
				"collapse", "mean", "naturalness", "naturalness_by.ARAE", "naturalness_by.DAR", "perplexity", "r_bleu",
				"s_bleu", "tst",
			},
		},
		{Content(rows, a), []string{"cider", "meteor", "rouge_l"}},
		{BLEU(rows, a), []string{"r_bleu, r_bleu_1, r_bleu_2, r_bleu_3", "s_bleu, s_bleu_1, s_bleu_2, s_bleu_3"}},
		{Significance(studySignificance()[:1], a), []string{"tst"}},
	} {
		if got := names(c.table.Signatures); !slices.Equal(got, c.want) {
			t.Errorf("%s: signatures of %q, want %q", c.table.Name, got, c.want)
		}
	}
	// A BLEU of another kind keeps its own line.
	other := map[string]string{"s_bleu": metrics.BLEUSignature(4, "source"), "s_bleu_1": metrics.BLEUSignature(1, "2")}
	if got := signatureLines(other); len(got) != 2 {
		t.Errorf("lines %q", got)
	}
}

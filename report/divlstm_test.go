package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// TestMixtureNote checks that a note warns of a large lambda_con.
func TestMixtureNote(t *testing.T) {
	for _, c := range []struct {
		con  string
		want bool
	}{
		{"10", true},
		{"5", true},
		{"2", false},
		{"0", false},
	} {
		records := []*Record{divLSTM("a", "0.5", 90, 90, .5, 1), divLSTM("a", c.con, 90, 90, .5, 1)}
		if got := slices.Contains(Build("divlstm", records, About{}).Notes, mixtureNote); got != c.want {
			t.Errorf("%+v: the note is there: %v", c, got)
		}
	}
}

// TestEvidenceNotes checks the note on attention that is not on style words, which counts the
// training runs, and the note on a style that has no words of its own. The column for found
// evidence exists only if a record has evidence.
func TestEvidenceNotes(t *testing.T) {
	found := func(con, evidence, offStyle string) *Record {
		r := divLSTM("a", con, 90, 90, .5, 1)
		r.Text["evidence_found"], r.Text[OffStyle] = evidence, offStyle
		r.Values["top_attention"], r.Values["restarts"] = .5, 2
		return r
	}
	good, off, silent := found("1", "0.80 / 0.90", ""), found("2", "0.80 / 0.10", "yes"), found("3", "0.70 / –", "")
	note := func(off, all int) string { return fmt.Sprintf(offStyleNote, off, wording.Count(all, "training")) }
	for _, c := range []struct {
		records []*Record
		want    []string
	}{
		{[]*Record{good}, nil},
		{[]*Record{good, off}, []string{note(1, 2)}},
		{[]*Record{good, silent}, []string{silentNote}},
		{[]*Record{off, silent, silent}, []string{note(1, 3), silentNote}},
	} {
		if got := Build("divlstm", c.records, About{}).Notes; !slices.Equal(got, c.want) {
			t.Errorf("notes %q, want %q", got, c.want)
		}
	}
	made := Build("divlstm", []*Record{good, silent, divLSTM("a", "0", 90, 90, .5, 1)}, About{})
	if !strings.Contains(made.Notes[0], "training does not start again, unless the LSTM is bidirectional") { // decision 040
		t.Errorf("notes %q do not say when there is no restart", made.Notes)
	}
	j := made.Column("evidence_found")
	if made.Columns[j].Align != table.Right {
		t.Error("the evidence is not right-aligned")
	}
	fields := [][]string{{"0.80", "0.90"}, {"0.70", "–"}}
	for i, want := range fields {
		if got := made.Rows[i].Cells[j].Parts; !slices.Equal(got, want) {
			t.Errorf("row %d has the CSV fields %q, want %q", i, got, want)
		}
	}
	for i, want := range []string{"0.80 / 0.90", "0.70 / –", Absent} {
		if got := made.Rows[i].Cells[j].Text; got != want {
			t.Errorf("row %d has the evidence %q, want %q", i, got, want)
		}
	}
	if without := Build("divlstm", studyDivLSTMs(), About{}); without.Column("evidence_found") >= 0 {
		t.Errorf("columns %s", heads(without))
	}
}

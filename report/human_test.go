package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/report/paper"
)

// The paper's two systems stand in its order, whichever is A; other pairs have columns of their
// own.
func TestHuman(t *testing.T) {
	rows := studyHuman()
	rows[1].A, rows[1].B, rows[1].ABetter, rows[1].BBetter = "SMLM-FT", "Tag", 120, 10
	table := Human(rows, About{})
	if got, want := heads(table), "Data set,Direction,A,B,A better %,B better %,both good %,both bad %,no "+
		"agreement %,kappa,annotators,sentences"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	want := []string{
		"snli|entailment to contradiction|Tag|SMLM|15.5|51.0|15.0|12.5|6.0|0.43|3|200",
		"snli|contradiction to entailment|Tag|SMLM-FT|5.1|60.9|15.2|12.7|6.1|–|3|197",
	}
	if d := cmp.Diff(want, lines(table)); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	if got := len(paper.Beside(table).Rows); got != 6 {
		t.Errorf("%d rows with the paper's, want 6", got)
	}
	rows = rows[:1]
	rows[0].A = "DirR"
	if table = Human(rows, About{}); paper.Beside(table) != table || heads(table) != "Data set,Direction,DirR "+
		"better %,SMLM better %,both good %,both bad %,no agreement %,kappa,annotators,sentences" {
		t.Errorf("another pair: columns %s", heads(paper.Beside(table)))
	}
	if got := percent(0, 0); got != Absent {
		t.Errorf("percent of nothing is %q", got)
	}
}

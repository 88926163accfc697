package runs

import (
	"bytes"
	"encoding/csv"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// TestMainIsChosenOnDev: of a sweep the main table has the point of each system whose dev outputs
// are best, whatever the test set says, and systems in one order whichever point each has.
func TestMainIsChosenOnDev(t *testing.T) {
	l := newLab(t, "smlm.models=['smlm', 'smlm-ft']", "smlm.decoding=['copied', 'guided']",
		"report.tables=['main', 'results', 'selection']")
	l.results()
	dev := map[string]map[string]int{ // right of ten, at lambda_eps 0.15 and 0.5
		"smlm copied": {"0.15": 3, "0.5": 8}, "smlm guided": {"0.15": 9, "0.5": 2},
		"smlm-ft copied": {"0.15": 7, "0.5": 6}, "smlm-ft guided": {"0.15": 1, "0.5": 4},
	}
	right := map[string]int{}
	for _, p := range l.plan.Points {
		for _, m := range p.Models {
			n := dev[m.Model+" "+string(m.Decoding)][p.Point.Axes[0].Value]
			right[m.Dev.ID], right[m.Score.ID] = n, 10-n
		}
	}
	l.scoredAs(func(job *stage.Job) int { return right[job.ID] })
	l.mustRun(Options{})
	r := l.collected()
	var text bytes.Buffer
	tables := r.Tables("main")
	if err := tables[0].Write(&text, "csv"); err != nil {
		t.Fatal(err)
	}
	reader := csv.NewReader(&text)
	rows, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns := []int{slices.Index(rows[0], "System"), slices.Index(rows[0], "lambda_eps"), slices.Index(rows[0], "TST%")}
	var got [][]string
	for _, row := range rows[1:] {
		got = append(got, []string{row[columns[0]], row[columns[1]], row[columns[2]]})
	}
	want := [][]string{
		{"SMLM (copied)", "0.5", "20"},
		{"SMLM (guided)", "0.15", "10"},
		{"SMLM-FT (copied)", "0.15", "30"},
		{"SMLM-FT (guided)", "0.5", "60"},
	}
	if d := cmp.Diff(want, got[:min(len(want), len(got))]); d != "" || len(r.Results) < 8 {
		t.Errorf("of %d results (-want +got):\n%s", len(r.Results), d)
	}
}

package runs

import (
	"bytes"
	"encoding/csv"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestMainIsChosenOnDev: the table "main" shows each system at the sweep point with the best dev
// outputs, even if another point is better on the test set. The order of systems does not depend on
// the points.
func TestMainIsChosenOnDev(t *testing.T) {
	l := newLab(t, "smlm.models=['smlm', 'smlm-ft']", "smlm.decoding=['copied', 'guided']")
	l.results()
	dev := map[string]map[string]int{ // how many of ten dev outputs have the target style, by system and lambda_eps
		"smlm copied": {"0.15": 3, "0.5": 8}, "smlm guided": {"0.15": 9, "0.5": 2},
		"smlm-ft copied": {"0.15": 7, "0.5": 6}, "smlm-ft guided": {"0.15": 1, "0.5": 4},
	}
	right := map[string]int{}
	for _, score := range l.plan.Named(stages.Score) {
		p := score.Points[0]
		n := dev[p.Model+" "+string(p.Decoding)][p.Axes[0].Value]
		if right[score.ID] = n; !p.OfDev() {
			right[score.ID] = 10 - n
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
	if d := cmp.Diff(want, got[:min(len(want), len(got))]); d != "" || len(r.Systems) < 8 {
		t.Errorf("of %d systems (-want +got):\n%s", len(r.Systems), d)
	}
}

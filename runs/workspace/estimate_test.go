package workspace

import (
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// TestEstimate: two trainings took 10 s and 20 s, 1 MB and 3 MB of disk, and at most 400 MB of
// memory; nothing is known of a language model.
func TestEstimate(t *testing.T) {
	times := Timings{}
	one := Record{Seconds: 10, Files: map[string]File{"a": {Size: 400_000}, "b": {Size: 600_000}}, Peak: 300e6, PeakOf: "stage"}
	two := Record{Seconds: 20, Files: map[string]File{"a": {Size: 3e6}}, Peak: 400e6, PeakOf: "stage"}
	all := Record{Peak: 9e9, PeakOf: "process"} // of the whole program: says nothing of a stage
	times.add(timingKeys(kind.SMLM, "1", "", "d"), one.taken())
	times.add(timingKeys(kind.SMLM, "2", "", "d"), two.taken())
	times.add(timingKeys(kind.Vocab, "3", "", "d"), all.taken())
	smlm := &plan.Stage{Kind: kind.SMLM, ID: "4", Inputs: map[string]*plan.Stage{"prepare": {ID: "d"}}}
	lm := &plan.Stage{Kind: kind.LM, ID: "5"}
	vocab := &plan.Stage{Kind: kind.Vocab, ID: "6"}

	e := times.Estimate([]*plan.Stage{smlm, smlm, lm})
	want := Estimate{
		Time: 30 * time.Second, Memory: 400e6, Disk: 4e6, UnknownTime: 1, UnknownMemory: 1, UnknownDisk: 1,
	}
	if e != want {
		t.Errorf("estimate %+v, want %+v", e, want)
	}
	for _, c := range []struct {
		stages []*plan.Stage
		want   string
	}{
		{nil, ""},
		{[]*plan.Stage{lm}, "unknown time, memory and disk of 1 stage"},
		{[]*plan.Stage{vocab}, "unknown memory of 1 stage"},
		{
			[]*plan.Stage{smlm, smlm, lm},
			"about 30s; up to 400 MB of memory; about 4.0 MB of disk; unknown time, memory and disk of 1 stage",
		},
	} {
		if got := times.Estimate(c.stages).String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	times.Add(lm, 5*time.Second) // a run's own, whose size is not known to it
	if got, want := times.Estimate([]*plan.Stage{lm}).String(),
		"about 5.0s; unknown memory of 1 stage; unknown disk of 1 stage"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

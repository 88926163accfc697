package workspace

import (
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestEstimate: two trainings took 10 s and 20 s, 1 MB and 3 MB of disk, and at most 400 MB of
// memory; nothing is known of a language model.
func TestEstimate(t *testing.T) {
	times := NewTimings()
	one := stage.Record{Seconds: 10, Files: map[string]stage.File{"a": {Size: 400_000}, "b": {Size: 600_000}}, Peak: 300e6, PeakOf: "stage"}
	two := stage.Record{Seconds: 20, Files: map[string]stage.File{"a": {Size: 3e6}}, Peak: 400e6, PeakOf: "stage"}
	all := stage.Record{Peak: 9e9, PeakOf: "process"} // of the whole program: says nothing of a stage
	data := map[string]*node{"prepare": {id: "d"}}
	times.add(&node{name: stages.SMLM, id: "1", inputs: data}, takenBy(&one, 1))
	times.add(&node{name: stages.SMLM, id: "2", inputs: data}, takenBy(&two, 1))
	times.add(&node{name: stages.Vocab, id: "3", inputs: data}, takenBy(&all, 1))
	smlm := &plan.Stage{Name: stages.SMLM, ID: "4", Inputs: map[string]*plan.Stage{"prepare": {ID: "d"}}}
	lm := &plan.Stage{Name: stages.LM, ID: "5"}
	vocab := &plan.Stage{Name: stages.Vocab, ID: "6", Inputs: map[string]*plan.Stage{"prepare": {ID: "d"}}}
	other := &plan.Stage{Name: stages.SMLM, ID: "7", Inputs: map[string]*plan.Stage{"prepare": {ID: "other data"}}}

	e := times.Estimate([]*plan.Stage{smlm, smlm, lm})
	want := estimate{
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
		{[]*plan.Stage{lm}, "time, memory and disk unknown for 1 stage"},
		{[]*plan.Stage{vocab}, "memory unknown for 1 stage"},
		{
			[]*plan.Stage{smlm, smlm, lm},
			"at least 30s; at least 400 MB of memory; at least 4.0 MB of disk; time, memory and disk unknown for 1 stage",
		},
		{[]*plan.Stage{smlm, smlm}, "about 30s; up to 400 MB of memory; about 4.0 MB of disk"},
		{[]*plan.Stage{other}, "time, memory and disk unknown for 1 stage"},
	} {
		if got := times.Estimate(c.stages).String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	times.Add(lm, 5*time.Second) // a run's own, whose size is not known to it
	if got, want := times.Estimate([]*plan.Stage{lm}).String(),
		"about 5.0s; memory unknown for 1 stage; disk unknown for 1 stage"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestOtherSizes: a training is guessed by its epochs where others on the same data and vocabulary
// were as large; of a larger one, or what is made with it, nothing is known.
func TestOtherSizes(t *testing.T) {
	data, vocab := &plan.Stage{Name: stages.Prepare, ID: "d"}, &plan.Stage{Name: stages.Vocab, ID: "v"}
	stage := func(name stage.Name, id string, settings any, inputs ...*plan.Stage) *plan.Stage {
		read := map[string]*plan.Stage{"prepare": data, "vocab": vocab}
		s := &plan.Stage{Name: name, ID: id, Settings: settings, Inputs: read}
		for _, in := range inputs {
			s.Inputs[string(in.Name)] = in
		}
		return s
	}
	smlm := func(id string, edit func(*stages.SMLMSettings)) *plan.Stage {
		s := stages.SMLMSettings{SMLMSettings: experiment.DefaultSettings().SMLM}
		s.Epochs = 10
		edit(&s)
		return stage(stages.SMLM, id, s)
	}
	times := NewTimings()
	trained := smlm("1", func(*stages.SMLMSettings) {})
	times.Add(trained, 10*time.Second)
	written := stage(stages.Transfer, "2", nil, trained)
	times.Add(written, 3*time.Second)
	mask := &plan.Stage{Name: stages.Mask, ID: "3", Inputs: map[string]*plan.Stage{"attribution": stage(stages.Attribution, "4", nil)}}
	times.Add(mask, time.Second)

	larger := smlm("5", func(s *stages.SMLMSettings) { s.Dim = 1024 })
	for _, c := range []struct {
		name string
		of   *plan.Stage
		want time.Duration // 0: not known
	}{
		{"another seed", smlm("6", func(s *stages.SMLMSettings) { s.Seed = 2 }), 10 * time.Second},
		{"twice the epochs", smlm("7", func(s *stages.SMLMSettings) { s.Epochs = 20 }), 20 * time.Second},
		{"a larger model", larger, 0},
		{"smaller batches", smlm("8", func(s *stages.SMLMSettings) { s.BatchTokens = 10 }), 0},
		{"written by one as large", stage(stages.Transfer, "9", nil, smlm("10", func(s *stages.SMLMSettings) { s.Seed = 3 })), 3 * time.Second},
		{"written by a larger one", stage(stages.Transfer, "11", nil, larger), 0},
		{"a mask of another attribution", &plan.Stage{
			Name: stages.Mask, ID: "12", Inputs: map[string]*plan.Stage{"attribution": stage(stages.Attribution, "13", nil)},
		}, time.Second},
	} {
		if got, ok := times.Of(c.of); got != c.want || ok != (c.want > 0) {
			t.Errorf("%s: %v, %v, want %v", c.name, got, ok, c.want)
		}
	}
}

// TestRecordsAreSizedAsStages: what a record says of a training counts for a stage of its size.
func TestRecordsAreSizedAsStages(t *testing.T) {
	for name, settings := range map[string]any{
		"smlm":   stages.SMLMSettings{SMLMSettings: experiment.DefaultSettings().SMLM},
		"smlm-g": stages.SMLMGSettings{Decoder: experiment.DefaultSettings().Decoder},
	} {
		s := &plan.Stage{Name: stage.Name(name), Settings: settings}
		text, err := plan.Canonical(settings)
		if err != nil {
			t.Fatal(err)
		}
		size, epochs := trainingSize(text)
		if n := NewTimings().node(s); n.size != size || n.epochs != epochs || size == "" || epochs != 15 {
			t.Errorf("%s: stage %q, %d epochs; record %q, %d", name, n.size, n.epochs, size, epochs)
		}
	}
	if size, epochs := trainingSize([]byte(`{"seed": 1}`)); size != "" || epochs != 0 {
		t.Errorf("what trains nothing: %q, %d epochs", size, epochs)
	}
}

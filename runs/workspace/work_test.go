package workspace

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// sized is the plan of the demo corpus, with more overrides, and what guesses its times on a
// machine of two cores.
func sized(t *testing.T, on here, set ...string) (*plan.Plan, Timings) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sized.toml")
	testkit.WriteFile(t, path, "[datasets.demo]\nbuiltin = \"demo\"\n")
	e, err := experiment.Load(path, append([]string{"devices=auto", "threads=2", "metrics.judges=['bayes']"}, set...))
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(e)
	if err != nil {
		t.Fatal(err)
	}
	ws, err := Open(filepath.Join(filepath.Dir(path), "workspace"))
	if err != nil {
		t.Fatal(err)
	}
	ws.here = on
	return p, ws.Timings(p)
}

// two cores of 3 GHz.
var two = here{cores: 2, speed: func(int) float64 { return 3e9 }}

// sum is the time guessed for all stages of a name.
func sum(t *testing.T, p *plan.Plan, times Timings, name stage.Name) time.Duration {
	t.Helper()
	all := time.Duration(0)
	for _, s := range p.Stages {
		if s.Name != name {
			continue
		}
		d, ok := times.Of(s)
		if !ok || d <= 0 {
			t.Fatalf("%s: %v, %v", s.Title(), d, ok)
		}
		all += d
	}
	return all
}

// TestSizesTell: where nothing has run, every stage has a time and a size on disk, roughly, which
// follow the sizes of the data and of the models and this machine's speed.
func TestSizesTell(t *testing.T) {
	small, err := filepath.Abs("../../pretrained/testdata/bert")
	if err != nil {
		t.Fatal(err)
	}
	p, times := sized(t, two)
	e := times.Estimate(p.Stages)
	if e.UnknownTime > 0 || e.UnknownDisk > 0 || !e.Rough || e.Disk <= 0 {
		t.Errorf("%+v: something is not guessed", e)
	}
	for _, c := range []struct {
		what        string
		name        stage.Name
		on          here
		set         string
		least, most float64 // of the time without the override
	}{
		{"twice the epochs", stages.SMLM, two, "smlm.epochs=30", 1.9, 2.1},
		{"a quarter of the text", stages.SMLM, two, "datasets.demo.max_train=7500", .2, .4},
		{"a larger model", stages.SMLM, two, "smlm.dim=1024", 2.5, 5},
		{"a larger model that writes", stages.Transfer, two, "smlm.dim=1024", 1.2, 5},
		{"the loss of masked words", stages.SMLM, two, "smlm.loss=masked", .7, .99},
		{"bfloat16", stages.SMLM, two, "smlm.precision=bf16", .5, .8},
		{"larger layers", stages.Classifier, two, "classifier.hidden=1024", 2, 4},
		{"both directions", stages.DivLSTM, two, "divlstm.bidirectional=false", .4, .6},
		{"fewer steps", stages.LM, two, "lm.max_steps=10", .0001, .1},
		{"a slower machine", stages.SMLM, here{cores: 2, speed: func(int) float64 { return 1e9 }}, "seeds=[1]", 2.9, 3.1},
		{"one core", stages.SMLM, here{cores: 1, speed: two.speed}, "seeds=[1]", 1.5, 2},
		{"from a small encoder", stages.SMLM, two, "smlm.pretrained=" + small, .001, .9},
		{"guided outputs", stages.Transfer, two, "smlm.decoding=['guided']", 1.5, 20},
	} {
		q, others := sized(t, c.on, c.set)
		had, has := sum(t, p, times, c.name), sum(t, q, others, c.name)
		if ratio := has.Seconds() / had.Seconds(); ratio < c.least || ratio > c.most {
			t.Errorf("%s (%s): %v, %.3g times %v, want %v to %v times", c.what, c.set, has, ratio, had, c.least, c.most)
		}
	}
}

// TestMemoryOfEncoders: what trainings from an encoder take is guessed as it was measured, and of
// others, and on a GPU, nothing is.
func TestMemoryOfEncoders(t *testing.T) {
	miniLM := recipe.SMLMShape{Layers: 6, Heads: 12, Dim: 384, FF: 1536}
	base := recipe.SMLMShape{Layers: 12, Heads: 12, Dim: 768, FF: 3072}
	for _, c := range []struct {
		shape              recipe.SMLMShape
		layers             int
		vocab, batch, text float64
		want               float64 // MB, measured on two cores
	}{
		{miniLM, 6, 10_000, 500, 0, 598},
		{miniLM, 6, 10_000, 1500, 0, 848},
		{miniLM, 6, 10_000, 3000, 0, 1176},
		{miniLM, 6, 25_000, 1500, 0, 1001},
		{miniLM, 2, 10_000, 1500, 0, 510},
		{base, 12, 10_000, 500, 0, 2361},
		{base, 12, 10_000, 1500, 0, 3269},
	} {
		got := encoderMemory(c.shape, c.layers, c.vocab, c.batch, c.text) / 1e6
		if got < .8*c.want || got > 1.2*c.want {
			t.Errorf("%+v: %.0f MB", c, got)
		}
	}
	small, err := filepath.Abs("../../pretrained/testdata/bert")
	if err != nil {
		t.Fatal(err)
	}
	for _, on := range []here{two, {cores: 2, gpu: true, speed: two.speed}} {
		p, times := sized(t, on, "smlm.pretrained="+small, "guide.kind=encoder", "guide.pretrained="+small,
			"smlm.decoding=['guided']")
		for _, s := range p.Stages {
			_, ok := times.Memory(s)
			from := slices.Contains([]stage.Name{stages.SMLM, stages.SMLMG, stages.SMLMFT, stages.Guide}, s.Name)
			if ok != (from && !on.gpu) {
				t.Errorf("%s, on a GPU %t: known %t", s.Name, on.gpu, ok)
			}
		}
	}
}

// TestEveryStageHasASize: a new stage has to say what it has to do.
func TestEveryStageHasASize(t *testing.T) {
	at := experiment.DefaultSettings()
	text := &plan.Text{Sentences: map[string]int{train: 100, dev: 20, test: 20}, Words: 10, Distinct: 50, Rated: 30}
	for _, name := range stages.Names() {
		s := &plan.Stage{Name: name, Inputs: map[string]*plan.Stage{
			"model": {Name: stages.SMLM}, "smlm": {Name: stages.SMLM},
		}}
		if name == stages.Attribution {
			s.Settings = stages.AttributionSettings{Splits: []string{"dev"}}
		}
		if name == stages.Encoder {
			s.Settings = stages.EncoderSettings{Bytes: 1000}
		}
		if name == stages.MaskedLM || name == stages.Selector {
			s.Inputs["encoder"] = &plan.Stage{Settings: stages.EncoderSettings{SMLMShape: at.SMLM.SMLMShape}}
		}
		if w, ok := workOf(s, &at, text); !ok || w.alone <= 0 || w.bytes <= 0 {
			t.Errorf("%s: %+v, %v", name, w, ok)
		}
	}
	if _, ok := workOf(&plan.Stage{Name: "of another program"}, &at, text); ok {
		t.Error("a stage that nobody knows has a size")
	}
}

// TestWhatRanCorrectsSizes: stages that took ten times as long as their sizes say make the others
// of their name ten times as long, and those of other names longer; what ran itself is known.
func TestWhatRanCorrectsSizes(t *testing.T) {
	p, times := sized(t, two, "smlm.dim=[256,512]", "smlm.models=['smlm']")
	var trainings []*plan.Stage
	for _, s := range p.Stages {
		if s.Name == stages.SMLM {
			trainings = append(trainings, s)
		}
	}
	if len(trainings) != 2 {
		t.Fatalf("%d trainings", len(trainings))
	}
	before := []time.Duration{sum(t, p, times, stages.SMLM), sum(t, p, times, stages.LM)}
	ran, other := trainings[0], trainings[1]
	of, _ := times.Of(ran)
	guess, how := times.guess(other)
	if how != rough {
		t.Fatalf("nothing ran, and %s is not guessed by its size", other.Title())
	}
	times.Add(ran, 10*of)
	if got, how := times.guess(ran); how != alike || got != 10*of {
		t.Errorf("what ran in %v is guessed at %v", 10*of, got)
	}
	got, how := times.guess(other)
	if ratio := got.Seconds() / guess.Seconds(); how != rough || ratio < 9 || ratio > 11 {
		t.Errorf("it is guessed at %v, %.3g times what its size says, want 9 to 11 times", got, ratio)
	}
	if lm := sum(t, p, times, stages.LM); lm < 5*before[1] {
		t.Errorf("a training of another kind is guessed at %v, before at %v", lm, before[1])
	}
}

// TestSizesSayNothingOfAGPU: where one may be used, trainings are guessed by trainings alone.
func TestSizesSayNothingOfAGPU(t *testing.T) {
	on := two
	on.gpu = true
	p, times := sized(t, on, "smlm.dim=[256,512]", "smlm.models=['smlm']")
	i := slices.IndexFunc(p.Stages, func(s *plan.Stage) bool { return s.Name == stages.SMLM })
	if d, ok := times.Of(p.Stages[i]); ok {
		t.Errorf("the training is guessed at %v", d)
	}
	if d, ok := times.Of(p.Stages[0]); !ok {
		t.Errorf("%s, which has nothing to do there, is not guessed, %v", p.Stages[0].Title(), d)
	}
	times.Add(p.Stages[i], 3*time.Second)
	sum(t, p, times, stages.SMLM)
	q, onCPU := sized(t, on, "devices=cpu")
	sum(t, q, onCPU, stages.SMLM)
}

// TestSpeedIsMeasuredOnce: for each number of threads.
func TestSpeedIsMeasuredOnce(t *testing.T) {
	var asked []int
	speed := once(func(threads int) float64 {
		asked = append(asked, threads)
		return float64(threads)
	})
	if got := speed(2) + speed(2) + speed(1); got != 5 || !slices.Equal(asked, []int{2, 1}) {
		t.Errorf("%v of %v", got, asked)
	}
	if n := cyclesNow(2); n <= 0 {
		t.Errorf("two threads get %v cycles a second", n)
	}
}

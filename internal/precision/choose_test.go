package precision

import (
	"errors"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// clocked is a clock of a made-up machine, which finds what times says of a layer, in seconds of
// float32 and of bfloat16, and the parts that it measured.
func clocked(t *testing.T, dir string, times map[string]Timing) (*Clock, *[]string) {
	t.Helper()
	asked := &[]string{}
	return &Clock{
		Dir: dir, Machine: func() Machine { return Machine{CPU: "a CPU", Libtorch: "2.1.2", Threads: 2} },
		Measure: func(p Part) (Timing, error) {
			*asked = append(*asked, p.Layer)
			found, ok := times[p.Layer]
			if !ok {
				t.Errorf("%s was measured", p.Layer)
			}
			return found, nil
		},
	}, asked
}

// paper is SMLM at the paper's size.
func paper() []Part { return []Part{Encoder(1536, 2, 512, 8, 2048), Words(1536, 512, 10_000)} }

// TestChoose: the precision whose step is the shorter one is chosen, by all parts of the model
// together, and float32 where bfloat16 is no better to speak of.
func TestChoose(t *testing.T) {
	like := Timing{1e-4, 1e-4}
	for _, c := range []struct {
		name           string
		encoder, words Timing
		want           recipe.Precision
	}{
		{"bfloat16 is faster at all", Timing{.2, .1}, Timing{.1, .05}, recipe.BF16},
		{"float32 is faster at all", Timing{.1, .2}, Timing{.05, .1}, recipe.FP32},
		// two layers of the encoder, and 10,000 / 4,096 times what is measured of the words:
		// .4 + .244 against .3 + .293
		{"the encoder decides", Timing{.2, .15}, Timing{.1, .12}, recipe.BF16},
		// .04 + .244 against .03 + .293
		{"the words decide", Timing{.02, .015}, Timing{.1, .12}, recipe.FP32},
		{"4 % are too little", Timing{.1, .096}, Timing{.1, .096}, recipe.FP32},
	} {
		clock, _ := clocked(t, t.TempDir(), map[string]Timing{
			probeProduct: like, "encoder": c.encoder, "words": c.words,
		})
		got, err := clock.onCPU(paper())
		if err != nil || got.Precision != c.want {
			t.Errorf("%s: %+v (%v), want %s", c.name, got, err, c.want)
		}
		fp32, bf16 := 2*c.encoder.FP32+10_000./4096*c.words.FP32, 2*c.encoder.BF16+10_000./4096*c.words.BF16
		if got.FP32 != fp32 || got.BF16 != bf16 || !strings.Contains(got.Why, "ms in bfloat16") {
			t.Errorf("%s: %+v, want %v and %v seconds", c.name, got, fp32, bf16)
		}
		// no more than 5 % are lost by the choice
		chosen := map[recipe.Precision]float64{recipe.FP32: fp32, recipe.BF16: bf16}[got.Precision]
		if chosen > 1.05*min(fp32, bf16) {
			t.Errorf("%s: %v s chosen of %v and %v", c.name, chosen, fp32, bf16)
		}
	}
}

// TestHopeless: where a small product takes many times as long in bfloat16, as on a CPU without any
// instructions for it, no layer is tried, which could take minutes.
func TestHopeless(t *testing.T) {
	clock, asked := clocked(t, t.TempDir(), map[string]Timing{probeProduct: {1e-4, 2e-2}})
	got, err := clock.onCPU(paper())
	if err != nil || got.Precision != recipe.FP32 || !strings.Contains(got.Why, "2e+02x as long") || len(*asked) != 1 {
		t.Errorf("%+v (%v), measured %v", got, err, *asked)
	}
}

// TestNotMeasured: what goes wrong is said, and is not kept.
func TestNotMeasured(t *testing.T) {
	dir := t.TempDir()
	broken, _ := clocked(t, dir, nil)
	for name, measure := range map[string]func(Part) (Timing, error){
		"it broke":          func(Part) (Timing, error) { return Timing{}, errors.New("it broke") },
		"it took 0 seconds": func(Part) (Timing, error) { return Timing{0, 1}, nil },
	} {
		broken.Measure = measure
		if _, err := broken.onCPU(paper()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
	sound, asked := clocked(t, dir, map[string]Timing{probeProduct: {1e-4, 1e-2}})
	if _, err := sound.onCPU(paper()); err != nil || len(*asked) != 1 {
		t.Errorf("measured %v afterwards (%v)", *asked, err)
	}
}

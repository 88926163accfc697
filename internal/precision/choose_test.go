package precision

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
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
func paper() []Part { return []Part{encoderPart(1536, 2, 512, 8, 2048), wordsPart(1536, 512, 10_000)} }

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
	if err != nil || got.Precision != recipe.FP32 ||
		!strings.Contains(got.Why, "2e+02 times as long") || len(*asked) != 1 {
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

// bf16Pays are timings by which SMLM is faster in bfloat16, fp32Pays those by which it is not.
var (
	bf16Pays = map[string]Timing{probeProduct: {1e-4, 1e-4}, "encoder": {.2, .1}, "words": {.2, .1}}
	fp32Pays = map[string]Timing{probeProduct: {1e-4, 1e-4}, "encoder": {.1, .2}, "words": {.1, .2}}
)

// choose wants a precision of SMLM, and returns which layers were measured for it.
func choose(t *testing.T, c *Clock, asked *[]string, want recipe.Precision) []string {
	t.Helper()
	*asked = nil
	if got, err := c.onCPU(paper()); err != nil || got.Precision != want {
		t.Errorf("%+v (%v), want %s", got, err, want)
	}
	return *asked
}

// TestKept: what one process measured another one reads, even where it would now find something
// else, and a part that two models share is measured once.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	first, asked := clocked(t, dir, bf16Pays)
	if n := choose(t, first, asked, recipe.BF16); len(n) != 3 {
		t.Errorf("measured %v", n)
	}
	if n := choose(t, first, asked, recipe.BF16); len(n) != 0 {
		t.Errorf("the same process measured %v again", n)
	}
	second, asked := clocked(t, dir, fp32Pays)
	if n := choose(t, second, asked, recipe.BF16); len(n) != 0 {
		t.Errorf("another process measured %v again", n)
	}
	// SMLM-G: the decoder alone is new
	second.Measure = func(p Part) (Timing, error) {
		*asked = append(*asked, p.Layer)
		return Timing{.1, .05}, nil
	}
	_, err := second.onCPU(append(paper(), decoderPart(1536, 2, 512, 8, 2048)))
	if err != nil || strings.Join(*asked, " ") != "decoder" {
		t.Errorf("measured %v (%v)", *asked, err)
	}
}

// TestAnotherMachine: a timing counts for one CPU, libtorch, number of threads and setting of the
// libraries' switches.
func TestAnotherMachine(t *testing.T) {
	dir := t.TempDir()
	first, asked := clocked(t, dir, bf16Pays)
	choose(t, first, asked, recipe.BF16)
	was := first.Machine()
	for name, edit := range map[string]func(*Machine){
		"CPU":          func(m *Machine) { m.CPU = "another CPU" },
		"flags":        func(m *Machine) { m.Flags = "0123" },
		"instructions": func(m *Machine) { m.Instructions = "AVX2" },
		"libtorch":     func(m *Machine) { m.Libtorch = "2.11.0" },
		"threads":      func(m *Machine) { m.Threads = 1 },
		"a switch": func(m *Machine) {
			capped := map[string]string{"ONEDNN_MAX_CPU_ISA": "AVX2"}
			m.Switches = switched(func(name string) string { return capped[name] })
		},
	} {
		m := was
		edit(&m)
		other, asked := clocked(t, dir, fp32Pays)
		other.Machine = func() Machine { return m }
		if n := choose(t, other, asked, recipe.FP32); len(n) != 3 {
			t.Errorf("another %s: measured %v", name, n)
		}
	}
	again, asked := clocked(t, dir, fp32Pays)
	if n := choose(t, again, asked, recipe.BF16); len(n) != 0 {
		t.Errorf("the first machine measured %v again", n)
	}
}

// TestDamaged: a file of the cache that is not as it was written is measured anew, and mended.
func TestDamaged(t *testing.T) {
	for name, damage := range map[string]func(text string) string{
		"empty":   func(string) string { return "" },
		"cut off": func(text string) string { return text[:len(text)/2] },
		"no time": func(text string) string {
			return strings.ReplaceAll(text, `_seconds": 0.`, `_seconds": -0.`)
		},
		"another part":    func(text string) string { return strings.Replace(text, `"in": 512`, `"in": 256`, 1) },
		"another machine": func(text string) string { return strings.Replace(text, "a CPU", "no CPU", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			first, asked := clocked(t, dir, bf16Pays)
			choose(t, first, asked, recipe.BF16)
			path := first.file(first.Machine(), paper()[0])
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			worse := damage(string(text))
			if worse == string(text) {
				t.Fatal("nothing was damaged")
			}
			if err := os.WriteFile(path, []byte(worse), 0o600); err != nil {
				t.Fatal(err)
			}
			second, asked := clocked(t, dir, bf16Pays)
			if n := choose(t, second, asked, recipe.BF16); strings.Join(n, " ") != "encoder" {
				t.Errorf("measured %v, want the encoder alone", n)
			}
			third, asked := clocked(t, dir, bf16Pays)
			if n := choose(t, third, asked, recipe.BF16); len(n) != 0 {
				t.Errorf("measured %v after it was mended", n)
			}
		})
	}
}

// TestTwoAtOnce: of processes that come at once one measures and the others wait for what it finds,
// so that all decide alike.
func TestTwoAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	var mu sync.Mutex
	measured, chosen := map[string]int{}, map[recipe.Precision]int{}
	for i := range 8 {
		c, _ := clocked(t, dir, nil) // flock tells open files apart, as it does processes
		c.Measure = func(p Part) (Timing, error) {
			mu.Lock()
			defer mu.Unlock()
			measured[p.Layer]++
			if i%2 == 0 {
				return bf16Pays[p.Layer], nil
			}
			return fp32Pays[p.Layer], nil
		}
		// one part, since which process measures is decided anew for each
		all.Go(func() {
			got, err := c.onCPU(paper()[:1])
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			chosen[got.Precision]++
		})
	}
	all.Wait()
	if len(chosen) != 1 || measured["encoder"] != 1 || measured[probeProduct] != 1 {
		t.Errorf("chosen %v, measured %v", chosen, measured)
	}
}

// TestNoFolder: where nothing can be kept, a process measures once for itself.
func TestNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", filepath.Join(file, "no folder")} {
		c, asked := clocked(t, dir, bf16Pays)
		choose(t, c, asked, recipe.BF16)
		if n := choose(t, c, asked, recipe.BF16); len(n) != 0 {
			t.Errorf("%q: measured %v again", dir, n)
		}
	}
}

// TestFolder: SMLM_EXP_CACHE names the cache folder, as it does for libtorch.
func TestFolder(t *testing.T) {
	t.Setenv("SMLM_EXP_CACHE", "/somewhere")
	if got := folder(); got != "/somewhere/precision" {
		t.Error(got)
	}
	t.Setenv("SMLM_EXP_CACHE", "")
	t.Setenv("XDG_CACHE_HOME", "/elsewhere")
	if got := folder(); got != "/elsewhere/smlm-exp/precision" {
		t.Error(got)
	}
}

// TestDescribed: virtual machines of two CPUs by one name are told apart by their instructions.
func TestDescribed(t *testing.T) {
	of := func(flags string) string {
		return "processor\t: 0\nmodel name\t: AMD EPYC\ncpu MHz\t\t: 2445.4\nflags\t\t: " + flags +
			"\n\nprocessor\t: 1\n"
	}
	model, one := described(of("avx2"))
	_, two := described(of("avx2 avx512_bf16"))
	_, same := described(strings.Replace(of("avx2"), "2445.4", "3000.0", 1))
	if model != "AMD EPYC" || one == two || one != same {
		t.Errorf("%q: %s, %s, and %s at another speed", model, one, two, same)
	}
}

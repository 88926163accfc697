package main

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// testBench is a parent whose worker of ours is this test.
func testBench(t *testing.T, alternations int) *bench {
	t.Helper()
	b := &bench{options: options{alternations: alternations, threads: 1}, out: io.Discard, dir: t.TempDir()}
	b.report.Rows = map[string]*row{}
	b.self = self(t)
	return b
}

// TestWorker goes through the protocol with a worker process of ours, for every model.
func TestWorker(t *testing.T) {
	b := testBench(t, 3)
	s := synthetic(40, reviews, 200, 1)
	path, err := b.write("data", s)
	if err != nil {
		t.Fatal(err)
	}
	for _, model := range models {
		t.Run(model, func(t *testing.T) {
			c := tiny(paperSizes(model, 0))
			c.Data = path
			r, err := b.compareRow(t.Context(), "test", row{Title: model, Sides: sides(ours("ours", c))}, b.slice)
			if err != nil {
				t.Fatal(err)
			}
			m := r.Sides[0]
			words, steps := 0, 0
			for i, a := range m.Runs {
				if a.Seconds <= 0 {
					t.Errorf("alternation %d took %v s", i, a.Seconds)
				}
				words, steps = words+a.Words, steps+m.Steps[i]
			}
			// Two steps were made before, so the last two are another epoch's, and words may differ
			// by two batches.
			if steps != m.Epoch || words < s.Words()-120 || words > s.Words()+120 {
				t.Errorf("%d of %d batches and %d of %d words were run", steps, m.Epoch, words, s.Words())
			}
			if m.Peak < 10<<20 {
				t.Errorf("a peak of %d bytes", m.Peak)
			}
		})
	}
}

// TestWords: the worker's count over whole epochs is that of the sentences.
func TestWords(t *testing.T) {
	s := synthetic(40, reviews, 200, 1)
	c := tiny(paperSizes("classifier", 0))
	c.Data = filepath.Join(t.TempDir(), "data.txt")
	if err := s.Write(c.Data); err != nil {
		t.Fatal(err)
	}
	m, err := newModelTask(c)
	if err != nil {
		t.Fatal(err)
	}
	n := m.steps()
	if got := m.words(0, n); got != s.Words() {
		t.Errorf("an epoch has %d words, want %d", got, s.Words())
	}
	if got := m.words(3, 2*n); got < 2*s.Words()-60 || got > 2*s.Words()+60 {
		t.Errorf("two epochs from batch 3 have %d words, want about %d", got, 2*s.Words())
	}
	if a, b := m.words(0, 3), m.words(3, n-3); a+b != s.Words() {
		t.Errorf("parts of %d and %d words, want %d", a, b, s.Words())
	}
}

// TestFlat reads the memory of a short training: the handles must not grow.
func TestFlat(t *testing.T) {
	b := testBench(t, 1)
	b.quick = true
	path, err := b.write("data", synthetic(40, reviews, 200, 1))
	if err != nil {
		t.Fatal(err)
	}
	f, err := b.flatness(t.Context(), "smlm-ft", path)
	if err != nil {
		t.Fatal(err)
	}
	if f.Live[0] == 0 || f.Live[0] != f.Live[1] || f.Resident[0] < 10<<20 {
		t.Errorf("%+v", f)
	}
}

// TestProductsTask makes a step's products.
func TestProductsTask(t *testing.T) {
	if why := torch.WhyNoBF16(); why != "" {
		t.Skip(why)
	}
	b := testBench(t, 2)
	c := tiny(paperSizes("smlm", 0)).Batch(60, 6)
	r, err := b.compareRow(
		t.Context(), "test", row{Sides: sides(ours("fp32", products(c, false)), ours("bf16", products(c, true)))},
		always(2),
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Sides {
		for _, a := range s.Runs {
			sum := 0.0
			for _, x := range a.Each {
				sum += x
			}
			if len(a.Each) != len(rateProducts(c)) || sum > 1.001*a.Seconds || sum < .999*a.Seconds {
				t.Errorf("%s: %v s of %v", s.Name, a.Each, a.Seconds)
			}
		}
	}
}

// TestWorkerErrors: a worker answers what it cannot do, and goes on.
func TestWorkerErrors(t *testing.T) {
	in := strings.Join([]string{
		`{"do":"run","n":1}`, `{"do":"prepare","case":{"task":"lunch"}}`, `{"do":"prepare","case":{"task":"train","data":"/nowhere"}}`,
		`not JSON`, `{"do":"prepare","case":{"task":"train","device":"cuda:99"}}`, `{"do":"hello"}`,
	}, "\n") + "\n"
	var out bytes.Buffer
	serve(strings.NewReader(in), &out)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 6 {
		t.Fatalf("%d answers:\n%s", len(lines), &out)
	}
	for i, want := range []string{"before prepare", "lunch", "nowhere", "error", "cuda:99", `"torch"`} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("answer %d is %s, want %s", i+1, lines[i], want)
		}
	}
}

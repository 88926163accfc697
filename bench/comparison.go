package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"sync"
)

// side is one of the programs a row compares.
type side struct {
	Name  string    `json:"name"`
	Case  benchCase `json:"case"`
	Plain bool      `json:"plain"` // the Python one

	times   int    // as many steps as the row asks for, 0 = once
	without string // the kernel that is off, "" = none
	newer   bool   // the Python with the newer PyTorch
}

// The names of sides that numbers are looked up by.
const (
	plainFP32    = "plain fp32"
	plainAll     = "plain fp32, all logits"    // where only masked words count
	plainMasked  = "plain fp32, masked logits" // logits where they count
	plainBF16    = "plain bf16 autocast"
	oursFP32     = "ours fp32"
	oursBF16     = "ours bf16"
	productsFP32 = "products fp32"
	productsBF16 = "products bf16"

	compiled = ", torch.compile" // behind the name of another
)

// ours and theirs are the two programs of a case.
func ours(name string, c benchCase) side   { return side{Name: name, Case: c} }
func theirs(name string, c benchCase) side { return side{Name: name, Case: c, Plain: true} }

// measured is what a side took.
type measured struct {
	side
	Runs  []reply `json:"runs"`  // one an alternation
	Steps []int   `json:"steps"` // of each
	Epoch int     `json:"epoch"` // batches of an epoch, 0 where there are none
	Peak  int64   `json:"peak"`  // bytes
}

// row is one comparison: the sides in the order they were run.
type row struct {
	Title string     `json:"title"`
	Sides []measured `json:"sides"`
	per   per
	warm  int                            // steps before the first alternation, 0 = one
	ready func(workers []*process) error // called before the warm-up, or nil
	same  bool                           // all sides are one process, which differ in the kernel that is off
}

// per says of what a row's seconds are.
type per int

const (
	perRun  per = iota // a step, a pass over the data, or a scoring
	perWord            // the sides' steps hold different numbers of words
)

// at finds a side by its name.
func (r *row) at(name string) int {
	return slices.IndexFunc(r.Sides, func(m measured) bool { return m.Name == name })
}

// each returns the seconds of a unit in every alternation.
func (r *row) each(s int) []float64 {
	m := r.Sides[s]
	out := make([]float64, len(m.Runs))
	for i, a := range m.Runs {
		out[i] = a.Seconds / float64(m.Steps[i])
		if r.per == perWord {
			out[i] = a.Seconds / float64(a.Words)
		}
	}
	return out
}

// unit is what a unit takes a side: the median of its alternations or, where these are parts of one
// epoch, its whole time by the word.
func (r *row) unit(s int) float64 {
	if r.per != perWord {
		return median(r.each(s))
	}
	took, words := 0.0, 0
	for _, a := range r.Sides[s].Runs {
		took, words = took+a.Seconds, words+a.Words
	}
	return took / float64(words)
}

// faster is how much faster side s is than side than: the median of the pairs or, of an epoch in
// parts, that of the whole.
func (r *row) faster(s, than int) float64 {
	if r.per == perWord {
		return r.unit(than) / r.unit(s)
	}
	return median(r.pairs(s, than))
}

// pairs returns how much faster side s is than side than, pair by pair.
func (r *row) pairs(s, than int) []float64 { return ratios(r.each(than), r.each(s)) }

// alternate measures all sides in turn, as often as asked for, each in a warm process, of its own
// unless the row says otherwise; steps says how many steps a side makes in alternation i, given the
// number of batches of its epoch.
func (b *bench) alternate(ctx context.Context, r row, steps func(i, epoch int) int) (*row, error) {
	workers := make([]*process, len(r.Sides))
	defer func() {
		for _, w := range workers {
			if w != nil {
				w.Stop()
			}
		}
	}()
	for i := range r.Sides {
		s := &r.Sides[i]
		if r.same && i > 0 {
			workers[i] = workers[0]
			continue
		}
		w, err := b.start(ctx, s.side)
		if err != nil {
			return nil, err
		}
		workers[i] = w
	}
	if err := b.prepare(r, workers); err != nil {
		return nil, err
	}
	if r.ready != nil {
		if err := r.ready(workers); err != nil {
			return nil, err
		}
	}
	for k, w := range workers {
		// caches, threads, and libtorch's choices
		if _, err := w.Ask(request{Do: "run", N: max(1, r.warm), Without: r.Sides[k].without}); err != nil {
			return nil, err
		}
	}
	for i := range b.alternations {
		for k, w := range workers {
			s := &r.Sides[k]
			n := steps(i, s.Epoch) * max(1, s.times)
			a, err := w.Ask(request{Do: "run", N: n, Without: s.without})
			if err != nil {
				return nil, err
			}
			s.Runs, s.Steps = append(s.Runs, a), append(s.Steps, n)
		}
	}
	for k, w := range workers {
		a, err := w.Ask(request{Do: "memory"})
		if err != nil {
			return nil, err
		}
		r.Sides[k].Peak = a.Peak
	}
	return &r, nil
}

// prepare has all workers read their sentences and make their models, side by side: Python takes a
// minute for the sentences of an epoch on a GPU.
func (b *bench) prepare(r row, workers []*process) error {
	errs := make([]error, len(workers))
	var all sync.WaitGroup
	for i, w := range workers {
		if r.same && i > 0 {
			continue
		}
		all.Go(func() {
			s := &r.Sides[i]
			c := s.Case
			c.Threads = b.threads
			var a reply
			a, errs[i] = w.Ask(request{Do: "prepare", Case: &c, Without: s.without})
			s.Epoch = a.Steps
		})
	}
	all.Wait()
	if r.same {
		for i := range r.Sides {
			r.Sides[i].Epoch = r.Sides[0].Epoch
		}
	}
	return errors.Join(errs...)
}

// start starts a side's worker.
func (b *bench) start(ctx context.Context, s side) (*process, error) {
	if s.Plain {
		python := b.python
		if s.newer {
			python = b.newer
		}
		return startProcess(ctx, s.Name, []string{
			"TORCHINDUCTOR_CACHE_DIR=" + b.dir + "/inductor",  // what it compiles goes with the run
			"CXX=" + cmp.Or(os.Getenv("SMLM_EXP_CXX"), "g++"), // not the one that links with our libtorch
		}, python, b.worker)
	}
	var env []string
	// results of up to 61 MB, which no step has at once, would come as new pages each time
	if s.Case.Task == "products" {
		env = []string{"MALLOC_MMAP_MAX_=0"}
	}
	return startProcess(ctx, s.Name, env, b.self, "worker")
}

// always returns the same number of steps for every alternation.
func always(n int) func(int, int) int { return func(int, int) int { return n } }

// slice cuts an epoch into as many runs as there are alternations, so that all of it is run once.
func (b *bench) slice(i, epoch int) int {
	return max(1, (i+1)*epoch/b.alternations-i*epoch/b.alternations)
}

// sides makes measured of sides.
func sides(all ...side) []measured {
	out := make([]measured, len(all))
	for i, s := range all {
		out[i].side = s
	}
	return out
}

// median is the middle value, of an even number of them the mean of the two in the middle.
func median(xs []float64) float64 {
	s := slices.Sorted(slices.Values(xs))
	n := len(s)
	if n == 0 {
		return 0
	}
	return (s[(n-1)/2] + s[n/2]) / 2
}

// ratios divides pair by pair.
func ratios(above, below []float64) []float64 {
	out := make([]float64, min(len(above), len(below)))
	for i := range out {
		out[i] = above[i] / below[i]
	}
	return out
}

func least(xs []float64) float64 { return slices.Min(xs) }
func most(xs []float64) float64  { return slices.Max(xs) }

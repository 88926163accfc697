package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
)

// TestServed: the section knows what every kernel is for, and every task is one that a worker can
// do.
func TestServed(t *testing.T) {
	for _, k := range kernels.All() {
		if _, ok := served[k.Name]; !ok {
			t.Errorf("nothing is said of what %s serves", k.Name)
		}
	}
	if len(served) != len(kernels.All()) {
		t.Errorf("%d kernels serve tasks, there are %d", len(served), len(kernels.All()))
	}
}

// TestKernelsSection measures what one kernel is worth at a very small size.
func TestKernelsSection(t *testing.T) {
	b := testBench(t, 2)
	var out bytes.Buffer
	b.out, b.quick, b.sentences, b.kernel = &out, true, 200, "likeliest"
	if err := b.kernels(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, task := range served["likeliest"] {
		r := b.report.Rows["kernels/likeliest/"+task]
		if r == nil || len(r.Sides[1].Runs) != 2 || r.Sides[1].Runs[0].Processor <= 0 ||
			r.Sides[1].without != "likeliest" {
			t.Errorf("%s: %+v", task, r)
		}
		if !strings.Contains(out.String(), task) {
			t.Errorf("the table lacks %s:\n%s", task, &out)
		}
	}
}

// TestSaved: shares are taken pair by pair.
func TestSaved(t *testing.T) {
	r := row{Sides: []measured{
		{Runs: []reply{{Seconds: 3, Processor: 9}, {Seconds: 30, Processor: 9}, {Seconds: 3, Processor: 9}}},
		{Runs: []reply{{Seconds: 4, Processor: 10}, {Seconds: 40, Processor: 10}, {Seconds: 2, Processor: 10}}},
	}}
	if got := r.saved(clock); got != "25.0 % (-50.0 - 25.0)" {
		t.Errorf("by the clock %s", got)
	}
	if got := r.saved(processor); got != "10.0 % (10.0 - 10.0)" {
		t.Errorf("of processor time %s", got)
	}
}

package main

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		xs   []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 3, 2}, 2.5}} {
		given := slices.Clone(c.xs)
		if got := median(c.xs); got != c.want {
			t.Errorf("median of %v is %v, want %v", c.xs, got, c.want)
		}
		if !slices.Equal(c.xs, given) {
			t.Errorf("median changed %v to %v", given, c.xs)
		}
	}
}

// TestFaster: ratios are taken pair by pair, so that a machine that is slow for one alternation
// slows both of its sides.
func TestFaster(t *testing.T) {
	r := row{Sides: []measured{
		{
			Steps: []int{2, 2, 2},
			Runs:  []reply{{Seconds: 4, Words: 8}, {Seconds: 40, Words: 8}, {Seconds: 4, Words: 8}},
		},
		{
			Steps: []int{1, 1, 1},
			Runs:  []reply{{Seconds: 1, Words: 1}, {Seconds: 10, Words: 1}, {Seconds: 1, Words: 1}},
		},
	}}
	if got := r.pairs(1, 0); !slices.Equal(got, []float64{2, 2, 2}) || r.faster(1, 0) != 2 {
		t.Errorf("a step: %v and %v, want 2 each", got, r.faster(1, 0))
	}
	r.per = perWord
	if got := r.pairs(1, 0); !slices.Equal(got, []float64{.5, .5, .5}) {
		t.Errorf("a word: %v, want 0.5 each", got)
	}
}

// TestEpochInParts: alternations are parts of one epoch, and other parts on the other side, so all
// of it counts: 24 s of 24 words against 12 s of 24 words, although the median of the pairs says
// something else.
func TestEpochInParts(t *testing.T) {
	r := row{per: perWord, Sides: []measured{
		{
			Steps: []int{1, 1, 1},
			Runs:  []reply{{Seconds: 1, Words: 8}, {Seconds: 3, Words: 8}, {Seconds: 20, Words: 8}},
		},
		{
			Steps: []int{1, 1, 1},
			Runs:  []reply{{Seconds: 1, Words: 8}, {Seconds: 1, Words: 8}, {Seconds: 10, Words: 8}},
		},
	}}
	if got := r.faster(1, 0); got != 2 {
		t.Errorf("%v times as fast, want 2", got)
	}
	if got := r.unit(1); got != .5 {
		t.Errorf("a word takes %v s, want 0.5", got)
	}
}

// TestSlices: an epoch is run once, and in every alternation something is.
func TestSlices(t *testing.T) {
	b := &bench{options: options{alternations: 5}}
	for _, epoch := range []int{5, 7, 52, 104} {
		sum := 0
		for i := range 5 {
			n := b.slice(i, epoch)
			if n < 1 {
				t.Errorf("alternation %d of %d batches runs %d", i, epoch, n)
			}
			sum += n
		}
		if sum != epoch {
			t.Errorf("%d of %d batches are run", sum, epoch)
		}
	}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	b := &bench{out: &out, options: options{alternations: 3}}
	table := b.table("two columns", "About them.", []int{6, 8}, "", "median")
	table.add("ours", seconds(.0123))
	table.add("a long name", seconds(2))
	want := "\nTwo columns\nAbout them.\n          median\nours     12.3 ms\na long name    2.00 s\n"
	if out.String() != want {
		t.Errorf("printed\n%q, want\n%q", out.String(), want)
	}
	var file bytes.Buffer
	if err := b.writeMarkdown(&file); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"## Two columns\n\nAbout them.\n\n|  | median |\n| :--- | ---: |\n| ours | 12.3 ms |\n", "3 alternations",
	} {
		if !strings.Contains(file.String(), line) {
			t.Errorf("the Markdown lacks %q:\n%s", line, &file)
		}
	}
}

func TestTargets(t *testing.T) {
	for _, c := range []struct {
		target
		want bool
	}{
		{target{Want: 1.25, Got: 1.25}, true},
		{target{Want: 1.25, Got: 1.24}, false},
		{target{Want: 2, Got: 1, Most: true}, true},
		{target{Want: 2, Got: 2.1, Most: true}, false},
	} {
		if got := c.holds(); got != c.want {
			t.Errorf("%+v holds: %v", c.target, got)
		}
	}
}

// TestNamedSides: numbers are looked up by the names that sides have, whatever the order.
func TestNamedSides(t *testing.T) {
	b := &bench{out: io.Discard, report: report{Rows: map[string]*row{}}}
	fast, slow := measured{side: side{Name: oursFP32}}, measured{side: side{Name: plainFP32}}
	fast.Steps, fast.Runs = []int{1}, []reply{{Seconds: 1}}
	slow.Steps, slow.Runs = []int{1}, []reply{{Seconds: 3}}
	for _, order := range [][]measured{{fast, slow}, {slow, fast}} {
		b.report.Rows["growth/x"], b.report.Targets = &row{Sides: order}, nil
		b.ratio("growth/x", "x", oursFP32, plainFP32, 2)
		if got := b.report.Targets[0].Got; got != 3 {
			t.Errorf("%v times as fast, want 3", got)
		}
	}
}

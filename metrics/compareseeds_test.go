package metrics

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCompareSeedsTwice: a system whose seeds all write the same is that system, whatever it is
// compared with: in every figure, interval and p.
func TestCompareSeedsTwice(t *testing.T) {
	a, b := testRun(1, .2, .8), testRun(2, .3, .7)
	want, err := compareOne(a, b, 200, 1)
	if err != nil {
		t.Fatal(err)
	}
	for what, seeds := range map[string][2][][2][]Sentence{
		"two and two":   {{a, a}, {b, b}},
		"three and one": {{a, a, a}, {b}},
		"one and two":   {{a}, {b, b}},
		"three and two": {{a, a, a}, {b, b}},
	} {
		got, err := Compare(seeds[0], seeds[1], 200, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %d metrics, want %d", what, len(got), len(want))
		}
		for i, w := range want {
			g := got[i]
			for _, pair := range [][2]float64{
				{g.A, w.A},
				{g.B, w.B},
				{g.Difference, w.Difference},
				{g.Low, w.Low},
				{g.High, w.High},
				{g.PBootstrap, w.PBootstrap},
				{g.PRandomisation, w.PRandomisation},
			} {
				if !(math.Abs(pair[0]-pair[1]) <= 1e-9*(1+math.Abs(pair[1]))) {
					t.Errorf("%s, %s: %+v, want %+v", what, w.Metric, g, w)
					break
				}
			}
		}
	}
}

// TestCompareSeedsClusters: outputs of several seeds to one source are exchanged together. Six
// seeds that all gain on one source of two, in a direction of two, are no six pieces of evidence.
func TestCompareSeedsClusters(t *testing.T) {
	gain, none := recordsOf("1111100000", make([]float64, 10)), recordsOf("0000000000", make([]float64, 10))
	seeds := func(one [2][]Sentence) (all [][2][]Sentence) {
		for range 6 {
			all = append(all, one)
		}
		return all
	}
	got, err := Compare(seeds(gain), seeds(none), 20000, 1)
	if err != nil {
		t.Fatal(err)
	}
	// Five sources differ: of 2^5 exchanges two have all of them on one side.
	if p := comparison(t, got, "tst").PRandomisation; math.Abs(p-2./32) > monteCarlo(2./32, 20000) {
		t.Errorf("p is %v, want 2/32", p)
	}
}

// TestCompareSeedsMeans: figures that are means over outputs are means over seeds too.
func TestCompareSeedsMeans(t *testing.T) {
	one, two := recordsOf("11110", []float64{.1, .2, .3, .4, .5}), recordsOf("10000", []float64{.5, .5, .5, .5, .5})
	other := recordsOf("00000", make([]float64, 5))
	got, err := Compare([][2][]Sentence{one, two}, [][2][]Sentence{other}, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	if tst, nat := comparison(t, got, "tst"), comparison(t, got, "naturalness"); tst.A != 50 || math.Abs(nat.A-.4) > 1e-12 {
		t.Errorf("TST%% %v, want 50; naturalness %v, want .4", tst.A, nat.A)
	}
	if _, err := Compare([][2][]Sentence{one}, [][2][]Sentence{recordsOf("1", []float64{1})}, 10, 1); err == nil {
		t.Error("another test set is taken")
	}
}

// One baseline compares with several systems, of one seed or two, as it does with each alone.
func TestBaseline(t *testing.T) {
	a, b, c := testRun(1, .2, .8), testRun(2, .2, .8), testRun(3, .2, .8)
	base := NewBaseline([][2][]Sentence{a}, 20, 1)
	for _, rival := range [][][2][]Sentence{{b}, {b, c}, {c}} {
		got, err := base.Compare(rival)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Compare([][2][]Sentence{a}, rival, 20, 1)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
			t.Errorf("of %d metrics: %s", len(got), diff)
		}
	}
}

package corpus

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestBatchesProperties checks that every sentence is in exactly one batch, that the sentences of a
// batch have equal lengths and stay within the budget, and that the same seed and epoch give the
// same batches.
func TestBatchesProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(0, 12), 0, 80).Draw(t, "lengths")
		budget := rapid.IntRange(0, 40).Draw(t, "budget")
		seed := rapid.Uint64().Draw(t, "seed")
		epoch := rapid.IntRange(-1, 5).Draw(t, "epoch")
		given := slices.Clone(lengths)
		batches := Batches(lengths, budget, seed, epoch)
		if !slices.Equal(lengths, given) {
			t.Fatal("the lengths were changed")
		}
		seen := make([]int, len(lengths))
		for _, b := range batches {
			if len(b.Items) == 0 {
				t.Fatal("an empty batch")
			}
			if len(b.Items) > 1 && len(b.Items)*b.Len > budget {
				t.Fatalf("%d sentences of %d words, budget %d", len(b.Items), b.Len, budget)
			}
			for _, i := range b.Items {
				seen[i]++
				if lengths[i] != b.Len {
					t.Fatalf("a sentence of %d words in a batch of %d", lengths[i], b.Len)
				}
			}
		}
		for i, n := range seen {
			if n != 1 {
				t.Fatalf("sentence %d is in %d batches", i, n)
			}
		}
		if !reflect.DeepEqual(Batches(lengths, budget, seed, epoch), batches) {
			t.Fatal("not the same a second time")
		}
		if epoch < 0 {
			for k, b := range batches {
				if !slices.IsSorted(b.Items) || k > 0 && batches[k-1].Len > b.Len {
					t.Fatalf("batch %d of the evaluation is out of order: %v", k, batches)
				}
			}
		}
	})
}

func TestBatchesAreFull(t *testing.T) {
	// The test allows at most 12 words per batch. So 10 sentences of 4 words give batches of 3, 3,
	// 3 and 1 sentences, and 3 sentences of 5 words give batches of 2 and 1.
	lengths := []int{4, 5, 4, 4, 5, 4, 4, 4, 4, 5, 4, 4, 4}
	got := Batches(lengths, 12, 0, -1)
	want := []Batch{
		{
			[]int{0, 2, 3},
			4,
		}, {[]int{5, 6, 7}, 4}, {[]int{8, 10, 11}, 4}, {[]int{12}, 4}, {[]int{1, 4}, 5}, {[]int{9}, 5},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestBatchesShuffle(t *testing.T) {
	var lengths []int
	for _, row := range Demo().Encode(Dev, BuildVocab(nil, 0)).IDs {
		lengths = append(lengths, len(row))
	}
	a := Batches(lengths, 200, 1, 0)
	for name, b := range map[string][]Batch{"epoch": Batches(lengths, 200, 1, 1), "seed": Batches(lengths, 200, 2, 0)} {
		if reflect.DeepEqual(a, b) {
			t.Errorf("another %s gives the same batches", name)
		}
	}
	if slices.IsSortedFunc(a, func(x, y Batch) int { return x.Len - y.Len }) {
		t.Error("training batches come by length")
	}
}

// TestFitting checks that Fitting takes as many rows as fit into the token budget, but at least
// one.
func TestFitting(t *testing.T) {
	rows := [][]int64{{1, 2}, {3}, {4, 5, 6}}
	for tokens, want := range []int{1, 1, 1, 2, 2, 2, 3, 3} {
		if got := Fitting(rows, tokens); got != want {
			t.Errorf("%d rows of %d tokens, want %d", got, tokens, want)
		}
	}
}

// TestKept checks that links, e-mail addresses and mentions are marked as never masked, also after
// some of the sentences were selected. For text without them, Kept must be nil.
func TestKept(t *testing.T) {
	d := NewDataset("toy", Styles{"a", "b"})
	d.Text[Dev][0] = []Sentence{
		{"http://x", "https://tide.example/a_(b)?x=1#y", "ftp://a", "www.tide", "WWW.tide.example/x"},
		{"tide.com/x", "Tide.org", "ada.tern+x@mail.example", "@ada", "@bob_2"},
	}
	d.Text[Dev][1] = []Sentence{
		strings.Fields("#fog @ . ... a.b e.g. @5pm b*ats bo@ts @$$ @ss and/or 1/2 tide.com's http"),
		{"x", "@y"},
	}
	e := d.Encode(Dev, BuildVocab(d.Text[Dev], 0))
	check := func(e Encoded, sentence int, want func(k int) bool) {
		t.Helper()
		for k := range e.IDs[sentence] {
			if e.Keeps(sentence, k) != want(k) {
				t.Errorf("sentence %d: word %d is kept: %v", sentence, k, !want(k))
			}
		}
	}
	every, none := func(int) bool { return true }, func(int) bool { return false }
	second := func(k int) bool { return k == 1 }
	for i, want := range []func(int) bool{every, every, none, second} {
		check(e, i, want)
		check(e.Pick([]int{i}), 0, want)
	}
	e.Masks = make([][]bool, len(e.IDs))
	asked := e.ToRewrite(d.Labels.Directions())
	check(asked, 3, second)
	check(asked.Pick([]int{2, 1}), 1, every)
	d.Text[Dev][0], d.Text[Dev][1] = d.Text[Dev][1][:1], nil
	if kept := d.Encode(Dev, BuildVocab(d.Text[Dev], 0)).Kept; kept != nil {
		t.Errorf("text without a link has %v", kept)
	}
}

// TestAsk checks ToRewrite. With two styles, every sentence must appear once, in its old position,
// with the other style as its target. With three styles, every sentence must appear twice, once for
// each other style.
func TestAsk(t *testing.T) {
	encode := func(styles Styles) Encoded {
		d := NewDataset("toy", styles)
		for style := range styles {
			d.Text[Dev][style] = []Sentence{{"x"}, {"y", "z"}}
		}
		e := d.Encode(Dev, BuildVocab(d.Text[Dev], 0))
		for _, ids := range e.IDs {
			e.Masks = append(e.Masks, make([]bool, len(ids)))
			e.Scores = append(e.Scores, []float32{float32(len(e.Scores))})
		}
		return e
	}
	two := encode(Styles{"a", "b"})
	want := two
	want.Targets = []int{1, 1, 0, 0}
	if got := two.ToRewrite(Styles{"a", "b"}.Directions()); !reflect.DeepEqual(got, want) {
		t.Errorf("of two styles: %+v, want %+v", got, want)
	}
	three := Styles{"a", "b", "c"}
	got := encode(three).ToRewrite(three.Directions())
	if !slices.Equal(got.Styles, []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}) ||
		!slices.Equal(got.Targets, []int{1, 1, 2, 2, 0, 0, 2, 2, 0, 0, 1, 1}) ||
		len(got.IDs) != 12 || len(got.Masks) != 12 {
		t.Errorf("of three styles: %+v", got)
	}
	one := encode(three).ToRewriteAndRest([]Direction{{1, 0}})
	if !slices.Equal(one.Styles, []int{1, 1, 0, 0, 2, 2}) ||
		!slices.Equal(one.Targets, []int{0, 0, NoTarget, NoTarget, NoTarget, NoTarget}) ||
		len(one.IDs) != 6 || len(one.Masks) != 6 {
		t.Errorf("of one direction with the rest: %+v", one)
	}
	if len(one.Scores) != 6 || one.Scores[0][0] != 2 || one.Scores[5][0] != 5 {
		t.Errorf("the scores of one direction with the rest: %v", one.Scores)
	}
	some, want := got.Pick([]int{4, 0}), Encoded{
		IDs: [][]int64{got.IDs[4], got.IDs[0]}, Styles: []int{1, 0}, Targets: []int{0, 1},
		Masks: [][]bool{got.Masks[4], got.Masks[0]}, Scores: [][]float32{got.Scores[4], got.Scores[0]},
	}
	if !reflect.DeepEqual(some, want) {
		t.Errorf("the sentences that are picked are %+v, want %+v", some, want)
	}
}

package nn

import (
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"pgregory.net/rapid"
)

// TestLastOf checks that LastOf returns, for each sentence, the last state that the LSTM computes
// for this sentence alone. The order of the sentences, shared beginnings or ends, and repeated
// sentences must make no difference.
func TestLastOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.Int64Range(0, 3) // few words, so that sentences share prefixes
		rows := rapid.SliceOfN(rapid.SliceOfN(word, 1, 6), 1, 20).Draw(t, "rows")
		rows = append(rows, slices.Clone(rows[0]))
		in, hidden := rapid.IntRange(1, 9).Draw(t, "in"), rapid.IntRange(1, 35).Draw(t, "hidden")
		both := rapid.Bool().Draw(t, "both")
		err := torch.Run(func() error {
			torch.Seed(5)
			p := NewParams()
			defer p.Free()
			e, l := NewEmbedding(p, "embedding", 4, in), NewLSTM(p, "lstm", in, hidden, both)
			for _, w := range p.All() {
				w.Set(w.Detach().Scale(3))
			}
			return torch.NoGrad(func() error {
				got, err := l.LastOf(e, rows)
				if err != nil {
					return err
				}
				for i, row := range rows {
					want := l.Last(e.Forward(torch.FromInts(row, 1, int64(len(row)))))
					g, w := got.Narrow(0, int64(i), 1).Floats(), want.Floats()
					// A sentence has at most six time steps. Weights of up to 3 let errors grow, so
					// the bound is multiplied by 3. The appended 1 makes the difference relative to
					// 1, even if all states are small.
					bound := 3 * testkit.RoundingBound(testkit.Chain(6+1, in+hidden)...)
					if off := testkit.Difference(append(g, 1), append(w, 1)); !(off <= bound) {
						t.Errorf("sentence %v of %v: states %v, alone %v, apart %.2g", row, rows, g, w, off)
					}
				}
				return nil
			})
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestPrefixes checks the levels of a small tree. Each level has the distinct prefixes of its
// length. The prefixes that longer sentences continue come first. Ends finds the last prefix of
// every sentence.
func TestPrefixes(t *testing.T) {
	p := NewPrefixes([][]int64{{7, 1}, {5}, {7, 2, 2}, {7, 1}, {5, 1}, {7}}, false)
	if want := []int64{7, 1, 5, 2}; !slices.Equal(p.Words, want) {
		t.Errorf("words %v, not %v", p.Words, want)
	}
	if len(p.Levels) != 3 {
		t.Fatalf("%d levels", len(p.Levels))
	}
	for i, want := range []Level{
		{Words: []int64{0, 2}, Parents: []int64{0, 0}, Continuing: 2, Ends: []int64{0, 1}},
		{Words: []int64{3, 1, 1}, Parents: []int64{0, 0, 1}, Continuing: 1, Ends: []int64{1, 2}},
		{Words: []int64{3}, Parents: []int64{0}, Ends: []int64{0}},
	} {
		got := p.Levels[i]
		if !slices.Equal(got.Words, want.Words) || !slices.Equal(got.Parents, want.Parents) ||
			got.Continuing != want.Continuing || !slices.Equal(got.Ends, want.Ends) {
			t.Errorf("level %d is %+v, not %+v", i, got, want)
		}
	}
	if want := []int{2, 1, 4, 2, 3, 0}; !slices.Equal(p.Ends, want) {
		t.Errorf("ends %v, not %v", p.Ends, want)
	}
	if back := NewPrefixes([][]int64{{1, 7}, {2, 7}}, true); len(back.Levels[0].Words) != 1 {
		t.Errorf("read from their ends, first words are %v", back.Levels[0].Words)
	}
}

package smlm

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
	"pgregory.net/rapid"
)

// TestSearcher: what a search finds is the transfer's output and others, the likeliest first and
// none twice, with the source's words where nothing was masked; and log p of each word chosen is
// the model's, given the words before it.
func TestSearcher(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sentences(t)
		beam := rapid.IntRange(1, 5).Draw(t, "beam")
		noRepeats := rapid.Bool().Draw(t, "no repeats")
		seed := rapid.Uint64Range(0, 20).Draw(t, "seed")
		err := torch.Run(func() error {
			g := deepGenerator(seed)
			defer g.Params.Free()
			dec := Decoding{Decoding: recipe.Copied, Beam: beam, NoRepeats: noRepeats}
			plain, err := g.Transfer(context.Background(), d, dec)
			if err != nil {
				return err
			}
			s := Searcher{Generator: g, Beam: beam, NoRepeats: noRepeats}
			all, err := s.Search(context.Background(), d)
			if err != nil {
				return err
			}
			for i, found := range all {
				if len(found) == 0 || len(found) > beam {
					t.Fatalf("a beam of %d found %v", beam, found)
				}
				if !slices.Equal(found[0].IDs, plain[i]) && !tied(g, d, i, dec) {
					t.Errorf("beam %d found %v, the transfer %v", beam, found, plain[i])
				}
				for j, f := range found {
					if j > 0 && (f.LogQ > found[j-1].LogQ || slices.Equal(f.IDs, found[j-1].IDs)) {
						t.Errorf("beam %d: %v after %v", beam, f, found[j-1])
					}
					checkFound(t, g, d, i, f, beam)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func checkFound(t *rapid.T, g *Generator, d corpus.Encoded, i int, f guided.Found, beam int) {
	if len(f.IDs) != len(d.IDs[i]) || len(f.Asked) != len(f.IDs) {
		t.Fatalf("%v became %v", d.IDs[i], f)
	}
	sum, chosen := 0.0, false
	for k, id := range f.IDs {
		want := float64(following(g, d, i, f.IDs[:k])[id])
		switch {
		case d.Masks[i][k]:
			chosen = true
			if id < corpus.NumSpecial || math.Abs(f.Asked[k]-want) > logpOff {
				t.Errorf("word %d of %v has log p %v, want %v", k, f.IDs, f.Asked[k], want)
			}
		case id != d.IDs[i][k]:
			t.Errorf("word %d of %v became %d unmasked", k, d.IDs[i], id)
		}
		if d.Masks[i][k] || chosen && beam > 1 { // what all hypotheses share is left out
			sum += want
		}
	}
	if chosen && beam > 1 {
		sum += float64(following(g, d, i, f.IDs)[corpus.EosID])
	}
	if math.Abs(f.LogQ-sum) > logpOff {
		t.Errorf("%v has log p %v, want %v", f.IDs, f.LogQ, sum)
	}
}

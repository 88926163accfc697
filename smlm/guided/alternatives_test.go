package guided

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestAlternatives: what Transfer writes is among them once, as it wrote it; it is the
// first; all differ, change no word that was not masked there, and the others are in the order of a
// total that adds up.
func TestAlternatives(t *testing.T) {
	most := 0
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		r := refiller(how)
		written := transfer(t, r, d)
		r.How.Candidates, r.How.GuideWeight = 6, 2
		all, err := r.Alternatives(context.Background(), d, written)
		if err != nil {
			t.Fatal(err)
		}
		for i, found := range all {
			most = max(most, len(found))
			if !found[0].Written || !slices.Equal(found[0].Words, written[i].Words) || len(found) > 7 {
				t.Fatalf("sentence %d: %+v does not begin with what was written, %+v", i, found, written[i])
			}
			for k, a := range found {
				if k > 1 && found[k-1].Total < a.Total || k > 0 && a.Written {
					t.Fatalf("sentence %d: %+v are out of order", i, found)
				}
				same, asked := 0, 0.0
				for n, w := range a.Words {
					if asked += w.Asked; w.ID == d.IDs[i][n] {
						same++
					} else if written[i].Words[n].Origin == Kept {
						t.Fatalf("sentence %d: candidate %d changed word %d, which was kept", i, k, n)
					}
				}
				total := asked + how.Fluency*(&made{}).LogProb(a.IDs())
				if r.Guide != nil {
					logs, _ := (&made{}).LogProbs(context.Background(), [][]int64{a.IDs()})
					total += 2 * logs[0][d.Asked[i]]
				}
				if math.Abs(total-a.Total) > 1e-9 || a.Similarity != float64(same)/float64(len(a.Words)) {
					t.Fatalf("sentence %d: the total of %+v should be %v and its similarity %d of %d", i, a, total, same,
						len(a.Words))
				}
				for n := range k {
					if slices.Equal(found[n].IDs(), a.IDs()) {
						t.Fatalf("sentence %d: the candidates %d and %d are one", i, n, k)
					}
				}
			}
		}
	})
	if most < 4 {
		t.Errorf("no sentence has more than %d candidates", most)
	}
}

// TestAlternativesAreSettled: the likeliest filling of the masks comes to what is written, since
// candidates go all the way that an output goes.
func TestAlternativesAreSettled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		how.Candidates = 1
		r := refiller(how)
		all, err := r.Alternatives(context.Background(), d, transfer(t, r, d))
		if err != nil {
			t.Fatal(err)
		}
		for i, found := range all {
			if len(found) != 1 || !found[0].Written {
				t.Fatalf("%+v: sentence %d has another output than what is written: %+v", how, i, found)
			}
		}
	})
}

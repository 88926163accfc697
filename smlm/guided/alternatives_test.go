package guided

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"pgregory.net/rapid"
)

// TestAlternatives: what Transfer writes is among them once, as it wrote it; it is the
// first; all differ, change no word that was not masked there, and the others are in the order of a
// total that adds up.
func TestAlternatives(t *testing.T) {
	most := 0
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		slots := drawnSlots(t, &how)
		r := withSlots(how, slots)
		written := transfer(t, r, d)
		r.How.Candidates, r.How.GuideWeight = 6, 2
		wanted := rapid.IntRange(1, 6).Draw(t, "wanted")
		all, err := r.Alternatives(context.Background(), d, written, wanted)
		if err != nil {
			t.Fatal(err)
		}
		for i, found := range all {
			most = max(most, len(found))
			if !found[0].Written || !slices.Equal(found[0].Words, written[i].Words) || len(found) > 7 {
				t.Fatalf("sentence %d: %+v does not begin with what was written, %+v", i, found, written[i])
			}
			for k, a := range found {
				if k > 1 && found[k-1].Total < a.Total-rounding || k > 0 && a.Written {
					t.Fatalf("sentence %d: %+v are out of order", i, found)
				}
				same, asked := 0, 0.0
				for _, w := range a.Words {
					if asked += w.Asked; w.ID == d.IDs[i][w.Place] && w.Origin != Inserted {
						same++
					} else if kept(written[i], w.Place) {
						t.Fatalf("sentence %d: candidate %d changed word %d, which was kept", i, k, w.Place)
					}
				}
				// Empty words beside others have log q too.
				if off := asked - a.LogQ; off < -1e-9 || off > 1e-9 && r.Slots == 0 {
					t.Fatalf("sentence %d: log q is %v, of the words it is %v", i, a.LogQ, asked)
				}
				total := a.LogQ + how.Fluency*(&made{}).LogProb(a.IDs())
				if r.Guide != nil {
					logs, _ := (&made{}).LogProbs(context.Background(), [][]int64{a.IDs()})
					total += 2 * logs[0][d.Asked[i]]
				}
				if math.Abs(total-a.Total) > 1e-9 || a.Similarity != float64(same)/float64(len(d.IDs[i])) {
					t.Fatalf("sentence %d: the total of %+v should be %v and its similarity %d of %d",
						i, a, total, same, len(d.IDs[i]))
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

// kept tells whether the word of the source stands in a place because it was not masked.
func kept(o Output, place int) bool {
	return slices.ContainsFunc(o.Words, func(w Word) bool { return w.Place == place && w.Origin == Kept })
}

// TestAlternativesKeepNegated: where a phrase was negated, all candidates have the same words.
func TestAlternativesKeepNegated(t *testing.T) {
	negated := 0
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		slots := drawnSlots(t, &how)
		r := rankedRefiller(how, slots)
		for range 6 {
			r.Negations = append(r.Negations, drawnNegation(t))
		}
		written := transfer(t, r, d)
		r.How.Ranked, r.How.Candidates = false, 6
		all, err := r.Alternatives(context.Background(), d, written, 6)
		if err != nil {
			t.Fatal(err)
		}
		in := func(o Output, place int) []Word {
			return lists.Where(o.Words, func(w Word) bool { return w.Place == place })
		}
		for i, found := range all {
			for _, w := range written[i].Words {
				if !w.Negated {
					continue
				}
				for _, a := range found {
					if got, want := in(a.Output, w.Place), in(written[i], w.Place); !slices.Equal(got, want) {
						t.Fatalf("%+v stand where a phrase was negated, not %+v", got, want)
					} else if !a.Written {
						negated++
					}
				}
			}
		}
	})
	if negated == 0 {
		t.Error("no candidate has a negated phrase")
	}
}

// TestAlternativesAreSettled: the likeliest filling of the masks comes to what is written, since
// candidates go all the way that an output goes.
func TestAlternativesAreSettled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		how.Candidates = 1
		slots := drawnSlots(t, &how)
		r := withSlots(how, slots)
		all, err := r.Alternatives(context.Background(), d, transfer(t, r, d), 1)
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

// TestEnoughAlternatives: where revising makes one output of all fillings, they count as they were
// drawn, as many as are wanted, and the written one is still the first.
func TestEnoughAlternatives(t *testing.T) {
	more := 0
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		how.Candidates, how.Revise = 12, true
		slots := drawnSlots(t, &how)
		r := withSlots(how, slots)
		written := transfer(t, r, d)
		few, err := r.Alternatives(context.Background(), d, written, 1)
		if err != nil {
			t.Fatal(err)
		}
		many, err := r.Alternatives(context.Background(), d, written, 3)
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.IDs {
			if len(few[i]) >= 3 && !slices.EqualFunc(few[i], many[i], sameWords) {
				t.Fatalf("sentence %d: there are enough, and yet others: %+v, %+v", i, few[i], many[i])
			}
			if len(few[i]) < 3 && (len(many[i]) < len(few[i]) || len(many[i]) > 3) {
				t.Fatalf("sentence %d: %d outputs became %d, and 3 are wanted", i, len(few[i]), len(many[i]))
			}
			if !many[i][0].Written {
				t.Fatalf("sentence %d: %+v does not begin with what was written", i, many[i])
			}
			more += len(many[i]) - len(few[i])
		}
	})
	if more == 0 {
		t.Error("no sentence has more outputs where more are wanted")
	}
}

func sameWords(a, b Alternative) bool { return slices.Equal(a.IDs(), b.IDs()) }

// TestOrderOfCandidates: totals that rounding alone tells apart leave outputs as they were found.
func TestOrderOfCandidates(t *testing.T) {
	totals := func(all []Alternative) (out []float64) {
		for _, a := range all {
			out = append(out, a.Total)
		}
		return out
	}
	of := func(totals ...float64) (out []Alternative) {
		for _, x := range totals {
			out = append(out, Alternative{Total: x})
		}
		return out
	}
	low := math.Inf(-1)
	for _, c := range [][2][]float64{
		{{-3, -1, -2}, {-1, -2, -3}},
		{{-2, -1, -1 + rounding/2, -1 - rounding/2}, {-1, -1 + rounding/2, -1 - rounding/2, -2}},
		{{low, -1, low}, {-1, low, low}},
	} {
		if got := totals(byTotal(of(c[0]...))); !slices.Equal(got, c[1]) {
			t.Errorf("%v become %v, want %v", c[0], got, c[1])
		}
	}
}

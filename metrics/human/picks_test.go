package human

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestPicks: counted by hand. Of sentence 1 readers find x better than y and z, which are equal; of
// sentence 2 z better than x, and y was not read.
func TestPicks(t *testing.T) {
	r := Readings{
		rated(1, "x", "p", "222", 1), rated(1, "y", "p", "022", 0), rated(1, "z", "p", "202", 0),
		rated(2, "x", "p", "121", 0), rated(2, "z", "p", "122", 1),
	}
	numbers := map[string]float64{"1x": 5, "1y": 3, "1z": 5, "2x": 1, "2z": 2}
	got := r.Picks(func(system string, s Sentence) (float64, bool) {
		v, known := numbers[fmt.Sprint(s.Line)+system]
		return v, known
	})
	// total: x > y right, x and z equal: half; z > x right: 2.5 of 3
	// style: x > y right, z > y right: 2 of 2; content: x and y against z: .5 and 0; fluency: z > x
	for k, want := range []float64{100, 25, 100} {
		if math.Abs(got.Each[k].Value-want) > 1e-9 {
			t.Errorf("%s: %v %%, want %v", Scales[k].Name, got.Each[k].Value, want)
		}
	}
	if math.Abs(got.Total.Value-250./3) > 1e-9 || got.Total.Pairs != 3 || got.Each[0].Pairs != 2 ||
		!math.IsNaN(got.Total.Low) {
		t.Errorf("%+v, want 2.5 of 3 pairs and no interval of two sentences", got)
	}
}

// TestPicksOfReaders: outputs are compared by the readers who rated both, and those that differ by
// less than a point in their mean are not.
func TestPicksOfReaders(t *testing.T) {
	r := Readings{
		rated(1, "x", "p", "222", 1), rated(1, "x", "q", "122", 1), // x and y: a point of one of two readers
		rated(1, "y", "p", "122", 0), rated(1, "y", "q", "122", 0),
		rated(1, "z", "p", "022", 0),                               // z by p alone, who finds it worst
		rated(1, "w", "r", "000", 0), rated(1, "w", "s", "000", 0), // w by others
	}
	// z has the largest number, and x and y are better than it: by p alone, though both readers'
	// scores of y add up to 10 and those of z to 4
	numbers := map[string]float64{"x": 2, "y": 2, "z": 3, "w": 5}
	got := r.Picks(func(system string, _ Sentence) (float64, bool) { return numbers[system], true })
	if got.Total.Pairs != 2 || got.Total.Value != 0 || got.Each[0].Pairs != 2 || got.Each[1].Pairs != 0 {
		t.Errorf("%+v, want x and y against z alone", got)
	}
}

// TestPicksOfItself: the readers' own sum picks every pair, its opposite none, one number for all
// half; and the interval has the share within it.
func TestPicksOfItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r Readings
		sums := map[string]float64{}
		for line := 1; line <= 8; line++ {
			for _, system := range []string{"x", "y", "z"} {
				for _, reader := range []string{"p", "q"} {
					one := rated(line, system, reader, fmt.Sprintf("%d%d%d", rapid.IntRange(0, 2).Draw(t, "style"),
						rapid.IntRange(0, 2).Draw(t, "content"), rapid.IntRange(0, 2).Draw(t, "fluency")), 0)
					r = append(r, one)
					sums[fmt.Sprint(line)+system] += float64(one.total())
				}
			}
		}
		for want, sign := range map[float64]float64{100: 1, 50: 0, 0: -1} {
			got := r.Picks(func(system string, s Sentence) (float64, bool) {
				return sign * sums[fmt.Sprint(s.Line)+system], true
			})
			if got.Total.Pairs > 0 && (got.Total.Value != want || got.Total.Low > want || got.Total.High < want) {
				t.Fatalf("sign %v: %+v", sign, got.Total)
			}
		}
		none := r.Picks(func(string, Sentence) (float64, bool) { return 0, false })
		if none.Total.Pairs != 0 || !math.IsNaN(none.Total.Value) {
			t.Fatalf("of no number: %+v", none)
		}
	})
}

// TestRanks: counted by hand. Readers find x wholly of the style in 3 of 3 sentences, y in 2, z in
// 1 of 2 and w, of which no number is known, in 0.
func TestRanks(t *testing.T) {
	r := Readings{
		rated(1, "x", "p", "222", 1), rated(1, "y", "p", "220", 0), rated(1, "z", "p", "002", 0), rated(1, "w", "p", "022", 0),
		rated(2, "x", "p", "202", 1), rated(2, "y", "p", "220", 0), rated(2, "z", "p", "222", 1),
		rated(3, "x", "p", "202", 1), rated(3, "y", "p", "020", 0),
	}
	numbers := map[string]float64{"x": 1, "y": 3, "z": 2}
	got := r.Ranks(func(system string, of []Sentence) map[string]float64 {
		if system == "w" {
			return nil
		}
		out := map[string]float64{"number": numbers[system], "same": 7}
		if system != "z" {
			out["of two"] = 1
		}
		return out
	})
	// x, y, z by style 1, 2/3, 1/2; content 1/3, 1, 1/2; fluency 1, 0, 1; flawless 1/3, 0, 1/2.
	// The number has z between x and y: one pair of three as by style, three by content. x and z
	// are equal by fluency, and the other two pairs are opposite: -2 / sqrt(3 * 2).
	want := [4]float64{-1. / 3, 1, -2 / math.Sqrt(6), -1. / 3}
	is := got["number"]
	for c, s := range []Share{is.Whole, is.Content, is.Fluent, is.Flawless} {
		if math.Abs(s.Value-want[c]) > 1e-12 || !math.IsNaN(s.Low) {
			t.Errorf("tau %d is %+v, want %v and no interval of three sentences", c, s, want[c])
		}
	}
	if is.Systems != 3 || len(got) != 1 {
		t.Errorf("%+v, want one number that three systems have and in which they differ", got)
	}
}

// TestRanksOfItself: the readers' own share puts the systems in their order, its opposite in the
// reversed one, whatever sentences are drawn; and numbers are asked of the sentences that a system
// has readings of.
func TestRanksOfItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r Readings
		style := map[string]int{}
		at := func(s Sentence, system string) string { return fmt.Sprint(s.Line, system) }
		for line := 1; line <= 6; line++ {
			for _, system := range []string{"x", "y", "z"} {
				if system == "z" && line > 4 {
					continue
				}
				score := rapid.IntRange(0, 2).Draw(t, "style")
				one := rated(line, system, "p", fmt.Sprintf("%d22", score), 0)
				r, style[at(one.Key(), system)] = append(r, one), score
			}
		}
		got := r.Ranks(func(system string, of []Sentence) map[string]float64 {
			sum := 0.
			for _, s := range of {
				score, rated := style[at(s, system)]
				if !rated {
					t.Fatalf("asked of %s for %+v", system, s)
				}
				sum += truth(score == 2)
			}
			return map[string]float64{"same": sum / float64(len(of)), "reversed": -sum / float64(len(of))}
		})
		same, reversed := got["same"].Whole, got["reversed"].Whole
		if len(got) > 0 && (same != Share{1, 1, 1} || reversed != Share{-1, -1, -1}) {
			t.Fatalf("%+v, %+v", same, reversed)
		}
	})
}

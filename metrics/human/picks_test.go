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
	if math.Abs(got.Total.Value-250./3) > 1e-9 || got.Pairs != 3 || !math.IsNaN(got.Total.Low) {
		t.Errorf("%+v, want 2.5 of 3 pairs and no interval of two sentences", got)
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
			if got.Pairs > 0 && (got.Total.Value != want || got.Total.Low > want || got.Total.High < want) {
				t.Fatalf("sign %v: %+v", sign, got.Total)
			}
		}
		none := r.Picks(func(string, Sentence) (float64, bool) { return 0, false })
		if none.Pairs != 0 || !math.IsNaN(none.Total.Value) {
			t.Fatalf("of no number: %+v", none)
		}
	})
}

package metrics

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestLength compares the metrics of two directions with values computed by hand. In the first
// direction, the sources have 11 words and the outputs 5. In the second, they have 4 and 7. The
// overall values are computed over the words, or the outputs, of both directions together.
func TestLength(t *testing.T) {
	s, err := Score([]Input{
		{
			From: "x", To: "y",
			Source: testkit.Split("the lamp does not work here", "a dim room", "no light"),
			Output: testkit.Split("the lamp shines", "dim", "light"),
		},
		{From: "y", To: "x", Source: testkit.Split("the lamp hums ."), Output: testkit.Split("the old lamp hums all night .")},
	}, Instruments{})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string][3]float64{ // overall value, first direction, second direction
		"length_ratio": {12. / 15, 5. / 11, 7. / 4},
		"halved_share": {3. / 4, 1, 0}, // the first direction keeps 3 of 6, 1 of 3 and 1 of 2 words
	} {
		for k, got := range []float64{s.Metrics[key], s.Directions[0].Metrics[key], s.Directions[1].Metrics[key]} {
			if math.Abs(got-want[k]) > 1e-15 {
				t.Errorf("%s: %v, want %v", key, got, want[k])
			}
		}
		if s.Signatures[key] == "" {
			t.Errorf("%s has no signature", key)
		}
	}
	// Outputs and sources may have no words.
	s, err = Score([]Input{
		{From: "x", To: "y", Source: testkit.Split("one two three", ""), Output: testkit.Split("", "")},
		{From: "y", To: "x", Source: testkit.Split(""), Output: testkit.Split("a b")},
	}, Instruments{})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string][2]float64{
		"length_ratio": {0, 2}, "halved_share": {.5, 0},
	} {
		for k, d := range s.Directions {
			if got := d.Metrics[key]; got != want[k] {
				t.Errorf("without words %s of direction %d: %v, want %v", key, k, got, want[k])
			}
		}
	}
}

// TestShortened checks the flaw at its limits: in one direction, at least 30 % of the outputs, and
// at least ten, must be halved.
func TestShortened(t *testing.T) {
	for _, c := range []struct {
		name       string
		halved, of [2]int
		want       bool
	}{
		{"everything", [2]int{44, 43}, [2]int{44, 43}, true},
		{"one direction alone", [2]int{0, 43}, [2]int{44, 43}, true},
		{"three of ten in one direction", [2]int{150, 0}, [2]int{500, 500}, true},
		{"one less", [2]int{149, 149}, [2]int{500, 500}, false},
		{"rounded up", [2]int{0, 14}, [2]int{44, 44}, true},
		{"not enough of 44", [2]int{13, 13}, [2]int{44, 44}, false},
		{"too few to say so", [2]int{9, 9}, [2]int{9, 9}, false},
		{"the fewest", [2]int{10, 0}, [2]int{10, 10}, true},
		{"as many as people", [2]int{86, 86}, [2]int{500, 500}, false},
		{"nothing", [2]int{0, 0}, [2]int{500, 500}, false},
	} {
		dirs := make([]Input, 2)
		for k := range dirs {
			dirs[k].From, dirs[k].To = "xy"[k:k+1], "yx"[k:k+1]
			for i := range c.of[k] {
				source := []string{"room", fmt.Sprint(i), "is", "small"}
				output := slices.Clone(source[:3]) // 3 of 4 words are more than half
				if i < c.halved[k] {
					output = output[:2]
				}
				dirs[k].Source, dirs[k].Output = append(dirs[k].Source, source), append(dirs[k].Output, output)
			}
		}
		s, err := Score(dirs, Instruments{})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(s.Flaws(), Shortened); got != c.want || Ranked(s) == c.want {
			t.Errorf("%s: %v, flaws %q", c.name, got, Signs(s.Flaws()))
		}
		if got := slices.Contains(s.FlawKeys, "shortened"); got != c.want {
			t.Errorf("%s: in JSON the flaws are %q", c.name, s.FlawKeys)
		}
		for k := range s.Directions {
			if n, _ := s.Directions[k].Halved(); n != c.halved[k] || Shortened.Outputs(&s.Directions[k]) != n {
				t.Errorf("%s: %d halved outputs in direction %d, want %d", c.name, n, k, c.halved[k])
			}
		}
	}
}

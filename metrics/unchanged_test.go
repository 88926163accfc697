package metrics

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestUnchangedShare checks that an output counts as unchanged only if it has exactly the words of
// its source, in the same order and letter case.
func TestUnchangedShare(t *testing.T) {
	for _, c := range []struct {
		source, output string
		want           float64
	}{
		{"the lamp hums", "the lamp hums", 1},
		{"the lamp hums", "the  lamp hums ", 1}, // white space is not a word
		{"the lamp hums", "The lamp hums", 0},
		{"the lamp hums", "the hums lamp", 0},
		{"the lamp hums", "the lamp hums .", 0},
		{"the lamp hums", "the lamp", 0},
		{"the lamp hums", "", 0},
	} {
		in := Input{
			From: "x", To: "y", Source: testkit.Split("a door creaks", c.source), Output: testkit.Split("no door", c.output),
		}
		s, err := Score([]Input{in}, Instruments{})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Directions[0].Metrics["unchanged_share"]; got != c.want/2 {
			t.Errorf("%q to %q: %v of two", c.source, c.output, got)
		}
	}
	// The share is computed over the outputs of both directions: 3 of 4 and 0 of 1 outputs give 3/5
	// = .6. It is not the mean of .75 and 0.
	s, err := Score([]Input{
		{From: "x", To: "y", Source: testkit.Split("a", "b", "c", "d"), Output: testkit.Split("a", "b", "c", "x")},
		{From: "y", To: "x", Source: testkit.Split("d"), Output: testkit.Split("a")},
	}, Instruments{})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Metrics["unchanged_share"]; got != .6 {
		t.Errorf("of both directions %v, want .6", got)
	}
}

// TestLeftUnchanged checks the flaw at its limits: in one direction, at least half of the outputs,
// and at least five, must be unchanged.
func TestLeftUnchanged(t *testing.T) {
	for _, c := range []struct {
		name       string
		copied, of [2]int
		want       bool
	}{
		{"everything", [2]int{44, 43}, [2]int{44, 43}, true},
		{"one direction alone", [2]int{0, 43}, [2]int{44, 43}, true},
		{"half of one direction", [2]int{50, 0}, [2]int{100, 100}, true},
		{"half of an odd number, rounded up", [2]int{0, 22}, [2]int{44, 43}, true},
		{"less than half of an odd number", [2]int{0, 21}, [2]int{44, 43}, false},
		{"less than half of both", [2]int{49, 49}, [2]int{100, 100}, false},
		{"too few to say so", [2]int{4, 4}, [2]int{4, 4}, false},
		{"the fewest", [2]int{5, 0}, [2]int{5, 5}, true},
		{"nothing", [2]int{0, 0}, [2]int{500, 500}, false},
	} {
		dirs := make([]Input, 2)
		for k := range dirs {
			dirs[k].From, dirs[k].To = "xy"[k:k+1], "yx"[k:k+1]
			for i := range c.of[k] {
				source := []string{"room", fmt.Sprint(i), "is", "small"}
				output := slices.Clone(source)
				if i >= c.copied[k] {
					output[3] = fmt.Sprint("as large as ", i)
				}
				dirs[k].Source, dirs[k].Output = append(dirs[k].Source, source), append(dirs[k].Output, output)
			}
		}
		s, err := Score(dirs, Instruments{})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(s.Flaws(), LeftUnchanged); got != c.want || Ranked(s) == c.want {
			t.Errorf("%s: %v, flaws %q", c.name, got, Signs(s.Flaws()))
		}
		if got := slices.Contains(s.FlawKeys, "left_unchanged"); got != c.want {
			t.Errorf("%s: in JSON the flaws are %q", c.name, s.FlawKeys)
		}
		for k := range s.Directions {
			if n, _ := s.Directions[k].Unchanged(); n != c.copied[k] {
				t.Errorf("%s: %d unchanged outputs in direction %d, want %d", c.name, n, k, c.copied[k])
			}
		}
	}
	old := &Scores{Directions: []Direction{{N: 500, Metrics: Values{"s_bleu": 100}}}}
	if !Ranked(old) {
		t.Error("scores that were written before unchanged outputs were counted have a flaw")
	}
}

// TestFlaws checks that a system can have two flaws at once: half of its outputs are copies of
// their sources, and the others all have the same new word. The test also checks that flaws have
// different signs, keys and names, and that each rule states a percentage.
func TestFlaws(t *testing.T) {
	var in Input
	in.From, in.To = "x", "y"
	for i := range 80 {
		source := []string{"shop", fmt.Sprint(i), "is", "closed"}
		output := slices.Clone(source)
		if i%2 == 0 {
			output[3] = "great"
		}
		in.Source, in.Output = append(in.Source, source), append(in.Output, output)
	}
	s, err := Score([]Input{in}, Instruments{})
	if err != nil {
		t.Fatal(err)
	}
	if got := Signs(s.Flaws()); got != "‡§" || !slices.Equal(s.FlawKeys, []string{"collapsed", "left_unchanged"}) {
		t.Errorf("flaws %s %q", got, s.FlawKeys)
	}
	for i, f := range AllFlaws() {
		if strings.Contains(f.Rule, "%!") || !strings.Contains(f.Rule, "0 %") ||
			!strings.Contains(f.Rule, "in one direction") && f != LowTST {
			t.Errorf("rule %q", f.Rule)
		}
		for _, other := range AllFlaws()[:i] {
			if f.Key == other.Key || f.Sign == other.Sign || f.Name == other.Name {
				t.Errorf("%s and %s are not told apart", f.Name, other.Name)
			}
		}
	}
}

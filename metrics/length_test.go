package metrics

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"pgregory.net/rapid"
)

// editsBetween returns the edits from source to output.
func editsBetween(source, output string) edits {
	var c ngramCounter
	both := c.All(testkit.Split(source, output))
	e, _ := editsOf(both[0].IDs, both[1].IDs, nil)
	return e
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		source, output string
		want           edits
	}{
		{"the lamp hums", "the lamp hums", edits{3, 0, 0, 0}},
		{"the lamp hums", "the lamp shines", edits{2, 1, 0, 0}},
		{"the lamp hums", "The lamp hums", edits{2, 1, 0, 0}}, // letter case matters
		{"the old lamp hums", "the lamp hums", edits{3, 0, 1, 0}},
		{"the lamp hums", "the lamp hums all night", edits{3, 0, 0, 2}},
		{"the lamp hums", "", edits{0, 0, 3, 0}},
		{"", "a lamp", edits{0, 0, 0, 2}},
		{"", "", edits{}},
		// In the first pair, three words become one. In the second, one word is deleted and three
		// are inserted.
		{"the lamp does not work here", "the lamp shines here", edits{3, 1, 2, 0}},
		{"a small lamp", "a lamp that hums quietly", edits{2, 0, 1, 3}},
		// If two words are swapped, one of them is common, and the other is deleted and inserted.
		{"lamp hums", "hums lamp", edits{1, 0, 1, 1}},
		// Either "a" of the source could be the common word. The first one is chosen, because it
		// needs only two edits. The last one would need three.
		{"a dim a", "a lamp", edits{1, 1, 1, 0}},
		// The common word "e" is kept, although exchanging all five words would be fewer edits.
		{"a b c d e", "e f g h i", edits{1, 0, 4, 4}},
	} {
		if got := editsBetween(c.source, c.output); got != c.want {
			t.Errorf("%q to %q: %+v, want %+v", c.source, c.output, got, c.want)
		}
	}
}

// TestEditsOfAll compares editsOf with a recursive search over all alignments of short sentences.
// The search maximises the number of common words, and then minimises the number of edits. The test
// also checks that the counts add up to the numbers of words of both sentences.
func TestEditsOfAll(t *testing.T) {
	var most func(a, b []int32) edits // returns the edits of the best alignment
	most = func(a, b []int32) edits {
		if len(a) == 0 || len(b) == 0 {
			return edits{Deleted: len(a), Inserted: len(b)}
		}
		pair := most(a[1:], b[1:])
		if a[0] == b[0] {
			pair.Common++
		} else {
			pair.Exchanged++
		}
		without, with := most(a[1:], b), most(a, b[1:])
		without.Deleted++
		with.Inserted++
		return slices.MaxFunc([]edits{pair, without, with}, func(x, y edits) int {
			if x.Common != y.Common {
				return x.Common - y.Common
			}
			return y.Exchanged + y.Deleted + y.Inserted - x.Exchanged - x.Deleted - x.Inserted
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		sentence := rapid.SliceOfN(rapid.Int32Range(1, 3), 0, 6)
		a, b := sentence.Draw(t, "source"), sentence.Draw(t, "output")
		got, space := editsOf(a, b, nil)
		want := most(a, b)
		if got != want {
			t.Errorf("%v to %v: %+v, want %+v", a, b, got, want)
		}
		back, _ := editsOf(b, a, space)
		back.Deleted, back.Inserted = back.Inserted, back.Deleted
		if back != got {
			t.Errorf("%v to %v: %+v, and backwards %+v", a, b, got, back)
		}
		if len(a) != got.Common+got.Exchanged+got.Deleted || len(b) != got.Common+got.Exchanged+got.Inserted {
			t.Errorf("%v to %v: %+v", a, b, got)
		}
	})
}

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
		"length_ratio":   {12. / 15, 5. / 11, 7. / 4},
		"deleted_share":  {6. / 15, 6. / 11, 0},
		"inserted_share": {3. / 12, 0, 3. / 7},
		"halved_share":   {3. / 4, 1, 0}, // the first direction keeps 3 of 6, 1 of 3 and 1 of 2 words
		"short_share":    {1. / 4, 1. / 3, 0},
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
		"length_ratio": {0, 2}, "deleted_share": {1, 0}, "inserted_share": {0, 1}, "halved_share": {.5, 0},
		"short_share": {.5, 0},
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

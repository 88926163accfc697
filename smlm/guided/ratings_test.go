package guided

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestBadRated checks that the error for an invalid file names the line and what is wrong.
func TestBadRated(t *testing.T) {
	header := strings.Join(ratedHeader, ",")
	good := "to,1,0badcafe,0 1 great,21,22,11"
	for content, want := range map[string]string{
		header:                          "no rated output",
		"a,b":                           ":1: the first line must be",
		header + "\n" + good + "\nto,1": ":3: there are 2 fields",
		header + "\n" + strings.Replace(good, "21", "23", 1): `:2: style is "23"`,
		header + "\n" + strings.Replace(good, "21", "2", 1):  "one digit for each",
		header + "\n\"": "correct the line",
		header + "\n" + strings.Replace(good, "to,1", "to,0", 1):       `:2: line is "0"`,
		header + "\n" + strings.Replace(good, "cafe", "cafx", 1):       `:2: source is "0badcafx"`,
		header + "\n" + strings.Replace(good, "0 1", "0 2", 1):         `:2: edits are "0 2 great"`,
		header + "\n" + strings.Replace(good, "0 1", "x 1", 1):         `:2: edits are`,
		header + "\n" + strings.Replace(good, "0 1", "0", 1):           `:2: edits are`,
		header + "\n" + strings.Replace(good, "great", "great 0 0", 1): `:2: edits are`,
	} {
		path := filepath.Join(t.TempDir(), "rated.csv")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRated(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
	if _, err := ReadRated(filepath.Join(t.TempDir(), "none.csv")); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("no file: %v", err)
	}
}

// TestPooled checks that an output appears once, with the scores of all its raters.
func TestPooled(t *testing.T) {
	one := func(source uint32, word string, scores ...float64) Rated {
		r := Rated{Direction: "to", Source: source, Edits: []Edit{{0, []string{word}}}}
		for i := range r.Scores {
			r.Scores[i] = scores
		}
		return r
	}
	got := Pooled([]Rated{one(1, "a", 2), one(1, "b", 1), one(2, "a", 0), one(1, "a", 1, 0), one(1, "a", 2)})
	if want := []Rated{one(1, "a", 2, 1, 0, 2), one(1, "b", 1), one(2, "a", 0)}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestRatedOutput checks that written ratings can be read back. The method Output must return an
// output for the right source only.
func TestRatedOutput(t *testing.T) {
	rated := []Rated{{
		Direction: "negative to positive", Line: 7, Source: Checksum([]string{"3", "did", "n't", ".", "x"}), Edits: []Edit{{0, []string{"2", "1"}}, {2, []string{}}, {3, []string{","}}},
		Scores: [3][]float64{{2, 1}, {0, 2}, {1, 1}},
	}, {Direction: "negative to positive", Line: 8, Scores: [3][]float64{{2}, {0}, {1}}}}
	path := filepath.Join(t.TempDir(), "rated.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteRated(f, rated); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := ReadRated(path)
	if err != nil || !reflect.DeepEqual(got, rated) {
		t.Errorf("%+v, %v, want %+v", got, err, rated)
	}
	raw, err := os.ReadFile(path)
	if err == nil {
		// Spreadsheet programs write a byte order mark.
		err = os.WriteFile(path, append([]byte("\ufeff"), raw...), 0o600)
	}
	if got, wrong := ReadRated(path); err != nil || wrong != nil || !reflect.DeepEqual(got, rated) {
		t.Errorf("with a byte order mark: %v, %v", err, wrong)
	}
	words, places, of := rated[0].Output([]string{"3", "did", "n't", ".", "x"})
	if !of || strings.Join(words, " ") != "2 1 did , x" || !slices.Equal(places, []int{0, 0, 1, 3, 4}) {
		t.Errorf("%q at %v", words, places)
	}
	for _, other := range []string{"3 did not . x", "3 did n't", ""} {
		if _, _, of := rated[0].Output(strings.Fields(other)); of {
			t.Errorf("an output of %q", other)
		}
	}
}

// TestAPointIsAPoint checks that two outputs form a pair if their totals differ by 1 or more, and
// otherwise not, although totals are rounded quotients. The test computes the expected result in
// integers.
func TestAPointIsAPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rated, sums, readers := make([]Rated, 2), [2]int{}, [2]int{}
		for k := range rated {
			readers[k] = rapid.IntRange(1, 7).Draw(t, "readers")
			for score := range rated[k].Scores {
				for range readers[k] {
					given := rapid.IntRange(0, 2).Draw(t, "score")
					sums[k] += given
					rated[k].Scores[score] = append(rated[k].Scores[score], float64(given))
				}
			}
		}
		apart := sums[0]*readers[1] - sums[1]*readers[0]
		want := max(apart, -apart) >= readers[0]*readers[1]
		got := Preferred([]string{"one", "one"}, []float64{rated[0].Total(), rated[1].Total()})
		if (len(got) == 1) != want {
			t.Fatalf("%+v: compared %v, want %v", rated, len(got) == 1, want)
		}
	})
}

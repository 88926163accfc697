package human

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"

	"github.com/google/go-cmp/cmp"
)

// votesOf makes a votes file: one item a text, one letter an annotator: a, b, + (both), -
// (neither).
func votesOf(direction string, items ...string) string {
	var text strings.Builder
	for i, item := range items {
		for k, letter := range item {
			vote := map[rune]string{'a': "a", 'b': "b", '+': "both", '-': "neither"}[letter]
			text.WriteString(
				strings.Join(
					[]string{direction, string(rune('1' + i)), "annotator " + string(rune('1'+k)), vote}, ",",
				) + "\n",
			)
		}
	}
	return text.String()
}

const votesHead = "direction,item,annotator,vote\n"

func TestAgree(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []decisions // of the directions, then of all
		annotators int
	}{
		{
			"three annotators", votesOf("x to y", "aaa", "aab", "ab+", "--b", "++a") + votesOf("y to x", "bbb", "b-b"),
			[]decisions{{"x to y", 5, 2, 0, 1, 1, 1}, {"y to x", 2, 0, 2, 0, 0, 0}, {"", 7, 2, 2, 1, 1, 1}},
			3,
		},
		// Half of the votes is no majority, nor is the greatest part.
		{
			"four annotators", votesOf("x", "aabb", "aaab", "aab-"),
			[]decisions{{"x", 3, 1, 0, 0, 0, 2}, {"", 3, 1, 0, 0, 0, 2}},
			4,
		},
		{
			"five annotators", votesOf("x", "aab+-", "-----"),
			[]decisions{{"x", 2, 0, 0, 0, 1, 1}, {"", 2, 0, 0, 0, 1, 1}},
			5,
		},
		{"one annotator", votesOf("x", "a"), []decisions{{"x", 1, 1, 0, 0, 0, 0}, {"", 1, 1, 0, 0, 0, 0}}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			votes, err := parseVotes("v.csv", strings.NewReader(votesHead+c.text))
			if err != nil {
				t.Fatal(err)
			}
			got := votes.Agree()
			if diff := cmp.Diff(c.want, append(got.Directions, got.All)); diff != "" {
				t.Error(diff)
			}
			if got.Annotators != c.annotators || (got.FleissKappa == nil) != (c.annotators == 1) {
				t.Errorf("%d annotators, kappa %v", got.Annotators, got.FleissKappa)
			}
		})
	}
}

// kappa is an agreement as recorded.
type kappa struct {
	Counts [][]int
	Kappa  float64
}

func recordedKappas(t *testing.T) []kappa {
	t.Helper()
	text, err := os.ReadFile("../../testdata/parity/significance.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct{ Kappas []kappa }
	if err := json.Unmarshal(text, &recorded); err != nil {
		t.Fatal(err)
	}
	return recorded.Kappas
}

// The recorded values are those of statsmodels: testdata/parity/significance.py.
func TestFleissKappa(t *testing.T) {
	worst := 0.0
	for i, table := range recordedKappas(t) {
		got, ok := fleissKappa(table.Counts)
		worst = max(worst, math.Abs(got-table.Kappa))
		if !ok || !(math.Abs(got-table.Kappa) <= 1e-12) {
			t.Errorf("table %d: %v, statsmodels has %v", i, got, table.Kappa)
		}
	}
	t.Logf("largest deviation of kappa from statsmodels: %.1e", worst)
	// Full agreement in two categories is 1; two annotators who never agree, half of the votes
	// each: P = 0, Pe = 1/2.
	for _, c := range []struct {
		counts [][]int
		want   float64
	}{{[][]int{{3, 0}, {0, 3}}, 1}, {[][]int{{1, 1}, {1, 1}}, -1}} {
		if got, ok := fleissKappa(c.counts); !ok || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", c.counts, got, c.want)
		}
	}
	for name, counts := range map[string][][]int{
		"nothing": nil, "one annotator": {{1, 0}, {0, 1}}, "one category": {{3, 0}, {3, 0}},
		"a vote missing": {{3, 0}, {1, 1}}, "no vote": {{0, 0}},
	} {
		if got, ok := fleissKappa(counts); ok {
			t.Errorf("%s has the kappa %v", name, got)
		}
	}
}

func TestReadVotesRefuses(t *testing.T) {
	good := votesOf("x", "ab", "++")
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "votes v.csv:1: the file is empty; its first line must be direction,item,annotator,vote"},
		{
			"no header", good,
			`votes v.csv:1: the first line must be direction,item,annotator,vote, but is "x,1,annotator 1,a"`,
		},
		{"no vote", votesHead, "votes v.csv:1: there is no vote below the header"},
		{"another vote", votesHead + "x,1,p,A\n", `votes v.csv:2: a vote must be a, b, both, neither, but is "A"`},
		{
			"three fields", votesHead + "x,1,p,a\nx,2,a\n",
			"votes v.csv:3: a line must have 4 fields, none of them empty",
		},
		{"no annotator", votesHead + "x,1, ,a\n", "votes v.csv:2: a line must have 4 fields, none of them empty"},
		{"twice", votesHead + good + "x,1,annotator 2,a\n", `votes v.csv:6: "annotator 2" votes for item "1" of "x" already on line 3; keep one of the lines`},
		{
			"missing", votesHead + good + "\ny,1,annotator 2,a\n",
			`votes v.csv:7: "annotator 1" does not vote for item "1" of "y"`,
		},
		{"broken", votesHead + "x,1,\"p,a\n", "votes v.csv:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseVotes("v.csv", strings.NewReader(c.text))
			testkit.WantError(t, err, userr.BadInput, c.want)
		})
	}
	_, err := Read(filepath.Join(t.TempDir(), "none.csv"))
	testkit.WantError(t, err, userr.BadInput, "does not exist; give a CSV file with the header "+
		"direction,item,annotator,vote")
}

// A spreadsheet's byte order mark, line ends and quotation marks are no hindrance.
func TestReadVotesOfASpreadsheet(t *testing.T) {
	rows := "\r\n\"x, y\",1,p,both\r\n\"x, y\",1,q, both\r\n"
	for _, text := range []string{
		"direction,item,annotator,vote" + rows, `"direction","item","annotator","vote"` + rows,
		"direction;item;annotator;vote\r\nx, y;1;p;both\r\nx, y;1;q; both\r\n",
		"direction\titem\tannotator\tvote\nx, y\t1\tp\tboth\nx, y\t1\tq\tboth\n",
	} {
		votes, err := parseVotes("v.csv", strings.NewReader("\ufeff"+text))
		if err != nil {
			t.Fatal(err)
		}
		if got := votes.Agree().Directions[0]; got != (decisions{"x, y", 1, 0, 0, 1, 0, 0}) {
			t.Errorf("%+v", got)
		}
	}
}

// FuzzParseVotes: whatever is read, every item is decided once.
func FuzzParseVotes(f *testing.F) {
	f.Add(votesHead + votesOf("x", "ab+", "--a") + votesOf("y", "bbb"))
	f.Add(votesHead + "x,1,\"p \"\"q\"\"\",a\n")
	f.Fuzz(func(t *testing.T, text string) {
		votes, err := parseVotes("v", strings.NewReader(text))
		if err != nil {
			return
		}
		a := votes.Agree()
		if d := a.All; d.Items == 0 || d.A+d.B+d.Both+d.Neither+d.NoAgreement != d.Items {
			t.Errorf("%+v", d)
		}
		if k := a.FleissKappa; k != nil && !(*k <= 1 && *k >= -1) {
			t.Errorf("kappa %v", *k)
		}
	})
}

package human

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"pgregory.net/rapid"
)

// The function rated returns a rating. The argument scores, such as "221", has one digit for each
// scale.
func rated(line int, system, reader, scores string, best float64) Rating {
	r := Rating{Dataset: "d", Sentence: Sentence{"test", "wet to dry", line}, System: system, Reader: reader, Best: best}
	for k := range Scales {
		r.Scores[k] = int(scores[k] - '0')
	}
	return r
}

// TestShares compares Shares and SignTests with values computed by hand.
func TestShares(t *testing.T) {
	r := Ratings{
		rated(1, "x", "p", "222", 1), rated(1, "x", "q", "212", .5), rated(1, "y", "p", "022", 0), rated(1, "y", "q", "220", .5),
		rated(2, "x", "p", "121", 0), rated(2, "x", "q", "122", 0), rated(2, "y", "p", "222", 1), rated(2, "y", "q", "222", 1),
	}
	got := r.Shares()
	of := func(s Shares) [5]float64 {
		return [5]float64{s.Scores[0].Value, s.Scores[1].Value, s.Scores[2].Value, s.Flawless.Value, s.Best.Value}
	}
	if len(got) != 2 || got[0].System != "y" || of(got[0]) != [5]float64{75, 100, 75, 50, 62.5} ||
		got[1].Sentences != 2 || of(got[1]) != [5]float64{50, 75, 75, 25, 37.5} {
		t.Errorf("%+v", got)
	}
	if s := got[0].Scores[0]; !math.IsNaN(s.Low) || !math.IsNaN(s.High) {
		t.Error("two sentences have an interval")
	}
	// The sums of both readers' scores are 11 for x and 8 for y in line 1, and 9 for x and 12 for y
	// in line 2.
	if tests := r.SignTests(); len(tests) != 1 || tests[0] != (SignTest{A: "y", B: "x", Higher: 1, Lower: 1, P: 1}) {
		t.Errorf("%+v", tests)
	}
	// A third reader who rates only y changes nothing.
	again := append(r[:len(r):len(r)], rated(1, "y", "r", "222", 1), rated(2, "y", "r", "222", 1))
	if tests := again.SignTests(); tests[0].Higher != 1 || tests[0].Lower != 1 {
		t.Errorf("with a reader who rates y alone: %+v", tests)
	}
	// No reader rated the same sentence for z and for another system, so z is not compared.
	apart := append(r[:len(r):len(r)], rated(3, "z", "p", "222", 1), rated(1, "z", "s", "222", 1))
	if tests := apart.SignTests(); len(tests) != 1 {
		t.Errorf("with a system apart: %+v", tests)
	}
}

// TestIntervalOfAShare checks that with many sentences the interval is close to the normal
// approximation.
func TestIntervalOfAShare(t *testing.T) {
	var r Ratings
	for line := range 400 {
		scores := "222"
		if line%4 == 0 {
			scores = "022"
		}
		r = append(r, rated(line+1, "x", "p", scores, 0))
	}
	s := r.Shares()[0].Scores[0]
	half := 100 * 1.96 * math.Sqrt(.75*.25/400)
	if s.Value != 75 || math.Abs(s.Low-(75-half)) > .75 || math.Abs(s.High-(75+half)) > .75 {
		t.Errorf("%+v, want 75 and about %.2f on either side", s, half)
	}
}

// verdictsOf returns ratings of two systems. Each sentence is a string with one character per
// reader: "a" or "b" names the better system, "+" means that both are good, and "-" that both are
// bad.
func verdictsOf(direction string, sentences ...string) (out Ratings) {
	for line, votes := range sentences {
		for reader, vote := range votes {
			for _, system := range []string{"a", "b"} {
				one := rated(line+1, system, fmt.Sprint("reader ", reader+1), "111", 0)
				one.Direction = direction
				if vote == '+' {
					one.Best = .5
				} else if string(vote) == system {
					one.Best = 1
				}
				out = append(out, one)
			}
		}
	}
	return out
}

// TestVerdicts checks that a verdict needs the votes of more than half of the readers.
func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		ratings Ratings
		want    []Verdicts
	}{
		"three readers": {
			append(verdictsOf("x to y", "aaa", "aab", "ab+", "--b", "++a"), verdictsOf("y to x", "bbb", "b-b")...),
			[]Verdicts{{"x to y", 2, 0, 1, 1, 1}, {"y to x", 0, 2, 0, 0, 0}},
		},
		"four readers":               {verdictsOf("x", "aabb", "aaab", "aab-"), []Verdicts{{"x", 1, 0, 0, 0, 2}}},
		"five readers":               {verdictsOf("x", "aab+-", "-----"), []Verdicts{{"x", 0, 0, 0, 1, 1}}},
		"one reader":                 {verdictsOf("x", "a"), []Verdicts{{"x", 1, 0, 0, 0, 0}}},
		"other readers of sentences": {verdictsOf("x", "ab", "b", "bb+"), []Verdicts{{"x", 0, 2, 0, 0, 1}}},
	} {
		got := c.ratings.Verdicts("a", "b")
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		other := c.ratings.Verdicts("b", "a")
		for k := range other {
			other[k].ABetter, other[k].BBetter = other[k].BBetter, other[k].ABetter
		}
		if d := cmp.Diff(got, other); d != "" {
			t.Errorf("%s, with the systems exchanged:\n%s", name, d)
		}
	}
}

// TestParity compares alpha with the Python package krippendorff, and the p-value of the sign test
// with scipy.
func TestParity(t *testing.T) {
	raw, err := os.ReadFile("../../testdata/parity/human.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct { // written by testdata/parity/human.py
		Alphas []struct {
			Units [][]int // -1: no value
			Alpha float64
		}
		Signs []struct {
			More, Less int
			P          float64
		}
	}
	if err := json.Unmarshal(raw, &recorded); err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for i, of := range recorded.Alphas {
		units := map[int][]int{}
		for k, values := range of.Units {
			for _, v := range values {
				if v >= 0 {
					units[k] = append(units[k], v)
				}
			}
		}
		got := alpha(units)
		worst = max(worst, math.Abs(got-of.Alpha))
		if !(math.Abs(got-of.Alpha) < 1e-12) {
			t.Errorf("table %d: %v, krippendorff has %v", i, got, of.Alpha)
		}
	}
	for _, of := range recorded.Signs {
		if got := signP(of.More, of.Less); math.Abs(got-of.P) > 1e-12 {
			t.Errorf("%d to %d: %v, scipy has %v", of.More, of.Less, got, of.P)
		}
	}
	t.Logf("%d alphas, %d sign tests; largest deviation of alpha %.1e", len(recorded.Alphas), len(recorded.Signs), worst)
	if a := alpha(map[int][]int{1: {2, 2}, 2: {2, 2}}); !math.IsNaN(a) {
		t.Errorf("of equal values alpha is %v", a)
	}
	if a := alpha(map[int][]int{1: {0}, 2: {2}}); !math.IsNaN(a) {
		t.Errorf("of one reader alpha is %v", a)
	}
}

// TestRatingsFile checks that written ratings are read back, whatever names they contain.
func TestRatingsFile(t *testing.T) {
	name := rapid.StringMatching(`[=+a-z,"; ]{0,5}[a-z]`)
	rapid.Check(t, func(t *rapid.T) {
		var want Ratings
		for range rapid.IntRange(1, 20).Draw(t, "ratings") {
			one := rated(rapid.IntRange(1, 4).Draw(t, "line"), name.Draw(t, "system"), name.Draw(t, "reader"),
				rapid.StringMatching(`[012]{3}`).Draw(t, "scores"), float64(rapid.IntRange(0, 4).Draw(t, "best"))/4)
			one.System, one.Reader = strings.TrimSpace(one.System), strings.TrimSpace(one.Reader)
			want = append(want, one)
		}
		var b bytes.Buffer
		if err := want.Write(&b); err != nil {
			t.Fatal(err)
		}
		rows, err := parseTable("r.csv", b.Bytes(), ratingColumns)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ratingsOf("r.csv", rows)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\n%+v\n%+v\n%s", err, got, want, b.String())
		}
	})
}

func TestReadRatingsRefuses(t *testing.T) {
	head := strings.Join(ratingColumns, ",") + "\n"
	const good = "test,wet to dry,1,x,p,2,1,0,1\n"
	path := filepath.Join(t.TempDir(), "r.csv")
	for text, want := range map[string]string{
		"":   "r.csv:1: the first line must name the columns split, direction, line, ",
		head: "r.csv has no ratings",
		good: "r.csv:1: the first line must name the columns",
		head + good + "test,wet to dry,1,x,p,3,1,0,1\n": `r.csv:3: style is "3", but must be a whole number from 0 to 2`,
		head + "test,wet to dry,0,x,p,2,1,0,1\n":        `r.csv:2: line is "0", but must be a whole number from 1`,
		head + "test,wet to dry,1,x,p,2,1,0,2\n":        `r.csv:2: best is "2", but must be from 0 to 1`,
		head + "test,wet to dry,1,x,p,2,1,0,most\n":     `best is "most"`,
		head + "test,wet to dry,1,x\n":                  "is not CSV",
	} {
		testkit.WriteFile(t, path, text)
		_, err := ReadRatings(path)
		testkit.WantError(t, err, userr.BadInput, want)
	}
	_, err := ReadRatings(filepath.Join(t.TempDir(), "none.csv"))
	testkit.WantError(t, err, userr.BadInput, "does not exist")
}

// TestCheck checks that ratings which cannot be counted together are refused.
func TestCheck(t *testing.T) {
	r := Ratings{rated(1, "x", "p", "222", 1), rated(1, "x", "q", "222", 1), rated(1, "y", "p", "222", 1)}
	if err := r.Check(); err != nil {
		t.Error(err)
	}
	testkit.WantError(t, append(r, r[0]).Check(), userr.BadInput, `"p" rates the output of "x" for the test sentence 1, wet to dry, twice`)
	r[1].Dataset = "e"
	testkit.WantError(t, r.Check(), userr.BadInput, `of the data sets "d" and "e": tally them one by one`)
}

func FuzzRatings(f *testing.F) {
	f.Add(strings.Join(ratingColumns, ",") + "\ntest,wet to dry,1,x,p,2,1,0,1\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := parseTable("r", []byte(text), ratingColumns)
		if err != nil {
			return
		}
		r, err := ratingsOf("r", rows)
		if err != nil || r.Check() != nil {
			return
		}
		for _, s := range r.Shares() {
			if !(s.Flawless.Value >= 0 && s.Flawless.Value <= 100+1e-9) || s.Flawless.Value > s.Scores[0].Value+1e-9 {
				t.Fatalf("%+v", s)
			}
		}
		r.SignTests()
		r.Alphas()
	})
}

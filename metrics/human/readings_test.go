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

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"pgregory.net/rapid"
)

// rated makes a rating of three scores, "221".
func rated(line int, system, reader, scores string, best float64) Rating {
	r := Rating{
		Sentence: Sentence{Split: "test", Direction: "wet to dry", Line: line, Words: 5 + line, Negation: line == 1},
		System:   system, Reader: reader, Best: best,
	}
	for k, s := range Scales {
		*s.of(&r) = int(scores[k] - '0')
	}
	return r
}

// TestShares: counted by hand.
func TestShares(t *testing.T) {
	r := Readings{
		rated(1, "x", "p", "222", 1), rated(1, "x", "q", "212", .5), rated(1, "y", "p", "022", 0), rated(1, "y", "q", "220", .5),
		rated(2, "x", "p", "121", 0), rated(2, "x", "q", "122", 0), rated(2, "y", "p", "222", 1), rated(2, "y", "q", "222", 1),
	}
	got := r.Shares()
	of := func(s SystemShares) [5]float64 {
		return [5]float64{s.Whole.Value, s.Content.Value, s.Fluent.Value, s.Flawless.Value, s.Best.Value}
	}
	if len(got) != 2 || got[0].System != "y" || of(got[0]) != [5]float64{75, 100, 75, 50, 62.5} ||
		got[1].Sentences != 2 || of(got[1]) != [5]float64{50, 75, 75, 25, 37.5} {
		t.Errorf("%+v", got)
	}
	if !math.IsNaN(got[0].Whole.Low) || !math.IsNaN(got[0].Whole.High) {
		t.Error("two sentences have an interval")
	}
	// x has 11 of both readers' points for line 1 and y 8; for line 2 9 and 12
	if tests := r.SignTests(); len(tests) != 1 || tests[0] != (SignTest{A: "y", B: "x", More: 1, Less: 1, P: 1}) {
		t.Errorf("%+v", tests)
	}
	// a third reader of y alone changes nothing of that
	again := append(r[:len(r):len(r)], rated(1, "y", "r", "222", 1), rated(2, "y", "r", "222", 1))
	if tests := again.SignTests(); tests[0].More != 1 || tests[0].Less != 1 {
		t.Errorf("beside somebody who rated y alone: %+v", tests)
	}
	// a system that nobody rated beside the others is compared with none
	apart := append(r[:len(r):len(r)], rated(3, "z", "p", "222", 1), rated(1, "z", "s", "222", 1))
	if tests := apart.SignTests(); len(tests) != 1 {
		t.Errorf("with a system apart: %+v", tests)
	}
	var kinds []string
	for _, k := range r.Kinds() {
		kinds = append(kinds, fmt.Sprintf("%s %d", k.Name, len(r.Where(k.Has))))
	}
	if want := []string{"all 8", "negation in the source 4", "no negation 4"}; !reflect.DeepEqual(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
}

// TestIntervalOfAShare: of many sentences the interval is near that of the normal distribution.
func TestIntervalOfAShare(t *testing.T) {
	var r Readings
	for line := range 400 {
		scores := "222"
		if line%4 == 0 {
			scores = "022"
		}
		r = append(r, rated(line+1, "x", "p", scores, 0))
	}
	s := r.Shares()[0].Whole
	half := 100 * 1.96 * math.Sqrt(.75*.25/400)
	if s.Value != 75 || math.Abs(s.Low-(75-half)) > .75 || math.Abs(s.High-(75+half)) > .75 {
		t.Errorf("%+v, want 75 and about %.2f on either side", s, half)
	}
}

// readingParity is what testdata/parity/readings.py recorded.
type readingParity struct {
	Alphas []struct {
		Units [][]int // -1: no value
		Alpha float64
	}
	Signs []struct {
		More, Less int
		P          float64
	}
	Taus []struct {
		X, Y []float64
		Tau  float64
	}
}

// TestReadingParity: alpha is that of the package krippendorff, p of the sign test and tau-b are
// scipy's.
func TestReadingParity(t *testing.T) {
	raw, err := os.ReadFile("../../testdata/parity/readings.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded readingParity
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
	for i, of := range recorded.Taus {
		if got := kendall(of.X, of.Y); !(math.Abs(got-of.Tau) < 1e-12) {
			t.Errorf("lists %d: tau %v, scipy has %v", i, got, of.Tau)
		}
	}
	t.Logf("%d alphas, %d sign tests, %d taus; largest deviation of alpha %.1e", len(recorded.Alphas), len(recorded.Signs),
		len(recorded.Taus), worst)
	if tau := kendall([]float64{1, 1, 1}, []float64{1, 2, 3}); !math.IsNaN(tau) {
		t.Errorf("of equal values tau is %v", tau)
	}
	if a := alpha(map[int][]int{1: {2, 2}, 2: {2, 2}}); !math.IsNaN(a) {
		t.Errorf("of equal values alpha is %v", a)
	}
	if a := alpha(map[int][]int{1: {0}, 2: {2}}); !math.IsNaN(a) {
		t.Errorf("of one reader alpha is %v", a)
	}
}

// TestReadingsFile: what is written is read again, whatever names are in it.
func TestReadingsFile(t *testing.T) {
	name := rapid.StringMatching(`[=+a-z,"; ]{0,5}[a-z]`)
	rapid.Check(t, func(t *rapid.T) {
		var want Readings
		seen := map[Rating]bool{}
		for range rapid.IntRange(1, 20).Draw(t, "ratings") {
			one := rated(rapid.IntRange(1, 4).Draw(t, "line"), name.Draw(t, "system"), name.Draw(t, "reader"),
				rapid.StringMatching(`[012]{3}`).Draw(t, "scores"), float64(rapid.IntRange(0, 4).Draw(t, "best"))/4)
			one.System, one.Reader = strings.TrimSpace(one.System), strings.TrimSpace(one.Reader)
			if of := (Rating{Sentence: one.Key(), System: one.System, Reader: one.Reader}); !seen[of] {
				seen[of] = true
				want = append(want, one)
			}
		}
		var b bytes.Buffer
		if err := want.Write(&b); err != nil {
			t.Fatal(err)
		}
		got, err := parseReadings("r.csv", b.String())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\n%+v\n%+v\n%s", err, got, want, b.String())
		}
	})
}

func TestReadReadingsRefuses(t *testing.T) {
	head := strings.Join(readingsHeader, ",") + "\n"
	const good = "test,wet to dry,1,5,0,x,p,2,1,0,1\n"
	for text, want := range map[string]string{
		"":   "r.csv has no rating below its header",
		head: "r.csv has no rating below its header",
		good: "readings r.csv:1: the first line must be split,direction,line",
		head + "test,wet to dry,1,5,0,x,p,3,1,0,1\n":          `readings r.csv:2: style is "3", but must be a whole number from 0 to 2`,
		head + "test,wet to dry,0,5,0,x,p,2,1,0,1\n":          `readings r.csv:2: line is "0", but must be a whole number from 1`,
		head + "test,wet to dry,1,5,0,x,p,2,1,0,2\n":          `readings r.csv:2: best is "2", but must be from 0 to 1`,
		head + "test,wet to dry,1,5,0,,p,2,1,0,1\n":           "readings r.csv:2: system is empty",
		head + "test,wet to dry,1,5,0,x\n":                    "readings r.csv:2: the line has 6 fields, but must have 11",
		head + good + good:                                    `readings r.csv:3: "p" rates this output of "x" already on line 2`,
		head + "test,\"wet to dry,1,5,0,x,p,2,1,0,1\n":        "correct the line",
		head + "test,wet to dry,1,5,0,x,p,2,1,0,most of it\n": `best is "most of it"`,
	} {
		_, err := parseReadings("r.csv", text)
		testkit.WantError(t, err, userr.BadInput, want)
	}
	_, err := ReadReadings(filepath.Join(t.TempDir(), "none.csv"))
	testkit.WantError(t, err, userr.BadInput, "does not exist: give one that `smlm-exp human tally` wrote")
}

func FuzzParseReadings(f *testing.F) {
	f.Add(strings.Join(readingsHeader, ",") + "\ntest,wet to dry,1,5,0,x,p,2,1,0,1\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseReadings("r", text)
		if err != nil {
			if userr.CodeOf(err) != userr.BadInput {
				t.Fatal(err)
			}
			return
		}
		for _, s := range r.Shares() {
			if !(s.Flawless.Value >= 0 && s.Flawless.Value <= 100) || s.Flawless.Value > s.Whole.Value+1e-9 {
				t.Fatalf("%+v", s)
			}
		}
		r.SignTests()
		r.Alphas()
	})
}

func TestNegates(t *testing.T) {
	for text, want := range map[string]bool{
		"it is not warm": true, "they do n't care": true, "Don’t go": true, "Never again": true, "nothing to add": true,
		"a notable night": false, "the knot is tight": false, "nor'easter": false, "": false,
	} {
		if Negates(strings.Fields(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

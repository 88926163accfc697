package metrics

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// givenScores reads a file of given scores.
func givenScores(t *testing.T, text string) (*GivenScores, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scores.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return ReadGivenScores(path)
}

// words splits sentences into words.
func words(sentences ...string) (out [][]string) {
	for _, s := range sentences {
		out = append(out, strings.Fields(s))
	}
	return out
}

func TestGivenScores(t *testing.T) {
	g, err := givenScores(t, "\ufeffsource,output,fluency,length\n\"so , so\",good,0.25,1\nbad, good ,0.75,2\nfine,awful,1,3\n")
	if err != nil {
		t.Fatal(err)
	}
	dirs := []Input{
		{From: "-", To: "+", Source: words("so , so", "bad"), Output: words("good", "good")},
		{From: "+", To: "-", Source: words("fine"), Output: words("awful")},
	}
	s, missing := g.Score(dirs)
	if missing != 0 {
		t.Fatalf("%d outputs are missing", missing)
	}
	if got := s.Metrics; math.Abs(got[givenPrefix+"fluency"]-2./3) > 1e-15 || got[givenPrefix+"length"] != 2 || len(got) != 2 {
		t.Errorf("metrics %v", got)
	}
	if got := s.Directions[0].Metrics[givenPrefix+"fluency"]; got != 0.5 {
		t.Errorf("the first direction has %v", got)
	}
	if all := ColumnsOf(givenPrefix+"length", "tst"); len(all) != 2 || all[1].Head != "length" || all[1].Note == "" {
		t.Errorf("columns %+v", all)
	}
	dirs[1].Output = words("dreadful")
	if _, missing := g.Score(dirs); missing != 1 {
		t.Errorf("%d outputs are missing, not 1", missing)
	}
}

// TestGivenScoresAreTested checks that given scores get intervals and significance tests like the
// other metrics.
func TestGivenScoresAreTested(t *testing.T) {
	a, b := testRun(1, .2, .8), testRun(2, .4, .6)
	for k, run := range [][][]Sentence{a, b} {
		for d := range run {
			for i := range run[d] {
				run[d][i].Numbers[givenPrefix+"fluency"] = []float64{float64(k) + float64(i%5)/100}
			}
		}
	}
	if i, has := Intervals(a, 100)[givenPrefix+"fluency"]; !has || !(i.Low < i.Value && i.Value < i.High) {
		t.Errorf("the interval is %+v", i)
	}
	all, err := Compare([][][]Sentence{a}, [][][]Sentence{b}, 100)
	if err != nil {
		t.Fatal(err)
	}
	last := all[len(all)-1]
	if last.Metric != givenPrefix+"fluency" || last.P() >= 0.05 || math.Abs(last.Difference+1) > 1e-9 {
		t.Errorf("the last comparison is %+v", last)
	}
}

func TestBadGivenScores(t *testing.T) {
	for text, problem := range map[string]string{
		"":                                  "must begin with a line such as source,output,fluency",
		"source,output\na,b\n":              "must begin with a line",
		"output,source,fluency\n":           "must begin with a line",
		"source,output,x,x\n":               "a different name for each score",
		"source,output,x\na,b\n":            "row 2: it has 2 fields and the first row 3",
		"source,output,x\na,b,\n":           `row 2: x is "": give a number`,
		"source,output,x\na,b,NaN\n":        `row 2: x is "NaN": give a number`,
		"source,output,x\na,b,1\na,b ,2\n":  "row 3: the same source and output had other scores above",
		"source,output,x\n\"a,b,1\na,b,2\n": "correct the line",
	} {
		_, err := givenScores(t, text)
		if userr.CodeOf(err) != userr.BadInput || !strings.Contains(err.Error(), problem) {
			t.Errorf("%q: %v, want %q", text, err, problem)
		}
	}
	if _, err := givenScores(t, "source,output,x\na,b,1\na,b,1\n"); err != nil {
		t.Errorf("a repeated line: %v", err)
	}
	if _, err := ReadGivenScores(filepath.Join(t.TempDir(), "none.csv")); userr.CodeOf(err) != userr.BadInput {
		t.Errorf("a missing file: %v", err)
	}
}

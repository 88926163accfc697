package metrics

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// threeStyles returns the six directions between three invented styles. The directions differ in
// size and have references, predictions, language-model scores and masked shares. The sources do
// not depend on the seed.
func threeStyles(seed uint64) ([]Input, Instruments) {
	rng := rand.New(rand.NewPCG(seed, 4))
	styles := []string{"plain", "lofty", "rude"}
	var dirs []Input
	for from := range styles {
		for to := range styles {
			if from == to {
				continue
			}
			n := 8 + len(dirs)
			in := Input{
				From: styles[from], To: styles[to], Target: to, Classifier: "invented",
				Source:  madeUp(uint64(len(dirs)), n, 9),
				Fluency: &Fluency{Signature: "perplexity|test|version:1"},
			}
			for _, source := range in.Source {
				output := append([]string{}, source...)
				output[rng.IntN(len(output))] = madeUpWord(rng)
				in.Output = append(in.Output, output)
				in.Predicted = append(in.Predicted, rng.IntN(len(styles)))
				in.Fluency.LogProb = append(in.Fluency.LogProb, -30+rng.NormFloat64())
				in.Fluency.Tokens = append(in.Fluency.Tokens, len(output)+1)
			}
			in.References = [][][]string{madeUp(uint64(len(dirs)), n, 9)}
			dirs = append(dirs, in)
		}
	}
	return dirs, Instruments{Naturalness: wordy{}, METEOR: overlap{}, Embedding: similarities{}}
}

func scoredThree(t *testing.T, seed uint64) *Scores {
	t.Helper()
	r, err := Score(threeStyles(seed))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestScoreOfThreeStyles checks that the values of a direction do not depend on the other
// directions. It also checks that each overall value is computed as its metric says: as the mean
// over the six directions, or from all outputs.
func TestScoreOfThreeStyles(t *testing.T) {
	dirs, with := threeStyles(1)
	r := scoredThree(t, 1)
	sums, right, outputs, unchanged, logProb, tokens, natural := Values{}, 0., 0., 0., 0., 0., 0.
	for k := range dirs {
		in := dirs[k]
		alone, err := Score([]Input{in}, with)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(alone.Directions, r.Directions[k:k+1]); d != "" {
			t.Errorf("%s to %s beside the others: %s", in.From, in.To, d)
		}
		if d := cmp.Diff(alone.Metrics, alone.Directions[0].Metrics); d != "" {
			t.Errorf("all of one direction: %s", d)
		}
		for key, v := range alone.Metrics {
			sums[key] += v
		}
		for i, style := range in.Predicted {
			outputs++
			if style == in.Target {
				right++
			}
			if slices.Equal(in.Source[i], in.Output[i]) {
				unchanged++
			}
			logProb, tokens = logProb+in.Fluency.LogProb[i], tokens+float64(in.Fluency.Tokens[i])
			natural += wordy{}.Score(in.Output[i])
		}
	}
	pooled := Values{
		"tst": 100 * right / outputs, "perplexity": math.Exp(-logProb / tokens), "naturalness": natural / outputs,
		"unchanged_share": unchanged / outputs,
	}
	if len(r.Directions) != 6 || len(r.Metrics) != len(sums) {
		t.Errorf("%d directions, the metrics %v of all and %v of each", len(r.Directions), r.Metrics, sums)
	}
	for key, got := range r.Metrics {
		want, of := pooled[key]
		if !of {
			want = sums[key] / 6
		}
		if key == "mean" {
			want = (r.Metrics["tst"] + r.Metrics["s_bleu"] + 100*r.Metrics["naturalness"]) / 3
		}
		if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
}

// TestSignaturesOfThreeStyles checks that a metric has no overall value if one of the six
// directions lacks the metric, and that signatures name each judge once.
func TestSignaturesOfThreeStyles(t *testing.T) {
	dirs, with := threeStyles(1)
	dirs[2].References, dirs[4].Classifier, dirs[5].Classifier = nil, "another", ""
	r, err := Score(dirs, with)
	if err != nil {
		t.Fatal(err)
	}
	if _, known := r.Metrics["r_bleu"]; known {
		t.Errorf("r-BLEU %v, without references of a direction", r.Metrics["r_bleu"])
	}
	if got := r.Signatures["r_bleu"]; got != BLEUSignature("1,1,0,1,1,1")+textForm {
		t.Errorf("the signature %q of r-BLEU", got)
	}
	if got := r.Signatures["tst"]; got != "tst|level:micro|classifier:invented,another|version:1|unicode:nfc" {
		t.Errorf("the signature %q of TST%%", got)
	}
}

// TestTargetsOfThreeStyles checks that a repeated direction, and two target styles with the same
// class number, are refused.
func TestTargetsOfThreeStyles(t *testing.T) {
	for name, c := range map[string]struct {
		change func([]Input) []Input
		want   string
	}{
		"twice": {
			func(d []Input) []Input { return append(d, d[3]) },
			"the directions lofty to rude and lofty to rude have the same target style 2",
		},
		"one target of two styles": {
			func(d []Input) []Input {
				d[5].Target = 0
				return d
			},
			"the directions lofty to plain and rude to lofty have the same target style 0; give each direction once",
		},
		"none": {func([]Input) []Input { return nil }, "nothing to score: no direction is given"},
	} {
		t.Run(name, func(t *testing.T) {
			dirs, with := threeStyles(1)
			_, err := Score(c.change(dirs), with)
			testkit.WantError(t, err, userr.BadInput, c.want)
		})
	}
}

// TestSentencesOfThreeStyles checks that a sentences file with six directions can be written and
// read back.
func TestSentencesOfThreeStyles(t *testing.T) {
	r := scoredThree(t, 1)
	var file bytes.Buffer
	if err := WriteSentences(&file, r.Sentences); err != nil {
		t.Fatal(err)
	}
	back, err := parseSentences("s.jsonl", file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(r.Sentences, back); d != "" {
		t.Error(d)
	}
}

// TestCompareOfThreeStyles checks that intervals and the significance test resample within each
// of the six directions.
func TestCompareOfThreeStyles(t *testing.T) {
	a, b := scoredThree(t, 1), scoredThree(t, 2)
	intervals := Intervals(a.Sentences, 200)
	for _, m := range contributionsOf(a.Sentences)[0].tested() {
		in, has := intervals[m.Key]
		if v := a.Metrics[m.Key]; has && (in.Value != v || !(in.Low <= v && v <= in.High)) {
			t.Errorf("the interval %+v of %s, which is %v", in, m.Key, v)
		}
	}
	same, err := compareOne(a.Sentences, a.Sentences, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range same {
		if c.Difference != 0 || c.PBootstrap != 1 {
			t.Errorf("a system beside itself: %+v", c)
		}
	}
	// All outputs of system a are marked as right. Of the outputs of system b, only those of
	// direction 4 are.
	for d := range a.Sentences {
		for i := range a.Sentences[d] {
			a.Sentences[d][i].Numbers["right"], b.Sentences[d][i].Numbers["right"] = []float64{1}, []float64{0}
			if d == 4 {
				b.Sentences[d][i].Numbers["right"] = []float64{1}
			}
		}
	}
	all, err := compareOne(a.Sentences, b.Sentences, 500)
	if err != nil {
		t.Fatal(err)
	}
	c := comparison(t, all, "tst")
	n, alike := 0, len(a.Sentences[4])
	for _, of := range a.Sentences {
		n += len(of)
	}
	if want := 100 * float64(n-alike) / float64(n); math.Abs(c.Difference-want) > 1e-9 || c.PBootstrap != 1./501 {
		t.Errorf("%+v, want the difference %v", c, want)
	}
	// Within a direction, all outputs differ in the same way between the systems a and b, so
	// resampling within directions cannot change the difference.
	if math.Abs(c.Low-c.Difference) > 1e-9 || math.Abs(c.High-c.Difference) > 1e-9 {
		t.Errorf("the interval is %v to %v, of a difference that is %v in every resample", c.Low, c.High, c.Difference)
	}
	if len(same) != len(intervals) || len(all) != len(same) {
		t.Errorf("%d intervals, %d and %d comparisons", len(intervals), len(same), len(all))
	}
	_, err = compareOne(a.Sentences, b.Sentences[:2], 10)
	testkit.WantError(t, err, userr.BadInput, "one system has outputs in 6 directions and the other in 2 directions; "+
		"compare systems on the same test set")
}

// TestPooledLeavesSystems checks that sumSystems writes the sums into new rows and does not change
// the systems that it adds up.
func TestPooledLeavesSystems(t *testing.T) {
	systems := [][][]Sentence{scoredThree(t, 1).Sentences, scoredThree(t, 2).Sentences}
	all := contributionsOf(systems...)
	before := fmt.Sprint(all[0].rows, all[0].known, all[1].rows, all[1].known)
	sum := sumSystems(all)
	if after := fmt.Sprint(all[0].rows, all[0].known, all[1].rows, all[1].known); after != before {
		t.Error("pooling changed what it pooled")
	}
	for d, rows := range sum.rows {
		for i, r := range rows {
			for c, v := range r {
				if want := all[0].rows[d][i][c] + all[1].rows[d][i][c]; v != want {
					t.Fatalf("direction %d, row %d: %v, want %v", d, i, v, want)
				}
			}
		}
	}
}

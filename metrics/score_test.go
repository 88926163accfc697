package metrics

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// The type half is a naturalness judge that gives a sentence of n words the score 1/2^n.
type half struct{}

func (half) Score(words []string) float64 { return math.Pow(.5, float64(len(words))) }
func (half) Signature() string            { return "naturalness|test|version:1" }

// natural returns instruments with a naturalness judge only.
func natural(judge Naturalness) Instruments { return Instruments{Naturalness: judge} }

func inputs() []Input {
	return []Input{
		{
			From: "negative", To: "positive", Target: 1, Classifier: "bilstm:0123456789ab", Predicted: []int{1, 0, 1},
			Source:     testkit.Split("the soup was cold today .", "we left", "bad bad room"),
			Output:     testkit.Split("the soup was warm today .", "we stayed", "nice warm room"),
			References: [][][]string{testkit.Split("The soup was warm today .", "we stayed", "a nice room")},
		},
		{
			From: "positive", To: "negative", Target: 0, Classifier: "bilstm:0123456789ab", Predicted: []int{0},
			Source:     testkit.Split("i like this garden a lot , friends"),
			Output:     testkit.Split("i hate this garden garden a lot , friends"),
			References: [][][]string{testkit.Split("i hate this garden a lot , friends")},
		},
	}
}

// withEverything sets optional fields of the two directions, and returns the directions with
// instruments of all kinds.
func withEverything(dirs []Input) ([]Input, Instruments) {
	dirs[0].Fluency = &Fluency{
		LogProb: []float64{-14, -3, -9}, Tokens: []int{7, 3, 4}, Unknown: []int{1, 0, 0},
		Signature: "perplexity|test|version:1",
	}
	dirs[1].Fluency = &Fluency{
		LogProb: []float64{-20}, Tokens: []int{10}, Unknown: []int{2}, Signature: "perplexity|test|version:1",
	}
	return dirs, Instruments{Naturalness: half{}, METEOR: overlap{}, Embedding: similarities{}}
}

// TestReportGolden compares the JSON of `score --json` (names, order and numbers) with golden
// files.
func TestReportGolden(t *testing.T) {
	full, err := Score(withEverything(inputs()))
	if err != nil {
		t.Fatal(err)
	}
	bare := inputs()
	for k := range bare {
		bare[k].Predicted, bare[k].References = nil, nil
	}
	least, err := Score(bare, Instruments{})
	if err != nil {
		t.Fatal(err)
	}
	for name, report := range map[string]*Scores{"report.json": full, "report-least.json": least} {
		got, err := json.MarshalIndent(report, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, '\n')
		testkit.Golden(t, filepath.Join("testdata", name), string(got))
		var back Scores
		if err := json.Unmarshal(got, &back); err != nil {
			t.Errorf("%s cannot be read back: %v", name, err)
		}
	}
}

// TestNothingWrittenHasNoStyle checks that an output without words has no style, whatever a
// classifier predicts for it.
func TestNothingWrittenHasNoStyle(t *testing.T) {
	in := inputs()
	in[0].Output[0] = []string{}
	for i := range in[0].Predicted {
		in[0].Predicted[i] = in[0].Target
	}
	r, err := Score(in, Instruments{})
	if err != nil {
		t.Fatal(err)
	}
	n := float64(len(in[0].Output))
	if got := r.Directions[0].Metrics["tst"]; math.Abs(got-100*(n-1)/n) > 1e-9 {
		t.Errorf("TST%% %v of %v outputs, of which one is empty", got, n)
	}
}

func TestScoreByHand(t *testing.T) {
	r, err := Score(inputs(), natural(half{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		got  float64
		want float64
	}{
		{"tst of the first", r.Directions[0].Metrics["tst"], 100 * 2.0 / 3},
		{"tst, micro", r.Metrics["tst"], 100 * 3.0 / 4}, // the mean of the directions would be 83.3
		{"s-BLEU of the first: no 4-gram of its sources", r.Directions[0].Metrics["s_bleu"], 0},
		// The shares of matches are (5 + 2 + 2)/11 for 1-grams, (4 + 1 + 0)/8 for 2-grams, 3/5 for
		// 3-grams and 2/3 for 4-grams. The lengths are equal, so BP is 1.
		{"r-BLEU of the first", r.Directions[0].Metrics["r_bleu"], 100 * math.Pow(9./11*5/8*3/5*2/3, .25)},
		// The output has 9 words, the reference 8. All n-grams match, except the second "garden"
		// and those that contain "garden garden": 8/9, 7/8, 5/7, 3/6.
		{"r-BLEU of the second", r.Directions[1].Metrics["r_bleu"], 100 * math.Pow(8./9*7/8*5/7*3/6, .25)},
		// Against the source, "hate" does not match either: 7/9, 5/8, 3/7, 2/6.
		{"s-BLEU of the second", r.Directions[1].Metrics["s_bleu"], 100 * math.Pow(7./9*5/8*3/7*2/6, .25)},
		{"s-BLEU, mean of the directions", r.Metrics["s_bleu"], 50 * math.Pow(7./9*5/8*3/7*2/6, .25)},
		// In the three sentences, the longest common subsequence has 5, 1 and 1 words. Outputs and
		// sources both have 6, 2 and 3 words.
		{"ROUGE-L of the first", r.Directions[0].Metrics["rouge_l"], (5./6 + 1./2 + 1./3) / 3},
		// The longest common subsequence has 7 of the output's 9 words and 7 of the source's 8.
		{"ROUGE-L of the second", r.Directions[1].Metrics["rouge_l"], 2.44 * 7 / 9 * 7 / 8 / (7./8 + 1.44*7/9)},
		{"ROUGE-L, mean of the directions", r.Metrics["rouge_l"], (5./9 + 2.44*7/9*7/8/(7./8+1.44*7/9)) / 2},
		{"CIDEr of a direction with one sentence", r.Directions[1].Metrics["cider"], 0},
		{"CIDEr, mean of the directions", r.Metrics["cider"], r.Directions[0].Metrics["cider"] / 2},
		{"naturalness, over all outputs", r.Metrics["naturalness"], (1./64 + 1./4 + 1./8 + 1./512) / 4},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}
	m := r.Metrics
	want := (r.Directions[0].Metrics["r_bleu"] + r.Directions[1].Metrics["r_bleu"]) / 2
	if math.Abs(m["r_bleu"]-want) > 1e-9 {
		t.Errorf("r-BLEU %v, want the mean of the directions %v", m["r_bleu"], want)
	}
	if want := (m["tst"] + m["s_bleu"] + 100*m["naturalness"]) / 3; math.Abs(m["mean"]-want) > 1e-9 {
		t.Errorf("mean %v, want %v", m["mean"], want)
	}
}

// The function has reports whether a metric has a value.
func has(v Values, key string) bool {
	_, known := v[key]
	return known
}

func TestScoreOfInstruments(t *testing.T) {
	r, err := Score(withEverything(inputs()))
	if err != nil {
		t.Fatal(err)
	}
	a, b, both := r.Directions[0], r.Directions[1], r.Metrics
	for _, c := range []struct {
		what string
		got  float64
		want float64
	}{
		{"perplexity of the first", a.Metrics["perplexity"], math.Exp(26. / 14)},
		{"perplexity, over all tokens", both["perplexity"], math.Exp(46. / 24)},
		// The stand-in for METEOR counts equal words at the same position. In the first direction,
		// 5 of 6, 1 of 2 and 1 of 3 words of the outputs are equal, and in the second 3 of 9.
		{"METEOR of the first", a.Metrics["meteor"], (5./6 + 1./2 + 1./3) / 3},
		{"METEOR, mean of the directions", both["meteor"], ((5./6+1./2+1./3)/3 + 3./9) / 2},
		{"embedding average of the second", b.Metrics["embedding_average"], 1. / 3},
		{"vector extrema of the second", b.Metrics["vector_extrema"], 1. / 9},
		{"greedy matching of the second", b.Metrics["greedy_matching"], 1 / math.Sqrt(3)},
		{"distinct-2 of the first", a.Metrics["distinct_2"], 1},
		{"distinct-2, mean of the directions", both["distinct_2"], 1},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}
	for _, key := range []string{
		"meteor", "embedding_average", "perplexity", "distinct_2",
	} {
		if r.Signatures[key] == "" {
			t.Errorf("no signature of %s", key)
		}
	}
}

// TestScoreOneSided checks that a metric has no overall value if one direction lacks it. The
// missing value must not count as 0.
func TestScoreOneSided(t *testing.T) {
	dirs := inputs()
	dirs[1].References, dirs[0].Predicted = nil, nil
	r, err := Score(dirs, natural(half{}))
	if err != nil {
		t.Fatal(err)
	}
	if has(r.Metrics, "r_bleu") || has(r.Metrics, "tst") || has(r.Metrics, "mean") {
		t.Errorf("overall values of one direction only: %+v", r.Metrics)
	}
	if !has(r.Directions[0].Metrics, "r_bleu") || !has(r.Directions[1].Metrics, "tst") || !has(r.Directions[1].Metrics,
		"mean") {
		t.Error("the direction that has it lacks it")
	}
	if !strings.Contains(r.Signatures["r_bleu"], "|refs:1,0|") {
		t.Errorf("signature %q", r.Signatures["r_bleu"])
	}
}

func TestScoreRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func([]Input)
		want   string
	}{
		{
			"fewer outputs", func(d []Input) { d[0].Output = d[0].Output[:2] },
			"the direction from negative to positive has 2 outputs but 3 source sentences",
		},
		{
			"more references", func(d []Input) { d[1].References[0] = testkit.Split("a", "b") },
			"the direction from positive to negative has 2 references (set 1) but 1 source sentence:",
		},
		{
			"fewer predictions", func(d []Input) { d[0].Predicted = []int{1} },
			"has 1 predicted style but 3 source",
		},
		{
			"no sentences", func(d []Input) { d[1] = Input{From: "positive", To: "negative"} },
			"nothing to score from positive to negative, with 0 source sentences and 0 outputs",
		},
		{"no outputs", func(d []Input) { d[0].Output = nil }, "3 source sentences and 0 outputs"},
		{
			"fewer log-probabilities",
			func(d []Input) { d[0].Fluency = &Fluency{LogProb: []float64{-1}, Tokens: []int{1}} },
			"has 1 output that the language model read but 3 source",
		},
		{
			"no token", func(d []Input) { d[1].Fluency = &Fluency{LogProb: []float64{0}, Tokens: []int{0}} },
			"output 1 from positive to negative the log-probability 0 over 0 tokens",
		},
		{
			"improbable output",
			func(d []Input) { d[1].Fluency = &Fluency{LogProb: []float64{-1201}, Tokens: []int{2}} },
			"the log-probability -1201 over 2 tokens",
		},
		{
			"impossible output",
			func(d []Input) { d[1].Fluency = &Fluency{LogProb: []float64{math.Inf(-1)}, Tokens: []int{2}} },
			"the log-probability -Inf over 2 tokens",
		},
		{"one target", func(d []Input) { d[1].Target = 1 }, "have the same target style 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dirs := inputs()
			c.change(dirs)
			_, err := Score(dirs, Instruments{})
			testkit.WantError(t, err, userr.BadInput, c.want)
		})
	}
}

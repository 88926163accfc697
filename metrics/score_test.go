package metrics

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testdata"
)

// half scores a sentence 1/2^(words).
type half struct{}

func (half) Score(words []string) float64 { return math.Pow(.5, float64(len(words))) }
func (half) Signature() string            { return "naturalness|test|version:1" }

func inputs() [2]Input {
	return [2]Input{
		{
			From: "negative", To: "positive", Target: 1, Classifier: "bilstm:0123456789ab", Predicted: []int{1, 0, 1},
			Source:     split("the soup was cold today .", "we left", "bad bad room"),
			Output:     split("the soup was warm today .", "we stayed", "nice warm room"),
			References: [][][]string{split("The soup was warm today .", "we stayed", "a nice room")},
		},
		{
			From: "positive", To: "negative", Target: 0, Classifier: "bilstm:0123456789ab", Predicted: []int{0},
			Source:     split("i like this garden a lot , friends"),
			Output:     split("i hate this garden garden a lot , friends"),
			References: [][][]string{split("i hate this garden a lot , friends")},
		},
	}
}

// TestReportGolden pins the JSON of `score --json`: names, order and figures.
func TestReportGolden(t *testing.T) {
	full, err := Score(inputs(), half{})
	if err != nil {
		t.Fatal(err)
	}
	bare := inputs()
	for k := range bare {
		bare[k].Predicted, bare[k].References = nil, nil
	}
	least, err := Score(bare, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, report := range map[string]*Report{"report.json": full, "report-least.json": least} {
		got, err := json.MarshalIndent(report, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, '\n')
		testdata.Golden(t, filepath.Join("testdata", name), string(got))
		var back Report
		if err := json.Unmarshal(got, &back); err != nil {
			t.Errorf("%s cannot be read back: %v", name, err)
		}
	}
}

func TestScoreByHand(t *testing.T) {
	r, err := Score(inputs(), half{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		got  *float64
		want float64
	}{
		{"tst of the first", r.Directions[0].TST, 100 * 2.0 / 3},
		{"tst, micro", r.Metrics.TST, 100 * 3.0 / 4}, // the mean of the directions would be 83.3
		{"s-BLEU of the first: no 4-gram of its sources", r.Directions[0].SBLEU, 0},
		// r-BLEU: 1-grams (5 + 2 + 2)/11, 2-grams (4 + 1 + 0)/8, 3-grams 3/5, 4-grams 2/3; equal lengths.
		{"r-BLEU of the first", r.Directions[0].RBLEU, 100 * math.Pow(9./11*5/8*3/5*2/3, .25)},
		// 9 words against the 8 of the reference: all but those that span the doubled word match: 8/9, 7/8, 5/7, 3/6.
		{"r-BLEU of the second", r.Directions[1].RBLEU, 100 * math.Pow(8./9*7/8*5/7*3/6, .25)},
		// Against the source "hate" is lost too: 7/9, 5/8, 3/7, 2/6.
		{"s-BLEU of the second", r.Directions[1].SBLEU, 100 * math.Pow(7./9*5/8*3/7*2/6, .25)},
		{"s-BLEU, mean of the directions", r.Metrics.SBLEU, 50 * math.Pow(7./9*5/8*3/7*2/6, .25)},
		// The longest common subsequences are 5 of 6 words, 1 of 2, 1 of 3, as many in either text.
		{"ROUGE-L of the first", r.Directions[0].RougeL, (5./6 + 1./2 + 1./3) / 3},
		// 7 of 9 words of the output, 7 of 8 of the source.
		{"ROUGE-L of the second", r.Directions[1].RougeL, 2.44 * 7 / 9 * 7 / 8 / (7./8 + 1.44*7/9)},
		{"ROUGE-L, mean of the directions", r.Metrics.RougeL, (5./9 + 2.44*7/9*7/8/(7./8+1.44*7/9)) / 2},
		{"CIDEr of a direction with one sentence", r.Directions[1].CIDEr, 0},
		{"CIDEr, mean of the directions", r.Metrics.CIDEr, *r.Directions[0].CIDEr / 2},
		{"naturalness, over all outputs", r.Metrics.Naturalness, (1./64 + 1./4 + 1./8 + 1./512) / 4},
	} {
		if c.got == nil || math.Abs(*c.got-c.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}
	m := r.Metrics
	if want := (*r.Directions[0].RBLEU + *r.Directions[1].RBLEU) / 2; math.Abs(*m.RBLEU-want) > 1e-9 {
		t.Errorf("r-BLEU %v, want the mean of the directions %v", *m.RBLEU, want)
	}
	if want := (*m.TST + *m.SBLEU + 100**m.Naturalness) / 3; math.Abs(*m.Mean-want) > 1e-9 {
		t.Errorf("mean %v, want %v", *m.Mean, want)
	}
}

// What one direction lacks is absent overall, not counted as 0.
func TestScoreOneSided(t *testing.T) {
	dirs := inputs()
	dirs[1].References, dirs[0].Predicted = nil, nil
	r, err := Score(dirs, half{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Metrics.RBLEU != nil || r.Metrics.TST != nil || r.Metrics.Mean != nil {
		t.Errorf("overall figures of one direction only: %+v", r.Metrics)
	}
	if r.Directions[0].RBLEU == nil || r.Directions[1].TST == nil || r.Directions[1].Mean == nil {
		t.Error("the direction that has it lacks it")
	}
	if !strings.Contains(r.Signatures["r_bleu"], "|refs:1,0|") {
		t.Errorf("signature %q", r.Signatures["r_bleu"])
	}
}

func TestScoreRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*[2]Input)
		want   string
	}{
		{"fewer outputs", func(d *[2]Input) { d[0].Output = d[0].Output[:2] }, "from negative to positive there are 2 outputs but 3 source sentences"},
		{"more references", func(d *[2]Input) { d[1].References[0] = split("a", "b") }, "from positive to negative there are 2 references (set 1) but 1 source sentences"},
		{"fewer predictions", func(d *[2]Input) { d[0].Predicted = []int{1} }, "there are 1 predicted styles but 3 source"},
		{"no sentences", func(d *[2]Input) { d[1] = Input{From: "positive", To: "negative"} }, "nothing to score from positive to negative: 0 source sentences and 0 outputs"},
		{"no outputs", func(d *[2]Input) { d[0].Output = nil }, "3 source sentences and 0 outputs"},
		{"one target", func(d *[2]Input) { d[1].Target = 1 }, "have the same target style 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dirs := inputs()
			c.change(&dirs)
			_, err := Score(dirs, nil)
			wantBadInput(t, err, c.want)
		})
	}
}

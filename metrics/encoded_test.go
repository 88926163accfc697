package metrics

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics/bertscore"
)

// closeness makes one of given F1 and cosines; precision and recall are the half and a quarter.
func closeness(sentences string, f1, cosines []float64) Closeness {
	c := Closeness{Cosines: cosines, Sentences: sentences}
	for _, v := range f1 {
		c.BERTScores = append(c.BERTScores, bertscore.Score{Precision: v / 2, Recall: v / 4, F1: v})
	}
	return c
}

// encodedInputs are inputs that a pretrained encoder and a classifier of acceptability have read.
func encodedInputs() []Input {
	dirs := inputs()
	toReferences := []Closeness{
		closeness("1", []float64{.8, .6, .4}, []float64{.5, .5, .2}), closeness("1", []float64{.2}, []float64{-.5}),
	}
	dirs[0].Encoded = &Encoded{
		Source: closeness("source", []float64{.9, .7, .2}, []float64{.8, 1, -.4}), References: &toReferences[0],
		Encoder: "abc", Matching: "layer:2",
	}
	dirs[1].Encoded = &Encoded{
		Source: closeness("source", []float64{.5}, []float64{.6}), References: &toReferences[1], Encoder: "abc",
		Matching: "layer:2",
	}
	dirs[0].Acceptable = &Acceptable{[]float64{.9, 1, .7}, "acceptability|test"}
	dirs[1].Acceptable = &Acceptable{[]float64{.51}, "acceptability|test"}
	return dirs
}

func TestEncoded(t *testing.T) {
	s, err := ScoreContent(encodedInputs(), Instruments{})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]float64{
		"s_bertscore": (.6 + .5) / 2, "s_bertscore_precision": (.3 + .25) / 2, "s_bertscore_recall": (.15 + .125) / 2,
		"r_bertscore": (.6 + .2) / 2, "r_bertscore_precision": (.3 + .1) / 2, "r_bertscore_recall": (.15 + .05) / 2,
		"s_cosine": (1.4/3 + .6) / 2, "r_cosine": (.4 - .5) / 2, "acceptability": 3.11 / 4,
		// The first is right and acceptable, the second of the wrong style, the third's cosine is
		// below 0, the last is right.
		"joint": (.8 + .6) / 4,
	} {
		if got, has := s.Metrics[key]; !has || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, not %v", key, got, want)
		}
	}
	for key, want := range map[string]string{
		"r_bertscore":   "bertscore|encoder:abc|layer:2|refs:1|version:1",
		"s_cosine":      "cosine|of:mean-of-states|encoder:abc|refs:source|version:1",
		"acceptability": "acceptability|test",
		"joint": "joint|mean(style*cosine*fluency)|level:micro|style:bilstm:0123456789ab|encoder:abc|" +
			"fluency:acceptability|test|version:1",
	} {
		if got := s.Signatures[key]; got != want {
			t.Errorf("the signature of %s is %q, not %q", key, got, want)
		}
	}
	apart := encodedInputs()
	for k := range apart {
		apart[k].Similarity = &Similarity{apart[k].Encoded.Source.Cosines, "abc"}
		apart[k].Encoded = nil
	}
	alone, err := ScoreContent(apart, Instruments{})
	if err != nil || alone.Metrics["joint"] != s.Metrics["joint"] || alone.Signatures["joint"] != s.Signatures["joint"] {
		t.Errorf("J of cosines that are known is %v, %q, %v", alone.Metrics["joint"], alone.Signatures["joint"], err)
	}
	path := filepath.Join(t.TempDir(), "sentences.jsonl")
	var b bytes.Buffer
	if err := WriteSentences(&b, s.Sentences); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	back, err := ReadSentences(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, s.Sentences) {
		t.Errorf("the file has %+v, not %+v", back, s.Sentences)
	}
	for old, wrong := range map[string]string{`"joint":0.8`: `"joint":1.8`, `"acceptability":0.9`: `"acceptability":-0.9`} {
		if err := os.WriteFile(path, []byte(strings.Replace(b.String(), old, wrong, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSentences(path); userr.CodeOf(err) != userr.BadInput {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// J needs style, similarity and fluency; the metrics of a score are what they were.
func TestJointNeedsAll(t *testing.T) {
	for name, without := range map[string]func(in *Input){
		"style":      func(in *Input) { in.Predicted = nil },
		"similarity": func(in *Input) { in.Encoded = nil },
		"fluency":    func(in *Input) { in.Acceptable = nil },
	} {
		dirs := encodedInputs()
		for k := range dirs {
			without(&dirs[k])
		}
		s, err := ScoreContent(dirs, Instruments{})
		if _, has := s.Metrics["joint"]; err != nil || has || s.Signatures["joint"] != "" {
			t.Errorf("without %s J is %v, %v", name, s.Metrics["joint"], err)
		}
	}
	for _, key := range ScoreKeys() {
		if strings.Contains(key, "bertscore") || key == "joint" || key == "acceptability" || strings.Contains(key, "cosine") {
			t.Errorf("%s is part of the identity of every score", key)
		}
	}
}

// Too few values and values that are no number are refused.
func TestWrongEncoded(t *testing.T) {
	for name, wrong := range map[string]func(in *Input){
		"number of F1":          func(in *Input) { in.Encoded.Source.BERTScores[1].F1 = math.NaN() },
		"number of a cosine":    func(in *Input) { in.Encoded.References.Cosines[2] = math.Inf(1) },
		"number of probability": func(in *Input) { in.Acceptable.Probabilities[0] = math.NaN() },
		"cosine":                func(in *Input) { in.Encoded.Source.Cosines = in.Encoded.Source.Cosines[1:] },
		"BERTScore":             func(in *Input) { in.Encoded.References.BERTScores = nil },
		"similarity": func(in *Input) {
			in.Encoded, in.Similarity = nil, &Similarity{Cosines: []float64{1}}
		},
		"probability": func(in *Input) { in.Acceptable.Probabilities = nil },
	} {
		dirs := encodedInputs()
		wrong(&dirs[0])
		if _, err := Score(dirs, Instruments{}); userr.CodeOf(err) != userr.BadInput {
			t.Errorf("what has a wrong %s is scored: %v", name, err)
		}
	}
}

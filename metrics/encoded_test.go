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
)

// closeness returns a Closeness with the given F1 and cosines.
func closeness(sentences string, f1, cosines []float64) Closeness {
	return Closeness{BERTScores: f1, Cosines: cosines, Sentences: sentences}
}

// encodedInputs returns inputs with the similarities of a pretrained encoder.
func encodedInputs() []Input {
	dirs := inputs()
	toReferences := []Closeness{
		closeness("1", []float64{.8, .6, .4}, []float64{.5, .5, .2}), closeness("1", []float64{.2}, []float64{-.5}),
	}
	dirs[0].Encoded = &Encoded{
		Source: closeness("source", []float64{.9, .7, .2}, []float64{.8, 1, -.4}), References: &toReferences[0],
		Encoder: "abc", Pooling: "mean", Matching: "layer:2",
	}
	dirs[1].Encoded = &Encoded{
		Source: closeness("source", []float64{.5}, []float64{.6}), References: &toReferences[1], Encoder: "abc", Pooling: "mean",
		Matching: "layer:2",
	}
	return dirs
}

func TestEncoded(t *testing.T) {
	s, err := ScoreContent(encodedInputs(), Instruments{})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]float64{
		"s_bertscore": (.6 + .5) / 2, "r_bertscore": (.6 + .2) / 2,
		"s_cosine": (1.4/3 + .6) / 2, "r_cosine": (.4 - .5) / 2,
	} {
		if got, has := s.Metrics[key]; !has || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, not %v", key, got, want)
		}
	}
	for key, want := range map[string]string{
		"r_bertscore": "bertscore|encoder:abc|layer:2|refs:1|version:1|unicode:nfc",
		"s_cosine":    "cosine|of:mean-of-states|encoder:abc|refs:source|version:1|unicode:nfc",
	} {
		if got := s.Signatures[key]; got != want {
			t.Errorf("the signature of %s is %q, not %q", key, got, want)
		}
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
}

// TestEncodedIsApart checks that ScoreKeys does not include the metrics of a pretrained encoder.
func TestEncodedIsApart(t *testing.T) {
	for _, key := range ScoreKeys() {
		if strings.Contains(key, "bertscore") || strings.Contains(key, "cosine") {
			t.Errorf("%s is part of the identity of every score", key)
		}
	}
}

// TestWrongEncoded checks that missing or non-finite similarities are refused.
func TestWrongEncoded(t *testing.T) {
	for name, wrong := range map[string]func(in *Input){
		"number of F1":       func(in *Input) { in.Encoded.Source.BERTScores[1] = math.NaN() },
		"number of a cosine": func(in *Input) { in.Encoded.References.Cosines[2] = math.Inf(1) },
		"cosine":             func(in *Input) { in.Encoded.Source.Cosines = in.Encoded.Source.Cosines[1:] },
		"BERTScore":          func(in *Input) { in.Encoded.References.BERTScores = nil },
	} {
		dirs := encodedInputs()
		wrong(&dirs[0])
		if _, err := Score(dirs, Instruments{}); userr.CodeOf(err) != userr.BadInput {
			t.Errorf("what has a wrong %s is scored: %v", name, err)
		}
	}
}

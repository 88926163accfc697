package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// TestAlternate runs a row of both sides on a small model.
func TestAlternate(t *testing.T) {
	b := testBench(t, 2)
	b.python = python(t)
	var err error
	if b.worker, err = unpack(b.dir); err != nil {
		t.Fatal(err)
	}
	s := synthetic(60, reviews, 200, 1)
	c := tiny(paperSizes("smlm-ft", 0))
	c.Padded = true
	if c.Data, err = b.write("data", s); err != nil {
		t.Fatal(err)
	}
	r, err := b.compareRow(
		t.Context(), "epoch/smlm-ft",
		row{Title: "smlm-ft", per: perWord, Sides: sides(theirs(plainFP32, c), ours(oursFP32, c))}, b.slice,
	)
	if err != nil {
		t.Fatal(err)
	}
	plain := r.Sides[0]
	words := 0
	for _, a := range plain.Runs {
		words += a.Words
	}
	if words < s.Words()-200 || words > s.Words()+200 {
		t.Errorf("an epoch of theirs has %d words, ours %d", words, s.Words())
	}
	var out bytes.Buffer
	b.out = &out
	b.judge()
	if len(b.report.Targets) != 1 || !strings.Contains(out.String(), "two-pass") {
		t.Errorf("targets %+v:\n%s", b.report.Targets, &out)
	}
}

// TestScore compares our BLEU with sacrebleu's, where that is installed.
func TestScore(t *testing.T) {
	b := testBench(t, 1)
	b.python = python(t)
	var err error
	if b.worker, err = unpack(b.dir); err != nil {
		t.Fatal(err)
	}
	c := benchCase{Task: "score", Seed: 1, Data: b.dir + "/system.json"}
	c.Classifier.BiLSTMShape = recipe.BiLSTMShape{Embedding: 4, Hidden: 4}
	if err := newSyntheticSystem(200, 1).Write(c.Data); err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, k := range []struct {
		scorer string
		plain  bool
	}{{ownBLEU, false}, {ownThree, false}, {ownAll, false}, {"sacrebleu", true}} {
		c.Scorer = k.scorer
		r, err := b.compareRow(
			t.Context(), "test", row{Sides: sides(side{Name: k.scorer, Case: c, Plain: k.plain})}, always(1),
		)
		if err != nil && k.plain {
			t.Logf("%s is not installed: %v", k.scorer, err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		values[k.scorer] = r.Sides[0].Runs[0].Value
	}
	for name, v := range values {
		if d := v - values[ownBLEU]; name != ownAll && (d > 1e-3 || d < -1e-3) {
			t.Errorf("%s has a BLEU of %v, ours %v", name, v, values[ownBLEU])
		}
	}
	if values[ownAll] <= 0 {
		t.Errorf("the report has a BLEU of %v", values[ownAll])
	}
}

// TestFullScoring: our language model's perplexity of a system is plain PyTorch's, with the same
// weights, and METEOR and intervals are made where there is a WordNet.
func TestFullScoring(t *testing.T) {
	b := testBench(t, 1)
	b.quick = true
	b.python = python(t)
	var err error
	if b.worker, err = unpack(b.dir); err != nil {
		t.Fatal(err)
	}
	with, err := b.fullScoring(t.Context(), newSyntheticSystem(200, 1))
	if err != nil {
		t.Fatal(err)
	}
	if with("").WordNet == "" {
		t.Log("there is no WordNet here, so METEOR is left out")
	}
	r, err := b.compareRow(t.Context(), "test", row{
		Sides: sides(ours(oursAll, with(ownFull)), theirs(usualTools, with("full"))),
	}, always(1))
	if err != nil {
		t.Skipf("nltk and sacrebleu are not installed: %v", err)
	}
	if err := agree(r); err != nil {
		t.Error(err)
	}
	if r.Sides[0].Runs[0].Value < 2 {
		t.Errorf("a perplexity of %v", r.Sides[0].Runs[0].Value)
	}
}

package main

import (
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// tinyCase has sizes that are all different, so that no two can be taken for each other.
func tinyCase(model string) benchCase {
	return benchCase{
		Model: model, Vocab: 11,
		SMLM:       smlm.Config{SMLMShape: recipe.SMLMShape{Layers: 1, Heads: 2, Dim: 4, FF: 6}, DecoderLayers: 1},
		DivLSTM:    divlstm.Config{DivLSTMShape: recipe.DivLSTMShape{Embedding: 3, Hidden: 5, Attention: 7}},
		Classifier: classifier.BiLSTMConfig{BiLSTMShape: recipe.BiLSTMShape{Embedding: 3, Hidden: 5}},
	}
}

// TestOwnFlops: of SMLM's last layer only the 6 words of 10 positions go behind the attention, 4*4
// and twice 4*6 multiplications each, and fine-tuning goes through the encoder twice where the
// plain program does a third time, forward.
func TestOwnFlops(t *testing.T) {
	const pass = 480 + 160 + 240 + 240 + 4*50 + 4*50 // as below
	for model, less := range map[string]float64{
		"smlm": 6 * (10 - 6) * (16 + 2*24), "smlm-ft": 2 * pass, "smlm-g": 0, "classifier": 0,
	} {
		c := tinyCase(model)
		if got := flops(stepProducts(c, 2, 3, true)) - flops(stepProducts(c, 2, 3, false)); got != less {
			t.Errorf("%s: ours makes %v operations less, want %v", model, got, less)
		}
	}
}

// TestFlops compares with counts by hand for 2 sentences of 3 words. Every product [M, K] [K, N] is
// 2 M K N operations forward and twice that backward.
func TestFlops(t *testing.T) {
	// The encoder over 2 x 5 positions: multiplications forward of query, key and value 10*4*12,
	// out 10*4*4, feed-forward 10*4*6 twice, and for 4 heads of width 2 scores 5*2*5 and values
	// 5*5*2.
	const encoder = 480 + 160 + 240 + 240 + 4*50 + 4*50
	// The decoder over 2 x 4 positions: 8*4*12, out and cross out 8*4*4 twice, cross query 8*4*4,
	// cross key and value of the encoder's 10 positions 10*4*8, feed-forward 8*4*6 twice, scores
	// and values 4*2*4 for 4 heads, cross ones 4*2*5.
	const decoder = 384 + 2*128 + 128 + 320 + 192 + 192 + 2*4*32 + 2*4*40
	// The Bi-LSTM: for 2 directions inputs 6*3*20 and, at 3 words, states 2*5*20.
	const lstm = 2*6*3*20 + 2*3*2*5*20
	for model, want := range map[string]float64{
		"smlm": 6 * (encoder + 6*4*11),
		// Twice the sentences go through the encoder; the words' layer sees one half; the head
		// 2*4*2 twice, once without an input's gradient; the third pass, of the other half, is
		// forward alone.
		"smlm-ft":    6*(2*encoder+6*4*11+2*4*2) + 4*(2*4*2) + 2*encoder,
		"smlm-g":     6 * (encoder + decoder + 8*4*11),
		"divlstm":    6 * (lstm + 6*10*7 + 6*7*1 + 2*10*2),
		"classifier": 6 * (lstm + 2*10*2),
	} {
		if got := flops(stepProducts(tinyCase(model), 2, 3, true)); got != want {
			t.Errorf("%s: %v operations, want %v", model, got, want)
		}
	}
}

// TestPaperFlops pins the step that the targets speak of: 128 sentences of 12 words at the paper's
// size are 115.1 GFLOP, of which the products of attention are 3 in a thousand.
func TestPaperFlops(t *testing.T) {
	c := paperSizes("smlm", 10_000).Batch(128*12, 12)
	all := flops(stepProducts(c, c.BatchSize, 12, true))
	// By hand: 6 * (2 layers * (1792*512*1536 + 1792*512*512 + 2*1792*512*2048 + 2*1024*14*14*64) +
	// 1536*512*10000).
	if want := 6.0 * (2*(1792*512*1536+1792*512*512+2*1792*512*2048+2*1024*14*14*64) + 1536*512*10000); all != want {
		t.Errorf("%v operations, want %v", all, want)
	}
	if math.Round(all/1e8) != 1151 {
		t.Errorf("%v operations, the documents say 115.1 GFLOP", all)
	}
	share := 1 - flops(rateProducts(c))/flops(stepProducts(c, c.BatchSize, 12, false))
	if share < .002 || share > .004 {
		t.Errorf("attention's products are %.2f %%", 100*share)
	}
}

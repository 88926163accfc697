package main

import (
	"path/filepath"
	"testing"
)

// TestNoDenormals: neither side of a timed step meets denormal numbers. With our weights, as in all
// sections, plain PyTorch has none in what a step keeps and in its gradients. With embeddings as
// nn.Embedding draws them, N(0, 1), times sqrt(d), it has: 1.7e-4 of all numbers at these sizes in
// PyTorch 2.1.2.
func TestNoDenormals(t *testing.T) {
	plain := plainWorker(t)
	share := func(model string, equal bool) float64 {
		t.Helper()
		c := paperSizes(model, 500).Batch(stepWords*16, stepWords)
		c.SMLM.FF, c.Threads = min(c.SMLM.FF, 512), 1
		c.DivLSTM.Hidden, c.DivLSTM.Attention = min(c.DivLSTM.Hidden, 64), min(c.DivLSTM.Attention, 64)
		c.Classifier.Hidden = min(c.Classifier.Hidden, 64)
		c.Data = filepath.Join(t.TempDir(), "data.txt")
		if err := synthetic(16, fixed(stepWords), c.Vocab, 1).Write(c.Data); err != nil {
			t.Fatal(err)
		}
		if equal {
			m, err := newModelTask(c)
			if err != nil {
				t.Fatal(err)
			}
			for range m.model.Params {
				c.Weights = append(c.Weights, filepath.Join(t.TempDir(), "weights.safetensors"))
			}
			if _, err := m.save(c.Weights); err != nil {
				t.Fatal(err)
			}
		}
		mustAsk(t, plain, request{Do: "prepare", Case: &c})
		a := mustAsk(t, plain, request{Do: "denormals"})
		if a.Numbers < 100_000 {
			t.Fatalf("%s: only %d numbers were looked at", model, a.Numbers)
		}
		return float64(a.Denormals) / float64(a.Numbers)
	}
	for _, model := range models {
		got := share(model, true)
		t.Logf("%s: %.2g of all numbers are denormal", model, got)
		if got > 1e-7 {
			t.Errorf("%s: %v of all numbers of a step are denormal", model, got)
		}
	}
	if got := share("smlm", false); got < 5e-5 {
		t.Errorf("as PyTorch draws weights, %v of all numbers are denormal: nothing would be seen here", got)
	} else {
		t.Logf("smlm as PyTorch draws its weights: %.2g", got)
	}
}

package precision

import (
	"bytes"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestMeasure: every kind of layer is measured in both precisions, and the random numbers that a
// training would draw afterwards are the same.
func TestMeasure(t *testing.T) {
	if torch.OnCUDA() {
		t.Skip("a CUDA device is not measured")
	}
	err := torch.Run(func() error {
		if why := torch.WhyNoBF16(); why != "" {
			t.Skip(why)
		}
		before := torch.RNGState()
		live := torch.Live()
		for _, p := range []Part{
			Encoder(24, 1, 8, 2, 16), Decoder(24, 1, 8, 2, 16), Words(24, 8, 30), LSTM(24, 8, 4, false), LSTM(24, 8, 4, true),
			Linear(24, 8, 5), {Layer: probeProduct, Rows: 8, In: 8, Out: 8},
		} {
			got, err := Measure(p)
			if err != nil || !got.good() {
				t.Errorf("%s: %+v (%v)", p, got, err)
			}
		}
		if n := torch.Live(); n != live {
			t.Errorf("%d tensors are left of %d", n, live)
		}
		if !bytes.Equal(torch.RNGState(), before) {
			t.Error("torch draws other random numbers afterwards")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestHere: a machine is described by all that a timing hangs on.
func TestHere(t *testing.T) {
	t.Setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
	err := torch.Run(func() error {
		m := here()
		if m.CPU == "" || m.Libtorch == "" || m.Threads < 1 || m.Switches["ONEDNN_MAX_CPU_ISA"] != "AVX2" {
			t.Errorf("%+v", m)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

package precision

import (
	"bytes"
	"errors"
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
			encoderPart(24, 1, 8, 2, 16), decoderPart(24, 1, 8, 2, 16), wordsPart(24, 8, 30), lstmPart(24, 8, 4, false),
			lstmPart(24, 8, 4, true), linearPart(24, 8, 5),
			{Layer: probeProduct, Rows: 8, In: 8, Out: 8},
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

// TestHere: a machine is described by all that a timing hangs on, and what is kept of it is found
// again.
func TestHere(t *testing.T) {
	err := torch.Run(func() error {
		c := &Clock{Dir: t.TempDir()}
		if err := c.write(storedTiming{Machine: here(), Part: probe, Timing: Timing{1, 2}}); err != nil {
			return err
		}
		if got, ok := c.read(here(), probe); !ok || got.Timing != (Timing{1, 2}) {
			t.Errorf("what is kept of this machine is %+v, %v", got, ok)
		}
		t.Setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
		m := here()
		if _, ok := c.read(m, probe); ok {
			t.Error("under ONEDNN_MAX_CPU_ISA=AVX2 a time without it counts")
		}
		if m.CPU == "" || m.Libtorch == "" || m.Threads < 1 || m.Switches["ONEDNN_MAX_CPU_ISA"] != "AVX2" {
			t.Errorf("%+v", m)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTurns: a neighbour that disturbs single turns decides nothing, what is clear is soon over but
// where all turns are wanted, and an error ends it.
func TestTurns(t *testing.T) {
	for _, c := range []struct {
		name  string
		short bool
		turns []Timing // the last of them again and again
		want  Timing
		made  int // turns, the first included
	}{
		{"clear", true, []Timing{{1, 2}}, Timing{1, 2}, 3},
		{"clear the other way", true, []Timing{{2, 1}}, Timing{2, 1}, 3},
		{"all turns", false, []Timing{{1, 2}}, Timing{1, 2}, 11},
		{"alike", true, []Timing{{1e-3, 1.1e-3}}, Timing{1e-3, 1.1e-3}, 11},
		{"the first does not count", true, []Timing{{.1, .1}, {1, 2}}, Timing{1, 2}, 3},
		{"one turn disturbed", true, []Timing{{1, 2}, {9, 2}, {1, 2}}, Timing{1, 2}, 11},
	} {
		made := 0
		got, err := turns(c.short, func() (Timing, error) {
			made++
			return c.turns[min(made, len(c.turns))-1], nil
		})
		if err != nil || got != c.want || made != c.made {
			t.Errorf("%s: %+v after %d turns (%v), want %+v after %d", c.name, got, made, err, c.want, c.made)
		}
	}
	broke := errors.New("it broke")
	if _, err := turns(true, func() (Timing, error) { return Timing{}, broke }); !errors.Is(err, broke) {
		t.Errorf("error %v", err)
	}
}

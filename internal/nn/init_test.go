package nn

import (
	"math"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestInitialisation: every parameter is drawn evenly from the range PyTorch's layer of that kind
// draws from by default, the embedding from the authors'.
func TestInitialisation(t *testing.T) {
	const dim, hidden, ff, words = 64, 48, 128, 500
	onTorch(t, func() error {
		torch.Seed(1)
		p := NewParams()
		defer p.Free()
		NewEmbedding(p, "embedding", words, dim)
		NewLinear(p, "linear", dim, ff)
		NewLinearNoBias(p, "nobias", ff, dim)
		NewLSTM(p, "lstm", dim, hidden, true)
		NewEncoderLayer(p, "enc", dim, 4, ff, .1)
		NewDecoderLayer(p, "dec", dim, 4, ff, .1)
		xavier := math.Sqrt(6.0 / (dim + 3*dim)) // torch.nn.MultiheadAttention: xavier_uniform_(in_proj_weight)
		// by ending; torch.nn.Linear: 1/sqrt(in); torch.nn.LSTM: 1/sqrt(hidden)
		bounds := map[string]float64{
			"embedding.weight": .1, "linear.weight": 1 / math.Sqrt(dim), "linear.bias": 1 / math.Sqrt(dim),
			"nobias.weight":  1 / math.Sqrt(ff),
			"in_proj_weight": xavier, "in_proj_bias": 0, "out_proj.weight": 1 / math.Sqrt(dim), "out_proj.bias": 0,
			"linear1.weight": 1 / math.Sqrt(
				dim,
			), "linear1.bias": 1 / math.Sqrt(dim), "linear2.weight": 1 / math.Sqrt(ff),
			"linear2.bias": 1 / math.Sqrt(ff),
		}
		for _, s := range []string{"", "_reverse"} {
			for _, w := range []string{"weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"} {
				bounds["lstm."+w+s] = 1 / math.Sqrt(hidden)
			}
		}
		for i, name := range p.Names() {
			x := p.All()[i].Floats()
			if strings.Contains(name, ".norm") {
				want := float32(0)
				if strings.HasSuffix(name, "weight") {
					want = 1
				}
				for _, v := range x {
					if v != want {
						t.Errorf("%s holds %v, want %v", name, v, want)
						break
					}
				}
				continue
			}
			bound, found := 0.0, false
			for ending, b := range bounds {
				// "linear.weight" must not stand for "nolinear.weight": a whole part of the name.
				if name == ending || strings.HasSuffix(name, "."+ending) {
					bound, found = b, true
				}
			}
			if !found {
				t.Errorf("%s: no expected range", name)
				continue
			}
			uniform(t, name, x, bound)
		}
		return nil
	})
}

// uniform checks bounds, mean and variance of draws from U(-bound, bound), within five standard
// errors.
func uniform(t *testing.T, name string, x []float32, bound float64) {
	t.Helper()
	var largest, sum, squares float64
	for _, v := range x {
		largest = max(largest, math.Abs(float64(v)))
		sum += float64(v)
		squares += float64(v) * float64(v)
	}
	n := float64(len(x))
	if largest > bound*(1+1e-6) || largest < bound*(1-8/n) {
		t.Errorf("%s: largest magnitude %v of %v draws, bound %v", name, largest, n, bound)
	}
	if off := math.Abs(sum / n); off > 5*bound/math.Sqrt(3*n) {
		t.Errorf("%s: mean %v of U(-%v, %v)", name, sum/n, bound, bound)
	}
	// Of U(-b, b): E x^2 = b^2/3, var x^2 = 4 b^4/45.
	if off := math.Abs(squares/n - bound*bound/3); off > 5*bound*bound*math.Sqrt(4/45./n) {
		t.Errorf("%s: mean square %v, want %v", name, squares/n, bound*bound/3)
	}
}

// TestParameterNames: PyTorch's own names, each once.
func TestParameterNames(t *testing.T) {
	onTorch(t, func() error {
		p := NewParams()
		defer p.Free()
		NewLSTM(p, "lstm", 2, 3, true)
		newAttention(p, "attn", 4, 2)
		want := "lstm.weight_ih_l0 lstm.weight_hh_l0 lstm.bias_ih_l0 lstm.bias_hh_l0 lstm.weight_ih_l0_reverse " +
			"lstm.weight_hh_l0_reverse lstm.bias_ih_l0_reverse lstm.bias_hh_l0_reverse attn.in_proj_weight " +
			"attn.in_proj_bias attn.out_proj.weight attn.out_proj.bias"
		if got := strings.Join(p.Names(), " "); got != want {
			t.Errorf("names\n%s, want\n%s", got, want)
		}
		// 4h x in, 4h x h, two biases; 3d x d, 3d, d x d, d
		if got := p.Count(); got != 2*(12*2+12*3+24)+(12*4+12+16+4) {
			t.Errorf("%d parameters", got)
		}
		defer func() {
			if recover() == nil {
				t.Error("a second parameter of one name is taken")
			}
		}()
		p.Add("attn.in_proj_bias", torch.Zeros(1))
		return nil
	})
}

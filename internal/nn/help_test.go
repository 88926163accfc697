package nn

import (
	"context"
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// onTorch runs fn on the torch thread. fn must not call t.Fatal.
func onTorch(t *testing.T, fn func() error) {
	t.Helper()
	err := torch.Run(func() error {
		return fn()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// toy is a small model with all kinds of layers and with dropout. It learns whether the sum of the
// ids of its input is even.
type toy struct {
	params *Params
	opt    *Adam
	embed  *Embedding
	layer  *EncoderLayer
	lstm   *LSTM
	out    *Linear
	data   corpus.Encoded
}

// newToy returns a toy with weights drawn from the seed. Its data are always the same.
func newToy(seed uint64) *toy {
	torch.Seed(seed)
	m := &toy{params: NewParams()}
	m.embed = NewEmbedding(m.params, "embedding", 12, 8)
	m.layer = NewEncoderLayer(m.params, "layer", recipe.SMLMShape{Dim: 8, Heads: 2, FF: 8}, .3)
	m.lstm = NewLSTM(m.params, "lstm", 8, 4, true)
	m.out = NewLinear(m.params, "out", 8, 2)
	m.opt = NewAdam(m.params, recipe.Training{LR: .01, Beta1: .5, Clip: 1, Warmup: 3})
	for i := range 24 {
		row := make([]int64, 2+i%4)
		for k := range row {
			row[k] = int64((7*i + 5*k*k) % 12)
		}
		m.data.IDs, m.data.Styles = append(m.data.IDs, row), append(m.data.Styles, int(row[0]%2))
	}
	return m
}

func (m *toy) free() {
	m.params.Free()
	m.opt.Free()
}

func (m *toy) logits(batch []int, train bool) *torch.Tensor {
	x := m.layer.Forward(m.embed.Forward(Stack(m.data.IDs, batch)), train)
	_, last := m.lstm.Forward(x)
	return m.out.Forward(last.Dropout(.3, train))
}

// task returns a task that trains on six batches per epoch.
func (m *toy) task() Task {
	return Task{
		Optimizers: []*Adam{m.opt},
		Batches:    Recipe{Training: recipe.Training{BatchTokens: 18}, Seed: 3}.Shuffled(Lengths(m.data.IDs)),
		Prepare: func(batch []int) Pass {
			return Recipe{}.Pass(func() *torch.Tensor {
				return CrossEntropy(m.logits(batch, true), m.data.Styles, batch, torch.ReduceMean)
			})
		},
		Validate: func() (Validation, error) {
			var v Validation
			err := ForEach(context.Background(), m.data.IDs, func(batch []int) error {
				v.Loss += CrossEntropy(m.logits(batch, false), m.data.Styles, batch, torch.ReduceSum).Item()
				return nil
			})
			return v, err
		},
	}
}

// before returns a copy of a task. The copy calls fn before each forward pass.
func before(task Task, fn func()) Task {
	prepare := task.Prepare
	task.Prepare = func(batch []int) Pass {
		pass := prepare(batch)
		return func() *torch.Tensor { fn(); return pass() }
	}
	return task
}

// bits returns the bit patterns of all weights and moments, by name.
func (m *toy) bits() map[string][]uint32 {
	out := map[string][]uint32{}
	first, second := m.opt.Moments()
	for i, name := range m.params.Names() {
		out[name] = bits(m.params.All()[i])
		out["moment1 "+name], out["moment2 "+name] = bits(first[i]), bits(second[i])
	}
	return out
}

func bits(t *torch.Tensor) []uint32 {
	var out []uint32
	for _, x := range t.Floats() {
		out = append(out, math.Float32bits(x))
	}
	return out
}

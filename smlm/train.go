package smlm

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// masked leaves out the sentences without a masked word, of which a refiller learns nothing; that
// there are no others is an error that says what to do.
func masked(d corpus.Encoded) (corpus.Encoded, error) {
	if d = d.WithMask(); len(d.IDs) == 0 {
		return d, errors.New("no training sentence has a masked word: lower masking.lambda_eps, " +
			"or look into the table divlstm, whether the attention is healthy")
	}
	return d, nil
}

// Train bootstraps the model on same-style reconstruction, the first loop of the paper's Algorithm
// 1 ("minimize L_BS w.r.t. theta_SMLM"), with [src] = [dst] = s. Where only masked words count,
// sentences without one teach nothing and are left out. The epoch of the lowest dev loss is kept,
// which is that of dev's own masks whatever v says.
func (m *Model) Train(
	ctx context.Context, train, dev corpus.Encoded, o Objective, v VariedMasks, r nn.Recipe,
) (*nn.History, error) {
	if o.Loss == recipe.Masked {
		var err error
		if train, err = masked(train); err != nil {
			return nil, err
		}
	}
	opt := nn.NewAdam(m.Params, r.Training)
	defer opt.Free()
	masks, shuffled := train.Masks, r.Shuffled(lengths(train))
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt},
		Batches: func(epoch int) [][]int {
			train.Masks = varied(masks, v, r.Seed, epoch)
			return shuffled(epoch)
		},
		Prepare: func(batch []int) nn.Pass {
			codes := m.Config.codes()
			in, want := codes.grid(train, batch, same), codes.targets(train, batch, same, o)
			return r.Pass(func() *torch.Tensor { return m.loss(m.enc.rows(in.Tensor(), want.rows, true), want) })
		},
		Validate: func() (nn.Validation, error) { return m.Evaluate(ctx, dev, o) },
	})
}

// Evaluate returns the mean reconstruction loss: of a position that counts, or of a sentence with
// recipe.Sentence.
func (m *Model) Evaluate(ctx context.Context, d corpus.Encoded, o Objective) (nn.Validation, error) {
	var sum, n float64
	err := nn.ForEach(ctx, d.IDs, func(batch []int) error {
		c := m.Config.codes().targets(d, batch, same, o)
		if len(c.rows) > 0 {
			states := m.enc.rows(m.Config.codes().inputs(d, batch, same), c.rows, false)
			sum += m.loss(states, c).Item() * float64(c.over())
		}
		n += float64(c.over())
		return nil
	})
	return nn.Validation{Loss: sum / max(n, 1)}, err
}

// Objective says which positions a reconstruction loss counts, and how it adds them up. The zero
// value is the paper's (section "Bootstrapping on Same Style Reconstruction Task"), as a mean over
// all words:
//
//	L_BS(theta_SMLM) = -log q_SMLM(x^s | x^m, s, s)
//
// The paper prints x^s behind the bar; its text, and this, mean the masked x^m.
type Objective = recipe.Objective

// targets is what a reconstruction loss counts of a batch.
type targets struct {
	rows      []int64 // of states [B, L, d] flattened to [B*L, d]
	tokens    []int64 // wanted there
	sentences int
	objective Objective
}

// over returns the number of positions or sentences that the loss is a mean over.
func (t targets) over() int {
	if t.objective.Reduction == recipe.Sentence {
		return t.sentences
	}
	return len(t.rows)
}

// loss returns -log q(x^s | x^m) over the positions that count, given their states [K, d]: L_BS
// where [dst] = [src]. It is nil where no position counts.
func (m *Model) loss(states *torch.Tensor, t targets) *torch.Tensor {
	switch {
	case len(t.rows) == 0:
		return nil
	case t.objective.Reduction == recipe.Sentence:
		return torch.VocabLoss(states, m.out.W, m.out.B, ints(t.tokens), torch.ReduceSum).Scale(1 / float64(t.over()))
	default:
		return torch.VocabLoss(states, m.out.W, m.out.B, ints(t.tokens), torch.ReduceMean)
	}
}

// lossOf is loss, of all states [B, L, d].
func (m *Model) lossOf(states *torch.Tensor, t targets) *torch.Tensor {
	if len(t.rows) == 0 {
		return nil
	}
	return m.loss(states.Reshape(-1, int64(m.Config.Dim)).Rows(ints(t.rows)), t)
}

// VariedMasks says how masks differ from epoch to epoch of a training.
type VariedMasks = recipe.VariedMasks

// Each use of random numbers has a stream of its own.
const maskStream = 0x6d61736b

// varied returns the masks that an epoch trains with. Of a share v.Reveal of the sentences only
// some of the masked words stay masked: how many is drawn evenly from one to all, and so is which
// (Ghazvininejad et al. 2019, section 3.1, train conditional masked language models like this), so
// that the model also meets sentences as the filling of one mask a pass has them. And each other
// word is masked with probability v.RandomMasks. The masks are a function of seed and epoch alone:
// a training that is gone on with draws them again.
func varied(masks [][]bool, v VariedMasks, seed uint64, epoch int) [][]bool {
	if v == (VariedMasks{}) {
		return masks
	}
	rng := rand.New(rand.NewPCG(seed^maskStream, uint64(epoch)))
	out := make([][]bool, len(masks))
	for i, mask := range masks {
		out[i] = drawn(mask, v, rng)
	}
	return out
}

// drawn returns a sentence's masks of one epoch; there is always one where mask has one.
func drawn(mask []bool, v VariedMasks, rng *rand.Rand) []bool {
	out := make([]bool, len(mask))
	var masked []int
	for k, on := range mask {
		if on {
			masked = append(masked, k)
		} else if v.RandomMasks > 0 {
			out[k] = rng.Float64() < v.RandomMasks
		}
	}
	stay := len(masked)
	if stay > 1 && v.Reveal > 0 && rng.Float64() < v.Reveal {
		stay = 1 + rng.IntN(stay)
		rng.Shuffle(len(masked), func(i, j int) { masked[i], masked[j] = masked[j], masked[i] })
	}
	for _, k := range masked[:stay] {
		out[k] = true
	}
	return out
}

package smlm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// onlyMasked returns the sentences of a split that have a masked word, because other sentences
// teach nothing about filling masks. If no sentence has one, it returns an error.
func onlyMasked(d corpus.Encoded, split string) (corpus.Encoded, error) {
	var masked []int
	for i, m := range d.Masks {
		if slices.Contains(m, true) {
			masked = append(masked, i)
		}
	}
	if d = d.Pick(masked); len(d.IDs) == 0 {
		return d, fmt.Errorf("no %s sentence has a masked word: lower masking.lambda_eps, or check in "+
			"the table divlstm whether the attention is healthy", split)
	}
	return d, nil
}

// Train trains the model on same-style reconstruction with [src] = [dst] = s, the first loop of the
// paper's Algorithm 1 ("minimize L_BS w.r.t. theta_SMLM"). If only masked words count, sentences
// without a mask are left out. The epoch with the lowest dev loss is kept. The setting v varies the
// masks of training sentences between epochs. Dev sentences keep their masks or, with v.DrawnShare,
// get masks that are drawn once.
func (m *Model) Train(
	ctx context.Context, train, dev corpus.Encoded, o Objective, v VariedMasks, r nn.Recipe,
) (*nn.History, error) {
	if v.DrawnShare > 0 {
		const devEpoch = -1 // dev sentences have the same masks in every epoch
		train.Masks, dev.Masks = drawShares(train, v, r.Seed, 0), drawShares(dev, v, r.Seed, devEpoch)
	}
	if o.Loss == recipe.Masked {
		var err error
		if train, err = onlyMasked(train, "training"); err != nil {
			return nil, err
		}
		// Without a masked word, every epoch would have a dev loss of 0, so no epoch would be the
		// best.
		if _, err := onlyMasked(dev, "dev"); err != nil {
			return nil, err
		}
	}
	opt := nn.NewAdam(m.Params, r.Training)
	defer opt.Free()
	whole, shuffled := train, r.Shuffled(lengths(train))
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt},
		Batches: func(epoch int) [][]int {
			train.Masks = varyMasks(whole, v, r.Seed, epoch)
			return shuffled(epoch)
		},
		Prepare: func(batch []int) nn.Pass {
			codes := m.Config.codes()
			in, want := codes.grid(train, batch, train.Styles), codes.targets(train, batch, o)
			return r.Pass(func() *torch.Tensor {
				return m.loss(m.enc.rows(in.Tensor(), want.rows, true), want)
			})
		},
		Validate: func() (nn.Validation, error) { return m.Evaluate(ctx, dev, o) },
	})
}

// Evaluate returns the reconstruction loss, as a mean over the positions that count. Positions of
// unknown words do not count: no model may choose an unknown word, and a model whose vocabulary has
// all training words has never seen one.
func (m *Model) Evaluate(ctx context.Context, d corpus.Encoded, o Objective) (nn.Validation, error) {
	var sum, n float64
	err := nn.ForEach(ctx, d.IDs, func(batch []int) error {
		c := m.Config.codes().targets(d, batch, o).known()
		if len(c.rows) > 0 {
			states := m.enc.rows(m.Config.codes().inputs(d, batch, d.Styles), c.rows, false)
			sum += m.loss(states, c).Item() * float64(len(c.rows))
		}
		n += float64(len(c.rows))
		return nil
	})
	return nn.Validation{Loss: sum / max(n, 1)}, err
}

// Objective says which words count in a reconstruction loss. With the zero value, all words count,
// as in the paper (section "Bootstrapping on Same Style Reconstruction Task"):
//
//	L_BS(theta_SMLM) = -log q_SMLM(x^s | x^m, s, s)
//
// The paper prints x^s after the bar, but its text and this code mean the masked x^m.
type Objective = recipe.Objective

// targets holds the positions of a batch that count in a reconstruction loss.
type targets struct {
	rows   []int64 // the positions that count, as rows of states [B, L, d] flattened to [B*L, d]
	tokens []int64 // the expected token at each position
}

// The method known drops targets whose expected token is <unk>.
func (t targets) known() (known targets) {
	for i, id := range t.tokens {
		if id != corpus.UnkID {
			known.rows, known.tokens = append(known.rows, t.rows[i]), append(known.tokens, id)
		}
	}
	return known
}

// loss returns the mean of -log q(x^s | x^m) over the positions that count, or nil if there are
// none. The argument states holds the result of encoder.rows at these positions. If [dst] = [src],
// the mean is L_BS.
func (m *Model) loss(states *torch.Tensor, t targets) *torch.Tensor {
	if len(t.rows) == 0 {
		return nil
	}
	return torch.VocabLoss(states, m.out.W, m.out.B, ints(t.tokens), torch.ReduceMean)
}

// lossOfAll returns the same value as loss, given the states of all positions [B, L, d].
func (m *Model) lossOfAll(states *torch.Tensor, t targets) *torch.Tensor {
	if len(t.rows) == 0 {
		return nil
	}
	return m.loss(m.enc.vocabInputs(states.Reshape(-1, int64(m.Config.Dim)).Rows(ints(t.rows))), t)
}

// VariedMasks says how the masks of training sentences differ between epochs.
type VariedMasks = recipe.VariedMasks

// maskStream separates the random numbers of varyMasks from others with the same seed.
const maskStream = 0x6d61736b

// shareStream separates the random numbers of drawShares from others with the same seed.
const shareStream = 0x7368617265

// varyMasks returns the masks of an epoch. Unmasked words are masked with probability
// v.RandomMasks, except words that must never be masked (see d.Keeps). The masks depend only on
// seed and epoch, so a training run that resumes from a checkpoint draws the same masks.
func varyMasks(d corpus.Encoded, v VariedMasks, seed uint64, epoch int) [][]bool {
	if v == (VariedMasks{}) {
		return d.Masks
	}
	masks := d.Masks
	if v.DrawnShare > 0 {
		masks = drawShares(d, v, seed, epoch)
	}
	rng := rand.New(rand.NewPCG(seed^maskStream, uint64(epoch)))
	out := make([][]bool, len(masks))
	for i, mask := range masks {
		out[i] = slices.Clone(mask)
		for k, on := range mask {
			if !on && v.RandomMasks > 0 {
				out[i][k] = rng.Float64() < v.RandomMasks && !d.Keeps(i, k)
			}
		}
	}
	return out
}

// drawShares masks the words with the highest scores in every sentence. The masked share of the
// words is drawn between 0 and v.DrawnShare. At least one word is masked.
func drawShares(d corpus.Encoded, v VariedMasks, seed uint64, epoch int) [][]bool {
	rng := rand.New(rand.NewPCG(seed^shareStream, uint64(epoch)))
	return lists.Map(d.Scores, func(scores []float32) []bool {
		return policy.Policy{Name: policy.TopShare, TopShare: v.DrawnShare * rng.Float64()}.Mask(scores)
	})
}

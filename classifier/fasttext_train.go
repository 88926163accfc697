package classifier

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// FastTextRecipe is how a FastText is trained.
type FastTextRecipe struct {
	Epochs   int
	LR       float64 // at the start; it falls in a line to 0 at the end
	Seed     uint64  // of the order of the sentences
	Progress func(done, total int, note string)
}

// sentencesAtOnce are trained on between two looks at the context.
const sentencesAtOnce = 2000

// Train fits the model by stochastic gradient descent on the cross-entropy, one sentence a step, in
// another order each epoch, and keeps the last epoch: fastText does not stop early, dev is only
// looked at. It uses one goroutine, so that the same seed gives the same bits. On cancellation it
// returns ctx.Err() and the model is half trained. A training set without one of the styles, or a
// third style in any set, is an error of kind userr.BadInput.
func (m *FastText) Train(ctx context.Context, train, dev corpus.Encoded, r FastTextRecipe) (*nn.History, error) {
	if r.Epochs < 1 || !(r.LR > 0) {
		return nil, userr.New(
			userr.BadInput, "the bag of n-grams is trained %d epochs at lr %v: both must be above 0", r.Epochs, r.LR,
		)
	}
	if err := checkStyles("training", train, true); err != nil {
		return nil, err
	}
	if err := checkStyles("dev", dev, false); err != nil {
		return nil, err
	}
	start := time.Now()
	n := len(train.IDs)
	var flat []int32 // the features of all sentences
	ends := make([]int, n+1)
	order := make([]int, n)
	for i, ids := range train.IDs {
		flat = m.features(flat, ids)
		ends[i+1] = len(flat)
		order[i] = i
	}
	rng := rand.New(rand.NewPCG(r.Seed, 1))
	s := m.scratch()
	total := r.Epochs * n
	h := &nn.History{}
	for epoch := range r.Epochs {
		rng.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		sum := 0.0
		for k, i := range order {
			if k%sentencesAtOnce == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			lr := r.LR * (1 - float64(h.Steps)/float64(total))
			loss := m.step(s, flat[ends[i]:ends[i+1]], train.Styles[i], lr)
			h.Steps++
			if loss-loss != 0 { // infinite or not a number
				return nil, fmt.Errorf("the loss is %v at step %d; lower lr", loss, h.Steps)
			}
			sum += loss
			if r.Progress != nil && ((k+1)%sentencesAtOnce == 0 || k+1 == n) {
				r.Progress(h.Steps, total, fmt.Sprintf("epoch %d/%d loss %.3f", epoch+1, r.Epochs, sum/float64(k+1)))
			}
		}
		if !m.finite() {
			return nil, fmt.Errorf("a weight is not finite after epoch %d; lower lr", epoch+1)
		}
		h.Seconds = time.Since(start).Seconds()
		h.Epochs = append(h.Epochs, nn.Epoch{
			Epoch: epoch + 1, Steps: h.Steps, TrainLoss: sum / float64(n), Dev: m.Evaluate(dev), Seconds: h.Seconds,
		})
		h.Best = epoch
	}
	return h, nil
}

func checkStyles(set string, d corpus.Encoded, both bool) error {
	var has [2]bool
	for i, style := range d.Styles {
		if style != 0 && style != 1 {
			return userr.New(
				userr.BadInput, "sentence %d of the %s set has style %d: the classifier takes the styles 0 and 1", i,
				set, style,
			)
		}
		has[style] = true
	}
	for style, ok := range has {
		if both && !ok {
			return userr.New(
				userr.BadInput, "the %s set has no sentence of style %d: give it sentences of both styles", set, style,
			)
		}
	}
	return nil
}

// finite reports whether all weights are: one that is not may be of a sentence that did not come
// again.
func (m *FastText) finite() bool {
	for _, weights := range [][]float32{m.vectors, m.output} {
		for _, x := range weights {
			if x-x != 0 {
				return false
			}
		}
	}
	return true
}

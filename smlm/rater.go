package smlm

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// Rater predicts how readers would score an output. It is an SMLM that was fine-tuned on outputs
// that readers scored (docs/decisions/041-rater.md). Its input is the output, unmasked, followed by
// the control code of the target style. If a word is new, the vector of the source word in its
// place is mapped by a linear layer and added to the new word's vector. Three logits (style,
// content and fluency) are computed from the state of the control code, the mean state of all words
// and the mean state of new words.
type Rater struct {
	Config RaterConfig
	Params *nn.Params

	enc        *encoder
	sourceWord *nn.Linear // applied to the vectors of source words
	out        *nn.Linear
}

// RaterConfig is the shape of a Rater: the shape of the SMLM that it starts from.
type RaterConfig struct{ Config }

// Numbers returns a lower bound on the number of weights of a model of this shape.
func (c RaterConfig) Numbers() float64 {
	words := c.Config
	words.Vocab = 0
	return words.Numbers() + float64(c.Vocab)*float64(c.Dim)
}

const (
	ratings    = 3 // logits, for style, content and fluency
	statesRead = 3 // state of the control code, mean state of all words, mean state of new words
)

// NewRater returns a model with fresh weights from torch's seeded generator. Its word vectors are
// not trained. Call NewRater on the torch thread, inside a scope of torch.Run or torch.Scoped.
func NewRater(c RaterConfig) *Rater {
	p := nn.NewParams()
	r := &Rater{
		Config: c, Params: p, enc: newEncoder(p, c.Config),
		sourceWord: nn.NewLinear(p, "was", c.Dim, c.Dim), out: nn.NewLinear(p, "rating", statesRead*c.Dim, ratings),
	}
	p.Freeze("embedding.")
	return r
}

// encoderShare scales the encoder's learning rate, because the encoder is already trained.
const encoderShare = .2

// StartFrom copies the weights of an SMLM of the same shape and lowers the encoder's learning rate.
func (m *Rater) StartFrom(base *Model) error {
	m.Params.Slow("encoder.", encoderShare)
	weights := map[string]*torch.Tensor{}
	for i, name := range base.Params.Names() {
		weights[name] = base.Params.All()[i]
	}
	return torch.NoGrad(func() error {
		m.sourceWord.W.Set(m.sourceWord.W.Scale(0)) // at first, source words have no effect
		m.sourceWord.B.Set(m.sourceWord.B.Scale(0))
		for i, name := range m.Params.Names() {
			if w := weights[name]; w != nil {
				m.Params.All()[i].Set(w)
			}
		}
		return nil
	})
}

// RatedRewrite is an output with the scores that readers gave it.
type RatedRewrite struct {
	guided.Rewrite
	Sentence int        // number of the source; outputs of the same source are compared
	Best     [3]float64 // for style, content and fluency: the share of readers who gave the best score
	Total    float64    // mean over readers of the sum of their three scores, 0 to 6
}

// raterBatch is the model's input for some outputs of one length.
type raterBatch struct {
	in, source nn.Grid   // in: output words and control code; source: source words in the same places; both [B, n+1]
	isNew      []float32 // [B, n+1]: 1 for a new word
}

func raterRows(rewrites []guided.Rewrite) (rows [][]int64) {
	for _, r := range rewrites {
		rows = append(rows, append(append([]int64{}, r.Output...), corpus.DstID(r.Asked)))
	}
	return rows
}

func raterBatchOf(rewrites []guided.Rewrite, rows [][]int64, batch []int) (b raterBatch) {
	b.in, b.source.Rows = nn.Gather(rows, batch), len(batch)
	for _, i := range batch {
		r := rewrites[i]
		for k, place := range r.Places {
			sourceID, isNew := r.Source[place], float32(0)
			if sourceID != r.Output[k] {
				isNew = 1
			}
			b.source.IDs, b.isNew = append(b.source.IDs, sourceID), append(b.isNew, isNew)
		}
		b.source.IDs, b.isNew = append(b.source.IDs, corpus.PadID), append(b.isNew, 0)
	}
	return b
}

// logits returns the logits of the three scores [B, 3].
func (m *Rater) logits(b raterBatch, train bool) *torch.Tensor {
	rows, length := int64(b.in.Rows), int64(len(b.in.IDs)/b.in.Rows)
	isNew := torch.FromFloats(b.isNew, rows, length, 1)
	x := m.enc.embed.Forward(b.in.Tensor()).Add(m.sourceWord.Forward(m.enc.embed.Forward(b.source.Tensor())).Mul(isNew))
	x = m.enc.statesOf(m.enc.vectorsWithPositions(x, train), train)
	counts := make([]float32, 0, rows)
	for i := range b.in.Rows {
		n := float32(0)
		for _, flag := range b.isNew[i*int(length) : (i+1)*int(length)] {
			n += flag
		}
		counts = append(counts, 1/max(n, 1))
	}
	features := torch.Cat(1,
		x.Narrow(1, length-1, 1).Reshape(rows, -1),
		x.Narrow(1, 0, length-1).MeanDim(1, false),
		x.Mul(isNew).SumDim(1, false).Mul(torch.FromFloats(counts, rows, 1)))
	return m.out.Forward(features.Dropout(m.Config.Dropout, train))
}

// logProbs maps logits [B, 3] to log p(not the best score) and log p(the best score) [3B, 2].
func logProbs(logits *torch.Tensor) *torch.Tensor {
	n := logits.Size(0) * ratings
	return torch.Cat(1, torch.Zeros(n, 1), logits.Reshape(n, 1)).LogSoftmax(1)
}

// pairWeight is the weight of the pair loss relative to the cross-entropy.
const pairWeight = .3

// loss returns the loss for outputs with these logits [B, 3]:
//
//	mean cross-entropy of the readers' shares + pairWeight * mean over pairs of log(1 + exp(s(worse) - s(better)))
//
// where s is the score that Rate returns (docs/decisions/041-rater.md).
func (m *Rater) loss(logits *torch.Tensor, rated []RatedRewrite) *torch.Tensor {
	var shares []float32
	for _, r := range rated {
		for _, best := range r.Best {
			shares = append(shares, float32(1-best), float32(best))
		}
	}
	p := logProbs(logits)
	loss := p.Mul(torch.FromFloats(shares, p.Size(0), 2)).Mean().Scale(-2)
	var better, worse []int64
	for _, pair := range preferred(rated) {
		better, worse = append(better, int64(pair[0])), append(worse, int64(pair[1]))
	}
	if len(better) == 0 {
		return loss
	}
	n := int64(len(better))
	rate := p.Narrow(1, 1, 1).Reshape(-1, ratings).SumDim(1, true)
	margin := rate.Rows(ints(better)).Sub(rate.Rows(ints(worse)))
	right := torch.Cat(1, torch.Zeros(n, 1), margin).LogSoftmax(1).Narrow(1, 1, 1)
	return loss.Add(right.Mean().Scale(-pairWeight))
}

// The function preferred returns the pairs of outputs of the same sentence and target style whose
// totals differ by at least 1. A pair holds two indices, first that of the output with the higher
// total.
func preferred(rated []RatedRewrite) [][2]int {
	type group struct{ sentence, style int }
	return guided.Preferred(
		lists.Map(rated, func(r RatedRewrite) group { return group{r.Sentence, r.Asked} }),
		lists.Map(rated, func(r RatedRewrite) float64 { return r.Total }),
	)
}

// raterBatches draws an epoch's batches. All outputs of a sentence are in one batch, because they
// are compared. Sentences of similar length share a batch, so that a batch has few different
// lengths. A batch has at most the given number of tokens, but at least one sentence.
func raterBatches(rated []RatedRewrite, tokens int, seed uint64, epoch int) (batches [][]int) {
	outputs := map[int][]int{}
	var sentences []int
	for i, r := range rated {
		if outputs[r.Sentence] == nil {
			sentences = append(sentences, r.Sentence)
		}
		outputs[r.Sentence] = append(outputs[r.Sentence], i)
	}
	length := func(sentence int) int { return len(rated[outputs[sentence][0]].Source) }
	rng := rand.New(rand.NewPCG(seed, uint64(epoch)))
	rng.Shuffle(len(sentences), func(i, j int) { sentences[i], sentences[j] = sentences[j], sentences[i] })
	slices.SortStableFunc(sentences, func(a, b int) int { return cmp.Compare(length(a), length(b)) })
	words := lists.Map(sentences, func(sentence int) (all []int64) {
		for _, i := range outputs[sentence] {
			all = append(all, rated[i].Output...)
		}
		return all
	})
	for len(sentences) > 0 {
		n := corpus.Fitting(words, tokens)
		var batch []int
		for _, sentence := range sentences[:n] {
			batch = append(batch, outputs[sentence]...)
		}
		batches, sentences, words = append(batches, batch), sentences[n:], words[n:]
	}
	rng.Shuffle(len(batches), func(i, j int) { batches[i], batches[j] = batches[j], batches[i] })
	return batches
}

// Train trains the model on readers' scores. It keeps the last weights, not those with the lowest
// dev loss. The dev loss is measured on few outputs and already rises while the ranking of dev
// outputs still improves.
func (m *Rater) Train(ctx context.Context, train, dev []RatedRewrite, r nn.Recipe) (*nn.History, error) {
	opt := nn.NewAdam(m.Params, r.Training)
	defer opt.Free()
	inputs := rewrites(train)
	rows := raterRows(inputs)
	r.KeepLast = true
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt},
		Batches:    func(epoch int) [][]int { return raterBatches(train, r.BatchTokens, r.Seed, epoch) },
		Prepare: func(batch []int) nn.Pass {
			var parts []raterBatch
			var rated []RatedRewrite // in the order of the logits
			lengths := lists.Map(batch, func(i int) int { return len(rows[i]) })
			for _, places := range nn.Sorted(lengths, math.MaxInt) {
				part := lists.Map(places, func(k int) int { return batch[k] })
				parts = append(parts, raterBatchOf(inputs, rows, part))
				rated = append(rated, lists.Map(part, func(i int) RatedRewrite { return train[i] })...)
			}
			return r.Pass(func() *torch.Tensor {
				var logits []*torch.Tensor
				for _, b := range parts {
					logits = append(logits, m.logits(b, true))
				}
				return m.loss(torch.Cat(0, logits...), rated)
			})
		},
		Validate: func() (nn.Validation, error) { return m.Evaluate(ctx, dev) },
	})
}

func rewrites(rated []RatedRewrite) (out []guided.Rewrite) {
	for _, r := range rated {
		out = append(out, r.Rewrite)
	}
	return out
}

// Evaluate returns the mean cross-entropy and the accuracy in percent. For the accuracy, the
// outputs of a sentence are compared in pairs whose readers' totals differ by at least 1. The
// accuracy is the share of pairs in which the model gives the output that readers prefer the higher
// score; ties count half.
func (m *Rater) Evaluate(ctx context.Context, rated []RatedRewrite) (v nn.Validation, err error) {
	logs, err := m.logsOf(ctx, rewrites(rated))
	if err != nil {
		return v, err
	}
	for i, r := range rated {
		for k, best := range r.Best {
			l := logs[i][k]
			v.Loss -= (best*l[1] + (1-best)*l[0]) / float64(ratings*len(rated))
		}
	}
	v.Accuracy = 100 * guided.Right(preferred(rated), func(i int) float64 { return logs[i].allBest() })
	return v, nil
}

// ratingLogs has, for style, content and fluency, log p(not the best score) and log p(the best
// score).
type ratingLogs [ratings][2]float64

// allBest returns the sum of log p(the best score) of style, content and fluency.
func (l ratingLogs) allBest() (sum float64) {
	for _, pair := range l {
		sum += pair[1]
	}
	return sum
}

// logsOf returns the ratingLogs of every output.
func (m *Rater) logsOf(ctx context.Context, outputs []guided.Rewrite) ([]ratingLogs, error) {
	rows := raterRows(outputs)
	out := make([]ratingLogs, len(outputs))
	err := nn.ForEach(ctx, rows, func(batch []int) error {
		flat := logProbs(m.logits(raterBatchOf(outputs, rows, batch), false)).Floats()
		for n, i := range batch {
			for k := range ratings {
				at := 2 * (n*ratings + k)
				out[i][k] = [2]float64{float64(flat[at]), float64(flat[at+1])}
			}
		}
		return nil
	})
	return out, err
}

// Rate returns the score of every output: the sum, over style, content and fluency, of the log
// probability that a reader gives the best score.
func (m *Rater) Rate(ctx context.Context, outputs []guided.Rewrite) ([]float64, error) {
	logs, err := m.logsOf(ctx, outputs)
	return lists.Map(logs, ratingLogs.allBest), err
}

package pretrained

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// WordsConfig is the shape of a pretrained encoder over words, as it is stored beside the
// weights.
type WordsConfig struct {
	Vocab int `json:"vocab"` // words and special tokens
	recipe.SMLMShape
	recipe.PretrainedShape
	Dropout float64 `json:"dropout"`
}

// ConfigOf returns the shape of a folder's encoder with so many layers, all of them for 0, over
// so many words.
func ConfigOf(c folder.Config, vocab, layers int, dropout float64) WordsConfig {
	w := WordsConfig{Vocab: vocab, SMLMShape: c.SMLMShape, PretrainedShape: c.PretrainedShape, Dropout: dropout}
	if layers > 0 {
		w.Layers = layers
	}
	return w
}

// Check returns an error for the user where there can be no model of this shape.
func (c WordsConfig) Check() error {
	if err := recipe.CheckVocab("pretrained encoder", c.Vocab, corpus.NumSpecial); err != nil {
		return err
	}
	if c.Positions < 3 {
		return userr.New(userr.BadInput, "the pretrained encoder has %d positions: a word between two special tokens needs 3",
			c.Positions)
	}
	if err := c.SMLMShape.CheckOf("pretrained encoder"); err != nil {
		return err
	}
	return c.PretrainedShape.Check()
}

// Numbers counts the weights of an encoder of this shape with its words.
func (c WordsConfig) Numbers() float64 {
	layer, _ := c.SMLMShape.Numbers()
	e := float64(c.Embedding)
	n := e*(float64(c.Vocab)+float64(c.FirstPosition+c.Positions)+2) + float64(c.Layers)*layer
	if c.Embedding != c.Dim {
		n += float64(c.Dim) * (e + 1)
	}
	return n
}

// most is the most words of a sentence that are read at once.
func (c WordsConfig) most() int { return c.Positions - 2 }

// newWords adds the parameters of an encoder of this shape.
func (c WordsConfig) newWords(p *nn.Params) *Words {
	return NewWords(p, c.Vocab, c.SMLMShape, c.PretrainedShape, c.Dropout)
}

// row returns what the encoder reads of a sentence: as many words as it can read at once,
// between the special tokens.
func (c WordsConfig) row(ids []int64) []int64 {
	row := append(make([]int64, 0, len(ids)+2), corpus.BosID)
	return append(append(row, ids[:min(len(ids), c.most())]...), corpus.EosID)
}

// rows maps ids [B, T] to some rows of their last states, numbered as in [B*T, d]: [K, d].
func (w *Words) rows(ids, rows *torch.Tensor, train bool) *torch.Tensor {
	last := len(w.Layers) - 1
	return w.Layers[last].ForwardRows(w.States(w.Table.Forward(ids), last, train), rows, train)
}

// MaskedConfig is the shape of a MaskedWords.
type MaskedConfig struct{ WordsConfig }

// Numbers counts the weights of a model of this shape.
func (c MaskedConfig) Numbers() float64 {
	return c.WordsConfig.Numbers() + float64(c.Embedding)*float64(c.Dim+3) + float64(c.Vocab)
}

// MaskedWords is a masked language model over the words of a vocabulary (Devlin et al. 2019): a
// pretrained encoder, the layer of the masked-language head, and an output layer that is the
// table of the words' vectors with a bias. It says how well a word goes with those on both its
// sides.
type MaskedWords struct {
	Config MaskedConfig
	Params *nn.Params

	words     *Words
	transform *Transform
	bias      *torch.Tensor // [Vocab]
}

// NewMaskedWords returns a model with fresh weights from torch's seeded generator; the shape is
// one that Check accepts. Call it on the torch thread, in a scope.
func NewMaskedWords(c MaskedConfig) *MaskedWords {
	p := nn.NewParams()
	return &MaskedWords{
		Config: c, Params: p, words: c.newWords(p), transform: NewTransform(p, "head.", c.Dim, c.PretrainedShape),
		bias: p.Add("head.bias", torch.Zeros(int64(c.Vocab))),
	}
}

// Load takes the weights of a folder, with its own masked-language head where it has one. Where
// it has none, the bias of a word is the logarithm of its share of the text, with one added to
// each count: a training would learn that first, and slowly for rare words. Lower
// layers learn as Words.Slow has it.
func (m *MaskedWords) Load(
	f *folder.Folder, v *corpus.Vocab, labels corpus.Styles, text [][]int64, layerDecay float64,
) error {
	m.words.Slow(m.Params, layerDecay)
	pieces, err := m.words.Load(f, v, labels)
	if err != nil {
		return err
	}
	bias, err := m.transform.Start(f, pieces)
	if err != nil {
		return err
	}
	if bias == nil {
		bias = logShares(text, m.Config.Vocab)
	}
	return torch.NoGrad(func() error {
		m.bias.Set(torch.FromFloats(bias, int64(len(bias))))
		return nil
	})
}

// logShares returns the logarithm of each word's share of a text, with one added to each count.
func logShares(text [][]int64, vocab int) []float32 {
	counts := slices.Repeat([]float64{1}, vocab)
	total := float64(vocab)
	for _, ids := range text {
		for _, id := range ids {
			counts[id]++
			total++
		}
	}
	shares := make([]float32, vocab)
	for i, n := range counts {
		shares[i] = float32(math.Log(n / total))
	}
	return shares
}

// asked tells whether a token may be masked: a word that the vocabulary has.
func (m *MaskedWords) asked(id int64) bool {
	return id >= corpus.NumSpecial && id < int64(m.Config.Vocab)
}

// maskStream keeps the draws of masks apart from others by the same seed, and devEpoch those of
// the dev sentences from those of any epoch.
const (
	maskStream = 0x6c6d6d61736b
	devEpoch   = math.MaxUint32
)

// drawPlaces returns which words of each sentence are masked in an epoch: a share of the words
// that the vocabulary has, rounded up or down at random, but at least one where there is one.
// They depend on the seed and the epoch alone, so that a training which goes on from a
// checkpoint draws them again.
func (m *MaskedWords) drawPlaces(text [][]int64, share float64, seed uint64, epoch int) [][]int {
	rng := rand.New(rand.NewPCG(seed^maskStream, uint64(epoch)))
	out := make([][]int, len(text))
	for i, ids := range text {
		var all []int
		for k, id := range ids[:min(len(ids), m.Config.most())] {
			if m.asked(id) {
				all = append(all, k)
			}
		}
		n := min(max(1, int(share*float64(len(all))+rng.Float64())), len(all))
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		out[i] = slices.Sorted(slices.Values(all[:n]))
	}
	return out
}

// maskedBatch is sentences with masks, and what stands behind these.
type maskedBatch struct {
	in   nn.Grid
	rows []int64 // the masked places, as rows of states [B, T, d] flattened to [B*T, d]
	want []int64 // the words there
}

func (m *MaskedWords) masked(text [][]int64, places [][]int, batch []int) (b maskedBatch) {
	b.in.Rows = len(batch)
	for _, i := range batch {
		row := m.Config.row(text[i])
		for _, k := range places[i] {
			b.rows, b.want = append(b.rows, int64(len(b.in.IDs)+k+1)), append(b.want, row[k+1])
			row[k+1] = corpus.MaskID
		}
		b.in.IDs = append(b.in.IDs, row...)
	}
	return b
}

func (m *MaskedWords) loss(b maskedBatch, r torch.Reduction, train bool) *torch.Tensor {
	states := m.words.rows(b.in.Tensor(), ints(b.rows), train)
	return torch.VocabLoss(m.transform.Forward(states), m.words.Table.W, m.bias, ints(b.want), r)
}

func ints(x []int64) *torch.Tensor { return torch.FromInts(x, int64(len(x))) }

// DefaultShare is the share of the words that are masked in BERT's training.
const DefaultShare = .15

// Train minimises the mean cross-entropy of masked words, which are drawn anew in each epoch;
// all of them become <mask>. Those of dev are drawn once. The epoch of the lowest dev loss is
// kept. train and dev are the word ids of sentences; those without a word that the vocabulary
// has are left out.
func (m *MaskedWords) Train(
	ctx context.Context, train, dev [][]int64, share float64, r nn.Recipe,
) (*nn.History, error) {
	train, dev = m.teaching(train), m.teaching(dev)
	for name, set := range map[string][][]int64{"training": train, "dev": dev} {
		if len(set) == 0 {
			return nil, userr.New(userr.BadInput, "the %s set has no sentence with a word of the vocabulary: "+
				"the masked language model needs at least one", name)
		}
	}
	opt := nn.NewAdam(m.Params, r.Training)
	defer opt.Free()
	var places [][]int
	lengths := m.lengths(train)
	batches := r.Shuffled(lengths)
	ofDev := m.drawPlaces(dev, share, r.Seed, devEpoch)
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt},
		Batches: func(epoch int) [][]int {
			places = m.drawPlaces(train, share, r.Seed, epoch)
			return batches(epoch)
		},
		Prepare: func(batch []int) nn.Pass {
			b := m.masked(train, places, batch)
			return r.Pass(func() *torch.Tensor { return m.loss(b, torch.ReduceMean, true) })
		},
		Validate: func() (nn.Validation, error) { return m.evaluate(ctx, dev, ofDev) },
	})
}

// teaching returns the sentences with a word that may be masked.
func (m *MaskedWords) teaching(text [][]int64) (some [][]int64) {
	for _, ids := range text {
		if slices.ContainsFunc(ids[:min(len(ids), m.Config.most())], m.asked) {
			some = append(some, ids)
		}
	}
	return some
}

// lengths returns how many tokens the encoder reads of each sentence.
func (m *MaskedWords) lengths(text [][]int64) []int {
	n := nn.Lengths(text)
	for i := range n {
		n[i] = min(n[i], m.Config.most()) + 2
	}
	return n
}

// evaluate returns the mean cross-entropy of the words at some places.
func (m *MaskedWords) evaluate(ctx context.Context, text [][]int64, places [][]int) (nn.Validation, error) {
	sum, n := 0.0, 0
	for _, batch := range nn.Sorted(m.lengths(text), nn.EvalTokens) {
		if err := ctx.Err(); err != nil {
			return nn.Validation{}, err
		}
		err := torch.NoGrad(func() error {
			b := m.masked(text, places, batch)
			sum += m.loss(b, torch.ReduceSum, false).Item()
			n += len(b.want)
			return nil
		})
		if err != nil {
			return nn.Validation{}, err
		}
	}
	return nn.Validation{Loss: sum / float64(max(n, 1))}, nil
}

// Likelihood is what a masked language model says of sentences, an item a sentence.
type Likelihood struct {
	LogProb []float64 // the sum of log p of the words that the vocabulary has, each given all others
	Words   []int     // that many
}

// Likelihood returns the pseudo log likelihood of sentences (Salazar et al. 2020). That of a
// sentence is the same whatever sentences stand beside it. Words that the vocabulary lacks stand
// beside the others as <unk>, and have no likelihood of their own. Call it on the torch thread.
func (m *MaskedWords) Likelihood(ctx context.Context, ids [][]int64) (Likelihood, error) {
	l := Likelihood{LogProb: make([]float64, len(ids)), Words: make([]int, len(ids))}
	places := make([][]int, len(ids))
	for i, row := range ids {
		for k, id := range row {
			if m.asked(id) {
				places[i] = append(places[i], k)
			}
		}
		l.Words[i] = len(places[i])
	}
	each, err := m.LogProbs(ctx, ids, places)
	for i, of := range each {
		for _, p := range of {
			l.LogProb[i] += p
		}
	}
	return l, err
}

// LogProbs returns for each sentence and each of its places asked about, in order, log p(word |
// the sentence with that word masked). Of a sentence of more words than the encoder has
// positions it reads those around the place. Call it on the torch thread.
func (m *MaskedWords) LogProbs(ctx context.Context, ids [][]int64, places [][]int) ([][]float64, error) {
	out := make([][]float64, len(ids))
	var all []question
	most := m.Config.most()
	for i, sentence := range ids {
		out[i] = make([]float64, len(places[i]))
		row := m.Config.row(sentence)
		for j, k := range places[i] {
			q := question{row, k + 1, &out[i][j]}
			if len(sentence) > most {
				from := min(max(0, k-most/2), len(sentence)-most)
				q.row, q.place = m.Config.row(sentence[from:]), k-from+1
			}
			all = append(all, q)
		}
	}
	return out, m.head().answer(ctx, all, corpus.MaskID)
}

func (m *MaskedWords) head() maskedHead {
	return maskedHead{m.words.Encoder, m.words.Table, m.transform, m.bias}
}

package experiment

import (
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// Fitted is the profile whose sizes and numbers of steps follow from the data set. Dev sentences
// choose lambda_eps and guided.style.
const Fitted = "fitted"

// size returns the size of the data set's training text. Files that cannot be read do not count.
func (d *Dataset) size() corpus.Size {
	if d.Builtin != "" {
		return corpus.DemoSize.AtMost(d.MaxTrain)
	}
	return corpus.TrainSize(d.Dir, d.TrainExtra).AtMost(d.MaxTrain)
}

// defaults returns the settings of a profile for the data set. It reads the size of the data set
// only once. pretrained says whether SMLM starts from a pretrained encoder.
func (d *Dataset) defaults(profile string, pretrained bool) Settings {
	s := DefaultSettings()
	if profile != Fitted {
		return s
	}
	if d.fitted == nil {
		f := fitFor(d.size())
		d.fitted = &f
	}
	s.fit(d.fitted)
	if pretrained {
		m := &s.SMLM
		m.Epochs = d.fitted.pretrainedEpochs
		m.LR, m.Beta1, m.Warmup, m.Decay, m.Clip = 3e-4, 0.9, 200, 0.8, 1
	}
	return s
}

// fit sets the keys that have values of their own in the profile "fitted".
func (s *Settings) fit(sizes *fit) {
	s.Classifier.Embedding, s.Classifier.Hidden = sizes.hidden, sizes.hidden
	s.Classifier.Epochs, s.Classifier.BatchTokens = sizes.judge.epochs, sizes.judge.tokens
	s.FastText.Epochs = sizes.selectorEpochs
	s.LM.Embedding, s.LM.Hidden = sizes.hidden, sizes.hidden
	s.LM.Epochs, s.LM.BatchTokens = sizes.judge.epochs, sizes.judge.tokens
	s.Guide.Epochs, s.Guide.BatchTokens = sizes.guideEpochs, sizes.judge.tokens

	s.DivLSTM.Embedding, s.DivLSTM.Hidden, s.DivLSTM.DivLSTMShape.Attention = sizes.hidden, sizes.hidden, sizes.hidden
	s.DivLSTM.Bidirectional, s.DivLSTM.Restarts, s.DivLSTM.LR = false, 3, sizes.attentionLR
	s.DivLSTM.Epochs, s.DivLSTM.BatchTokens = sizes.attention.epochs, sizes.attention.tokens
	s.Masking.LambdaEps, s.Guided.Style, s.Guided.StyleCost = recipe.Chosen, recipe.Chosen, recipe.Chosen
	if sizes.manyStyles { // with many styles, attention misses style words (docs/decisions/025-starter.md)
		s.Masking.Methods = []policy.Method{policy.IntegratedGradients}
		s.Masking.TrainOn = s.Masking.Methods
		s.DivLSTM.Bidirectional, s.DivLSTM.LambdaCon, s.DivLSTM.Dropout, s.DivLSTM.Restarts = true, 0, 0.5, 0
	}

	m := &s.SMLM
	m.Models, m.Decoding = []string{"smlm"}, []recipe.Decoding{recipe.Copied, recipe.GuidedDecoding}
	m.Dim, m.FF, m.Heads = sizes.dim, sizes.ff, 4
	m.Epochs, m.BatchTokens = sizes.smlm.epochs, sizes.smlm.tokens
	m.LR, m.Warmup, m.Decay, m.Dropout = sizes.lr, sizes.warmup, sizes.decay, 0.1
	m.Loss, m.SourceToken, m.RandomMasks = recipe.Masked, false, 0.1

	d := &s.Decoder
	d.Layers = 1
	d.Epochs, d.BatchTokens, d.LR, d.Warmup = sizes.decoderEpochs, sizes.smlm.tokens, sizes.lr, sizes.warmup
	s.Finetune.BatchTokens = sizes.smlm.tokens
}

// PretrainedCost estimates what SMLM's training from a pretrained encoder of this shape needs on
// two cores: minutes and bytes of memory.
func (d *Dataset) PretrainedCost(m *SMLMSettings, vocab int, encoder recipe.SMLMShape) (minutes, memory int) {
	weights := encoder.Layers * (4*encoder.Dim + 2*encoder.FF) * encoder.Dim
	seconds := d.size().Words * m.Epochs * weights / weightWords
	return 1 + seconds/60, baseMemory + trainingBytes*(weights+vocab*encoder.Dim)
}

// These numbers were measured with MiniLM (10.6 million weights in its layers) in float32.
const (
	weightWords   = 12_000_000_000 // product of weights and training words that two cores process in a second
	trainingBytes = 16             // bytes of memory for each weight
	baseMemory    = 1_500_000_000  // bytes of memory for everything else
)

// steps says how long a training is: its epochs, and the words of a batch.
type steps struct{ epochs, tokens int }

// fit has sizes and numbers of steps that suit a training text. They were found by training on data
// sets of different sizes: docs/decisions/025-starter.md.
type fit struct {
	hidden, dim, ff, warmup    int
	lr, decay, attentionLR     float64
	smlm, judge, attention     steps
	pretrainedEpochs           int // of SMLM from a pretrained encoder
	decoderEpochs, guideEpochs int
	selectorEpochs             int
	manyStyles                 bool
}

// These are the minimum numbers of steps of a training run, however few sentences there are. They
// follow from runs on 483 sentences. The accuracy of the Diversity-LSTM was at chance after 190
// steps, even with three restarts, and 100 % after 1,026 steps. The accuracy of the guide was at
// chance after 57 steps and 100 % after 285. The selector reads one sentence per step. Its
// log-odds, by which attention is judged, were still near 0 after 2,415 steps.
const (
	attentionSteps = 1000
	smlmSteps      = 1000
	decoderSteps   = 1000
	judgeSteps     = 500
	guideSteps     = 300
	selectorSteps  = 20_000

	// minSteps is the approximate minimum number of steps per epoch. Small data sets get smaller
	// batches, so that they have this many steps.
	minSteps = 100
	// maxSMLMTokens is the maximum number of words in SMLM's batches. With larger batches, SMLM
	// learns less in few epochs.
	maxSMLMTokens = 1000
)

// fitFor returns what suits a training text.
func fitFor(n corpus.Size) fit {
	var f fit
	if n.Sentences < 60_000 {
		f = fit{hidden: 64, dim: 64, ff: 128, warmup: 100, lr: 2e-3, attentionLR: 5e-3}
		f.smlm, f.judge, f.attention = steps{10, 1000}, steps{5, 1000}, steps{5, 150}
	} else {
		f = fit{hidden: 128, dim: 256, ff: 1024, warmup: 200, lr: 1e-3, decay: 0.5, attentionLR: 1e-3}
		f.smlm, f.judge, f.attention = steps{5, 3000}, steps{2, 3000}, steps{2, 3000}
	}
	tokens := max(100, min(f.judge.tokens, n.Words/minSteps))
	f.judge.tokens, f.smlm.tokens = tokens, min(tokens, maxSMLMTokens)
	epochs := func(least, perEpoch, atLeast int) int {
		perEpoch = max(1, perEpoch)
		return max(least, (atLeast+perEpoch-1)/perEpoch)
	}
	f.smlm.epochs = epochs(f.smlm.epochs, n.Words/f.smlm.tokens, smlmSteps)
	f.judge.epochs = epochs(f.judge.epochs, n.Words/tokens, judgeSteps)
	f.attention.epochs = epochs(f.attention.epochs, n.Words/f.attention.tokens, attentionSteps)
	f.pretrainedEpochs = epochs(3, n.Words/f.smlm.tokens, smlmSteps)
	f.decoderEpochs = epochs(1, n.Words/f.smlm.tokens, decoderSteps)
	f.guideEpochs = epochs(1, n.Words/tokens, guideSteps)
	f.selectorEpochs = epochs(5, n.Sentences, selectorSteps)
	f.manyStyles = n.Styles > 2
	return f
}

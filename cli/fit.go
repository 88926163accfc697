package cli

import "github.com/smlm-exp/smlm-exp/corpus"

// fit is the sizes that suit a number of training sentences. Each was found in trainings on data of
// that size: docs/decisions/025-starter.md.
type fit struct {
	Vocab, Dim, FF, Hidden, Epochs, BatchTokens, Warmup, JudgeEpochs int
	LR                                                               string
	Decay                                                            string // of SMLM's learning rate, "" = none
	LambdaCon                                                        string // of the Diversity-LSTM
	AttentionTokens                                                  int    // its words a batch

	AttentionEpochs, GuideEpochs, SelectorEpochs int // for a size, at least; as stretch finds them
	SMLMTokens, Steps                            int // of SMLM: words a batch, and steps of an epoch
}

// mostSMLMTokens is of how many words SMLM's batches are at most: in few epochs it learns less of
// more.
const mostSMLMTokens = 1000

// fewestSteps is about how many an epoch has of however few words: batches shrink for it.
const fewestSteps = 100

// The steps that a training has at least, of however few sentences. On 483 sentences the
// Diversity-LSTM was at chance after 190 steps, with three restarts, and at 100 % after 1,026; the
// guide after 57 and after 285. A step of the selector is one sentence: after 2,415 its log odds,
// by which attention is judged, were still near 0.
const (
	attentionSteps = 1000
	smlmSteps      = 1000
	judgeSteps     = 500
	guideSteps     = 300
	selectorSteps  = 20_000
)

// fewSentences is about how many training sentences there must be for results to be worth a
// comparison.
const fewSentences = 2000

func fitFor(sentences int) fit {
	switch {
	case sentences < 12_000:
		return fit{5000, 64, 128, 64, 10, 1000, 100, 5, "2e-3", "", "1.5", 150, 5, 1, 5, 0, 0}
	case sentences < 60_000:
		return fit{12_000, 256, 1024, 128, 8, 750, 500, 5, "5e-4", "", "0.1", 3000, 5, 1, 5, 0, 0}
	default:
		return fit{25_000, 256, 1024, 128, 5, 3000, 200, 2, "1e-3", "0.5", "0.5", 3000, 2, 1, 5, 0, 0}
	}
}

// stretch makes batches smaller and epochs more where so few sentences, of these lengths, would
// leave trainings too few steps.
func (f *fit) stretch(lengths []int) {
	words := 0
	for _, n := range lengths {
		words += n
	}
	f.BatchTokens = max(100, min(f.BatchTokens, words/fewestSteps))
	f.SMLMTokens = min(f.BatchTokens, mostSMLMTokens)
	f.Steps = len(corpus.Batches(lengths, f.SMLMTokens, 1, 0))
	judge := len(corpus.Batches(lengths, f.BatchTokens, 1, 0))
	attention := len(corpus.Batches(lengths, f.AttentionTokens, 1, 0))
	for _, training := range []struct {
		epochs         *int
		steps, atLeast int
	}{
		{&f.Epochs, f.Steps, smlmSteps},
		{&f.JudgeEpochs, judge, judgeSteps},
		{&f.AttentionEpochs, attention, attentionSteps},
		{&f.GuideEpochs, judge, guideSteps},
		{&f.SelectorEpochs, len(lengths), selectorSteps},
	} {
		*training.epochs = max(*training.epochs, (training.atLeast+training.steps-1)/training.steps)
	}
}

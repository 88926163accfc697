package doctor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/pretrained"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// What an encoder is tried with: a vocabulary as that of a data set of some hundred thousand
// sentences, and a batch as docs/pretrained.md has it.
const (
	triedWords    = 10_000
	triedBatch    = 1500
	triedSentence = 12 // words
	triedSteps    = 3
	triedShare    = .3 // of the words of a sentence that are masked
)

// encoder says how large a pretrained encoder is, and what training from it costs here: it starts a
// masked language model from the folder and trains it some steps on invented sentences.
func (d *doctor) encoder(ctx context.Context, f *folder.Folder) error {
	c := pretrained.ConfigOf(f.Config, triedWords, 0, .1)
	if err := c.Check(); err != nil {
		return err
	}
	bare := c
	bare.Vocab = 0
	d.say("encoder", "%s of %s, %s of width %d: %.1f million weights without words, %s as files", f.Dir, f.Config.Family,
		wording.Count(c.Layers, "layer"), c.Dim, bare.Numbers()/1e6, wording.Bytes(f.Bytes()))
	device := machine.CPU
	if len(d.facts.usable) > 0 {
		device = d.facts.usable[0].Name
	}
	if err := torch.SetDevice(device); err != nil {
		return err
	}
	in := recipe.FP32
	if torch.FasterInBF16() {
		in = recipe.BF16
	}
	own := machine.ResetPeak()
	step, err := tryEncoder(ctx, f, c, in)
	if err != nil {
		return err
	}
	const words = triedBatch / (triedSentence + 2) * triedSentence // without special tokens
	d.say("", "a training step on %d words takes %s on %s in %s, so a million words take %s", words, seconds(step), device,
		in, wording.Short(step*1_000_000/words))
	if own && device == machine.CPU {
		d.say("", "the training takes up to %s of memory, with batch_tokens = %d and %d words in the vocabulary",
			wording.Bytes(machine.PeakMemory()), triedBatch, triedWords)
	}
	return nil
}

// tryEncoder returns how long a training step takes.
func tryEncoder(
	ctx context.Context, f *folder.Folder, c pretrained.WordsConfig, in recipe.Precision,
) (step time.Duration, err error) {
	words := make([]corpus.Sentence, triedWords)
	for i := range words {
		words[i] = corpus.Sentence{fmt.Sprintf("w%d", i)}
	}
	labels := corpus.Styles{"0", "1"}
	v := corpus.BuildVocab([][]corpus.Sentence{words}, triedWords)
	c.Vocab = v.Len()
	rng := rand.New(rand.NewPCG(1, 1))
	text := make([][]int64, triedBatch/(triedSentence+2)*triedSteps)
	for i := range text {
		for range triedSentence {
			text[i] = append(text[i], corpus.NumSpecial+rng.Int64N(triedWords))
		}
	}
	err = torch.Scoped(func() error {
		torch.Seed(1)
		m := pretrained.NewMaskedWords(pretrained.MaskedConfig{WordsConfig: c})
		defer m.Params.Free()
		if err := m.Load(f, v, labels, text, 0); err != nil {
			return err
		}
		r := nn.Recipe{Training: recipe.Training{
			Epochs: 1, LR: 1e-4, Beta1: .9, Beta2: .999, Clip: 1, BatchTokens: triedBatch, Precision: in,
		}}
		if _, err := m.Train(ctx, text[:len(text)/triedSteps], text[:1], triedShare, r); err != nil {
			return err
		}
		h, err := m.Train(ctx, text, text[:1], triedShare, r)
		if err == nil {
			step = time.Duration(h.Seconds / float64(h.Steps) * float64(time.Second))
		}
		return err
	})
	return step, err
}

package pretrained

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

const words = corpus.NumSpecial + 8

// tiny is a shape of few words, whose encoder reads six of a sentence at once.
func tiny(layers int) MaskedConfig {
	return MaskedConfig{WordsConfig{
		Vocab: words, SMLMShape: recipe.SMLMShape{Layers: layers, Heads: 2, Dim: 8, FF: 12},
		PretrainedShape: recipe.PretrainedShape{Embedding: 6, Positions: 8, FirstPosition: 1, Activation: recipe.GELU, Eps: 1e-12},
	}}
}

// fresh returns a model of weights wide enough to tell sentences apart.
func fresh(c MaskedConfig) *MaskedWords {
	torch.Seed(7)
	m := NewMaskedWords(c)
	for i, p := range m.Params.All() {
		if size := p.Shape(); len(size) > 1 {
			p.Set(torch.Randn(size...).Scale(.5))
		} else if m.Params.Names()[i] == "head.bias" {
			p.Set(torch.Randn(size...))
		}
	}
	return m
}

// plainly computes log p of one word by itself: the whole sentence through all of the encoder,
// and the logits of all words.
func plainly(m *MaskedWords, ids []int64, k int) (p float64) {
	_ = torch.NoGrad(func() error {
		row := m.Config.row(ids)
		row[k+1] = corpus.MaskID
		in := torch.FromInts(row, 1, int64(len(row)))
		x := m.words.States(m.words.Table.Forward(in), len(m.words.Layers), false)
		logits := m.transform.Forward(x.Narrow(1, int64(k+1), 1).Reshape(1, -1)).Linear(m.words.Table.W, m.bias)
		p = float64(logits.LogSoftmax(1).Floats()[ids[k]])
		return nil
	})
	return p
}

// roundingOff bounds how far two orders of the same sums of a tiny model are apart.
var roundingOff = testkit.RoundingBound(append(testkit.Chain(2*12, 12), words, 12)...)

func near(a, b float64) bool { return math.Abs(a-b) <= roundingOff*max(1, math.Abs(a)) }

// TestLikelihoodIsOfTheSentence: each word's log p is what one sentence alone gives by the whole
// encoder, whatever the order of a text, the company in it, and which places are asked about.
func TestLikelihoodIsOfTheSentence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sentence := rapid.SliceOfN(rapid.Int64Range(corpus.UnkID, words-1), 0, 6)
		ids := rapid.SliceOfN(sentence, 1, 12).Draw(t, "ids")
		order := rapid.Permutation(testkit.Indices(len(ids))).Draw(t, "order")
		layers := rapid.IntRange(1, 3).Draw(t, "layers")
		err := torch.Run(func() error {
			m := fresh(tiny(layers))
			defer m.Params.Free()
			all, err := m.Likelihood(context.Background(), ids)
			if err != nil {
				return err
			}
			var permuted [][]int64
			var some [][]int
			for _, i := range order {
				permuted = append(permuted, ids[i])
				var places []int
				for k := len(ids[i]) - 1; k >= 0; k -= 2 {
					places = append(places, k)
				}
				some = append(some, places)
			}
			other, err := m.Likelihood(context.Background(), permuted)
			if err != nil {
				return err
			}
			each, err := m.LogProbs(context.Background(), permuted, some)
			if err != nil {
				return err
			}
			for at, i := range order {
				sum, n := 0., 0
				for k, id := range ids[i] {
					if id >= corpus.NumSpecial {
						sum, n = sum+plainly(m, ids[i], k), n+1
					}
				}
				if !near(sum, all.LogProb[i]) || !near(sum, other.LogProb[at]) || n != all.Words[i] || n != other.Words[at] {
					t.Errorf("%v: %v of %d words, in another order %v, alone %v of %d", ids[i], all.LogProb[i], all.Words[i],
						other.LogProb[at], sum, n)
				}
				for j, k := range some[at] {
					if want := plainly(m, ids[i], k); !near(want, each[at][j]) {
						t.Errorf("%v at %d: %v, alone %v", ids[i], k, each[at][j], want)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestMaskedWordIsHidden: p of all words at a place sum to 1, which they cannot where the model
// sees the word that it is asked about.
func TestMaskedWordIsHidden(t *testing.T) {
	parity.OnTorch(t, func() error {
		for layers := 1; layers <= 2; layers++ {
			m := fresh(tiny(layers))
			defer m.Params.Free()
			var ids [][]int64
			for w := range int64(words) {
				ids = append(ids, []int64{12, w, 10})
			}
			of, err := m.LogProbs(context.Background(), ids, slices.Repeat([][]int{{1}}, len(ids)))
			if err != nil {
				return err
			}
			sum, first := 0., of[0][0]
			same := true
			for _, p := range of {
				sum += math.Exp(p[0])
				same = same && p[0] == first
			}
			if math.Abs(sum-1) > words*roundingOff || same {
				t.Errorf("%d layers: the probabilities sum to %v, all the same: %v", layers, sum, same)
			}
		}
		return nil
	})
}

// TestLongSentences: of a sentence longer than the encoder reads at once, each word is asked
// about among those around it, and what is further away does not matter.
func TestLongSentences(t *testing.T) {
	long := []int64{9, 10, 11, 12, 13, 14, 15, 16, 9, 10, 11}
	parity.OnTorch(t, func() error {
		m := fresh(tiny(2))
		defer m.Params.Free()
		of, err := m.LogProbs(context.Background(), [][]int64{long}, [][]int{testkit.Indices(len(long))})
		if err != nil {
			return err
		}
		for k, p := range of[0] {
			from := min(max(0, k-3), 5)
			if want := plainly(m, long[from:from+6], k-from); !near(want, p) {
				t.Errorf("word %d: %v, among those around it %v", k, p, want)
			}
		}
		return nil
	})
}

// twoSentences is a text of which each word follows from the others.
func twoSentences() (text [][]int64) {
	for i := range 60 {
		text = append(text, [][]int64{{9, 10, 11}, {12, 10, 13}, {14, 15}}[i%3])
	}
	return append(text, []int64{corpus.UnkID}, nil)
}

func maskedRecipe(epochs int) nn.Recipe {
	return nn.Recipe{
		Training: recipe.Training{Epochs: epochs, LR: .01, Beta1: .9, Beta2: .999, BatchTokens: 40}, Seed: 1,
	}
}

// TestMaskedWordsLearn: the first and the last word of a sentence tell each other, the one
// between them nothing: it is the same. What was learnt is found again in a file.
func TestMaskedWordsLearn(t *testing.T) {
	parity.OnTorch(t, func() error {
		torch.Seed(3)
		c := tiny(2)
		c.Dim, c.FF, c.Embedding = 24, 32, 24
		m := NewMaskedWords(c)
		defer m.Params.Free()
		live := torch.Live()
		h, err := m.Train(context.Background(), twoSentences(), twoSentences()[:9], DefaultShare, maskedRecipe(40))
		if err != nil {
			return err
		}
		if n := torch.Live(); n != live {
			t.Errorf("%d tensors were left", n-live)
		}
		of := [][]int64{{9, 10, 11}, {12, 10, 11}, {14, 15}, {15, 14}}
		l, err := m.Likelihood(context.Background(), of)
		if err != nil {
			return err
		}
		if l.LogProb[0] < math.Log(.5) || l.LogProb[0]-l.LogProb[1] < 2 || l.LogProb[2]-l.LogProb[3] < 2 {
			t.Errorf("after %d epochs, dev loss %.3f: %v", len(h.Epochs), h.Kept().Dev.Loss, l.LogProb)
		}
		path := filepath.Join(t.TempDir(), "m.safetensors")
		if err := m.Params.Save(path); err != nil {
			return err
		}
		other := NewMaskedWords(c)
		defer other.Params.Free()
		if err := other.Params.Load(path); err != nil {
			return err
		}
		again, err := other.Likelihood(context.Background(), of)
		if !slices.Equal(again.LogProb, l.LogProb) {
			t.Errorf("from the file %v, before %v", again.LogProb, l.LogProb)
		}
		return err
	})
}

// TestMaskedResume: a training that stops inside an epoch and goes on ends with the same bits,
// and draws other masks in each epoch.
func TestMaskedResume(t *testing.T) {
	text := twoSentences()
	train := func(ctx context.Context, r nn.Recipe) (bits []float32, err error) {
		torch.Seed(5)
		c := tiny(2)
		c.Dropout = .2
		m := NewMaskedWords(c)
		defer m.Params.Free()
		if _, err := m.Train(ctx, text, text[:9], DefaultShare, r); err != nil {
			return nil, err
		}
		for _, p := range m.Params.All() {
			bits = append(bits, p.Floats()...)
		}
		return bits, nil
	}
	parity.OnTorch(t, func() error {
		whole, err := train(context.Background(), maskedRecipe(4))
		if err != nil {
			return err
		}
		ctx, stop := context.WithCancel(context.Background())
		r := maskedRecipe(4)
		r.Scratch = t.TempDir()
		r.Progress = func(done, _ int, _ string) {
			if done == 13 { // of 8 batches an epoch
				stop()
			}
		}
		if _, err := train(ctx, r); !errors.Is(err, context.Canceled) {
			t.Fatalf("the training was not stopped: %v", err)
		}
		r.Progress = nil
		again, err := train(context.Background(), r)
		if !slices.Equal(whole, again) {
			t.Error("a training that went on has other weights")
		}
		return err
	})
}

// TestDrawPlaces: a share of the words that the vocabulary has, at least one, and never another
// token.
func TestDrawPlaces(t *testing.T) {
	parity.OnTorch(t, func() error {
		c := tiny(1)
		c.Positions = 64
		m := NewMaskedWords(c)
		defer m.Params.Free()
		rng := rand.New(rand.NewPCG(1, 1))
		text := make([][]int64, 3000)
		for i := range text {
			for range 1 + rng.IntN(40) {
				text[i] = append(text[i], corpus.UnkID+rng.Int64N(words-corpus.UnkID))
			}
		}
		places := m.drawPlaces(text, .15, 1, 3)
		masked, all := 0., 0.
		for i, of := range places {
			known := 0
			for _, id := range text[i] {
				if m.asked(id) {
					known++
				}
			}
			if (len(of) == 0) != (known == 0) {
				t.Errorf("%d of %d words are masked", len(of), known)
			}
			for _, k := range of {
				if !m.asked(text[i][k]) {
					t.Errorf("the token %d is masked", text[i][k])
				}
			}
			if known >= 7 { // so that a share is one word or more
				masked, all = masked+float64(len(of)), all+float64(known)
			}
		}
		if share := masked / all; math.Abs(share-.15) > .005 {
			t.Errorf("a share of %v is masked", share)
		}
		if other := m.drawPlaces(text, .15, 1, 4); slices.EqualFunc(places, other, slices.Equal) {
			t.Error("two epochs have the same masks")
		}
		return nil
	})
}

func TestNothingToMask(t *testing.T) {
	parity.OnTorch(t, func() error {
		m := NewMaskedWords(tiny(1))
		defer m.Params.Free()
		_, err := m.Train(context.Background(), [][]int64{{corpus.UnkID}, {}}, [][]int64{{9}}, DefaultShare, maskedRecipe(1))
		testkit.WantError(t, err, userr.BadInput, "the training set has no sentence with a word of the vocabulary")
		return nil
	})
}

// TestMaskedWordsStartFrom: over a vocabulary whose words are single pieces a fresh model says what
// the folder's own says of these pieces.
func TestMaskedWordsStartFrom(t *testing.T) {
	f, err := folder.Open(filepath.Join("testdata", "bert"))
	if err != nil {
		t.Fatal(err)
	}
	var sentence corpus.Sentence
	for c := 'a'; c <= 'z'; c++ {
		if len(f.Tokenizer.Word(string(c))) == 1 {
			sentence = append(sentence, string(c))
		}
	}
	if len(sentence) < 5 {
		t.Fatalf("only %v are single pieces", sentence)
	}
	v := corpus.BuildVocab([][]corpus.Sentence{{sentence}}, 0)
	parity.OnTorch(t, func() error {
		m := NewMaskedWords(MaskedConfig{WordsConfig: ConfigOf(f.Config, v.Len(), 0, 0)})
		defer m.Params.Free()
		if err := m.Load(f, v, corpus.Styles{"rude", "kind"}, nil, 0); err != nil {
			return err
		}
		whole, err := Open(f, 0, Masked)
		if err != nil {
			return err
		}
		defer whole.Params.Free()
		ids, special := v.Encode(sentence), f.Tokenizer.Special()
		pieces := []int64{special.CLS}
		for _, w := range sentence {
			pieces = append(pieces, f.Tokenizer.Word(w)...)
		}
		pieces = append(pieces, special.SEP)
		// The words that may stand at a place differ in log p as their pieces do.
		var words, inPieces [][]int64
		for i := range ids {
			row, in := slices.Clone(ids), slices.Clone(pieces)
			row[2], in[3] = ids[i], pieces[i+1]
			words, inPieces = append(words, row), append(inPieces, in)
		}
		n := len(ids)
		got, err := m.LogProbs(context.Background(), words, slices.Repeat([][]int{{2}}, n))
		if err != nil {
			return err
		}
		want, err := whole.MaskedLogProbs(context.Background(), inPieces, slices.Repeat([][]int{{3}}, n), special.Mask)
		for i := range got {
			a, b := got[i][0]-got[0][0], want[i][0]-want[0][0]
			if math.Abs(a-b) > 1e-4*max(1, math.Abs(b)) || i > 0 && a == 0 {
				t.Errorf("the word %s is likelier than %s by %v, its piece by %v", sentence[i], sentence[0], a, b)
			}
		}
		return err
	})
}

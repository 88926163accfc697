package smlm

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/pretrained"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// The tokenizer of testdata/bert has one piece for each word of these sentences, except for
// "violinists" (two pieces) and "zzz" (none).
var (
	sentencesOfPieces = [][]corpus.Sentence{
		{{"this", "cafe", "was", "quiet"}, {"the", "ferry", "never", "sang"}},
		{{"our", "goat", "was", "unlikely"}, {"violinists", "liked", "the", "zzz"}},
	}
	labelsOfPieces = corpus.Styles{"quiet", "black"}
)

func smallFolder(t testing.TB) *folder.Folder {
	t.Helper()
	f, err := folder.Open(filepath.Join("..", "pretrained", "testdata", "bert"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The function of returns the shape of an SMLM that starts from the first layers of a pretrained
// encoder.
func of(f *folder.Folder, v *corpus.Vocab, layers int) Config {
	c := asPrinted(Config{Vocab: v.Len(), SMLMShape: f.Config.SMLMShape, Pretrained: &f.Config.PretrainedShape})
	c.Layers = layers
	return c
}

// TestStartFrom checks that an untrained model gives a word of one piece the same logit as the
// pretrained model gives this piece. A word of several pieces must get the mean of the pieces'
// vectors. Another test compares the pretrained model with HuggingFace transformers.
func TestStartFrom(t *testing.T) {
	v := corpus.BuildVocab(sentencesOfPieces, 0)
	f := smallFolder(t)
	parity.OnTorch(t, func() error {
		return torch.NoGrad(func() error {
			m := New(of(f, v, f.Config.Layers))
			defer m.Params.Free()
			if err := m.StartFrom(f, v, labelsOfPieces); err != nil {
				return err
			}
			return compareWithFolder(t, m, f, v)
		})
	})
}

// ownLogits returns the logits of the pretrained model itself for pieces [B, T]: [B*T, pieces], in
// row-major order.
func ownLogits(f *folder.Folder, ids *torch.Tensor) ([]float32, error) {
	p := nn.NewParams()
	defer p.Free()
	encoder := pretrained.NewEncoder(p, f.Config.SMLMShape, f.Config.PretrainedShape, 0)
	if err := encoder.Load(f); err != nil {
		return nil, err
	}
	all := make([][]int64, f.Config.Vocab)
	for i := range all {
		all[i] = []int64{int64(i)}
	}
	head := pretrained.NewTransform(p, f.Config.Dim, f.Config.PretrainedShape)
	bias, err := head.Start(f, all)
	if err != nil {
		return nil, err
	}
	table, err := pretrained.Pieces(f)
	if err != nil {
		return nil, err
	}
	rows, dim := ids.Size(0), int64(f.Config.Dim)
	vectors := torch.FromFloats(table, int64(len(bias)), dim)
	x := encoder.Inputs(vectors.Rows(ids.Reshape(-1)).Reshape(rows, -1, dim), false)
	for _, l := range encoder.Layers {
		x = l.Forward(x, false)
	}
	return head.Forward(x).Linear(vectors, torch.FromFloats(bias, int64(len(bias)))).Floats(), nil
}

func compareWithFolder(t *testing.T, m *Model, f *folder.Folder, v *corpus.Vocab) error {
	t.Helper()
	piece := func(id int64) int64 {
		switch word := v.Word(id); {
		case id == corpus.MaskID:
			return f.Tokenizer.Mask
		case strings.HasPrefix(word, "<"):
			return f.Tokenizer.Word(labelsOfPieces[int(word[5]-'0')])[0]
		default:
			return f.Tokenizer.Word(word)[0]
		}
	}
	d := corpus.Encoded{IDs: v.EncodeAll(sentencesOfPieces[0]), Styles: []int{0, 1}, Targets: []int{1, 0}}
	d.Masks = [][]bool{{false, true, false, false}, {true, false, false, true}}
	in := m.Config.codes().grid(d, []int{0, 1}, d.Targets)
	pieces := make([]int64, len(in.IDs))
	rows := make([]int64, len(in.IDs))
	for i, id := range in.IDs {
		pieces[i], rows[i] = piece(id), int64(i)
	}
	logits := m.out.Forward(m.enc.rows(in.Tensor(), rows, false)).Floats()
	want, err := ownLogits(f, torch.FromInts(pieces, 2, 6))
	if err != nil {
		return err
	}
	at := func(row int, id int64) float64 { return float64(logits[row*v.Len()+int(id)]) }
	compared := 0
	for row := range rows {
		for id := int64(corpus.NumSpecial); id < int64(v.Len()); id++ {
			if p := f.Tokenizer.Word(v.Word(id)); len(p) == 1 {
				compared++
				w := float64(want[row*f.Config.Vocab+int(p[0])])
				if math.Abs(at(row, id)-w) > 1e-4*max(1, math.Abs(w)) {
					t.Fatalf("%s: logit of %q at %d is %v, of its piece %v", f.Dir, v.Word(id), row, at(row, id), w)
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("%d logits compared", compared)
	}
	table, err := pretrained.Pieces(f)
	if err != nil {
		return err
	}
	of, width := f.Tokenizer.Word("violinists"), f.Config.Dim
	if len(of) < 2 {
		t.Fatalf("violinists is %d pieces", len(of))
	}
	got := m.enc.embed.W.Rows(ints([]int64{v.ID("violinists")})).Floats()
	for k := range width {
		mean := 0.
		for _, p := range of {
			mean += float64(table[int(p)*width+k]) / float64(len(of))
		}
		if math.Abs(float64(got[k])-mean) > 1e-6 {
			t.Fatalf("%s: the vector of a word of %d pieces is not their mean", f.Dir, len(of))
		}
	}
	return nil
}

// withoutHead opens a copy of the small folder without the masked-language head, as MiniLM was
// saved.
func withoutHead(t testing.TB) *folder.Folder {
	t.Helper()
	dir := testkit.CopyEncoder(t, smallFolder(t).Dir, func(name string) string {
		ofEncoder, found := strings.CutPrefix(name, "bert.")
		if !found {
			return ""
		}
		return ofEncoder
	})
	f, err := folder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestTrainFrom trains an SMLM that starts from one layer of a pretrained encoder, once with the
// folder's head and once without. The loss must fall, and Numbers must not exceed the number of
// weights.
func TestTrainFrom(t *testing.T) {
	v := corpus.BuildVocab(sentencesOfPieces, 0)
	d := corpus.Encoded{Styles: []int{0, 0, 1, 1}, Masks: slices.Repeat([][]bool{{false, true, false, true}}, 4)}
	for _, text := range sentencesOfPieces {
		d.IDs = append(d.IDs, v.EncodeAll(text)...)
	}
	for _, f := range []*folder.Folder{smallFolder(t), withoutHead(t)} {
		parity.OnTorch(t, func() error {
			m := New(of(f, v, 1))
			defer m.Params.Free()
			if err := m.StartFrom(f, v, labelsOfPieces); err != nil {
				return err
			}
			r := nn.Recipe{Seed: 2, Training: recipe.Training{
				Epochs: 20, LR: .01, Beta1: .9, BatchTokens: 100,
			}}
			h, err := m.Train(context.Background(), d, d, Objective{Loss: recipe.Masked}, VariedMasks{}, r)
			if err != nil {
				return err
			}
			if first, last := h.Epochs[0].TrainLoss, h.Kept().Dev.Loss; !(last < first/2) {
				t.Errorf("%s: the loss goes from %v to %v", f.Dir, first, last)
			}
			if want := m.Config.Numbers(); want > float64(m.Params.Count()) {
				t.Errorf("a shape of %v weights, a model of %d", want, m.Params.Count())
			}
			return m.Config.Check()
		})
	}
}

// The function started returns the shape of a model that starts from a pretrained encoder.
func started(c Config) Config {
	c.Pretrained = &recipe.PretrainedShape{
		Embedding: c.Dim, Positions: 30, Activation: recipe.GELU, Eps: 1e-6,
	}
	return c
}

// TestNarrowEmbedding checks that a shape is refused if its embeddings are narrower than its
// states. A BERT never has such a shape.
func TestNarrowEmbedding(t *testing.T) {
	c := started(tiny)
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	c.Pretrained.Embedding = c.Dim / 2
	if err := c.Check(); err == nil || !strings.Contains(err.Error(), "it must be dim") {
		t.Error(err)
	}
}

// TestPretrainedFills does the same as TestFillsAreLogits, but for an SMLM with a pretrained
// encoder.
func TestPretrainedFills(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sentences(t)
		err := torch.Run(func() error {
			m := freshOf(started(tiny))
			defer m.Params.Free()
			fills, err := fillsOf(m, d)
			if err != nil {
				return err
			}
			return areLogits(m, d, fills)
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestPretrainedSearch checks that the cached decoder of SMLM-G uses the same positions as the
// uncached decoder.
func TestPretrainedSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sentences(t)
		dec := searches(t)
		err := torch.Run(func() error {
			g := freshGeneratorOf(started(tiny))
			defer g.Params.Free()
			sameAsNaive(t, g, d, dec)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestLongerThanPositions fills a mask at the end of a sentence that has more words than the
// encoder has positions.
func TestLongerThanPositions(t *testing.T) {
	c := started(tiny)
	c.Pretrained.Positions = 3
	d := corpus.Encoded{
		IDs: [][]int64{{9, 10, 11, 12, 13, 14, 15}}, Masks: [][]bool{make([]bool, 7)}, Styles: []int{0},
		Targets: []int{1},
	}
	d.Masks[0][6] = true
	parity.OnTorch(t, func() error {
		m := freshOf(c)
		defer m.Params.Free()
		fills, err := fillsOf(m, d)
		if err == nil && (len(fills[0]) != 1 || math.IsNaN(fills[0][0][0].LogQ)) {
			err = fmt.Errorf("fills %v", fills)
		}
		return err
	})
}

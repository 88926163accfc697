package smlm

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// wordJudge is a judge whose style logits are the mean of two numbers of each word. It remembers
// what it was shown.
type wordJudge struct {
	table *torch.Tensor // [V, 2]
	seen  []float32     // [B, T, 2] of the last call
}

func (j *wordJudge) Vectors() *torch.Tensor { return j.table }

func (j *wordJudge) OfVectors(words *torch.Tensor) *torch.Tensor {
	j.seen = words.Detach().Copy().Floats()
	return words.MeanDim(1, false)
}

// likes returns a judge to which word is of style 1 and nothing else of any.
func likes(word, vocab int) *wordJudge {
	values := make([]float32, 2*vocab)
	for id := range vocab {
		values[2*id] = float32(id) / 1000 // to know words by
	}
	values[2*word+1] = 9
	return &wordJudge{table: torch.FromFloats(values, int64(vocab), 2).Own()}
}

var (
	toJudge = corpus.Encoded{
		IDs: [][]int64{{9, 10, 11, 12}, {13, 14, 15, 16}}, Styles: []int{0, 0}, Asked: []int{1, 1},
		Masks: [][]bool{{true, false, true, false}, {false, true, false, false}},
	}
	both = []int{0, 1}
)

// TestJudgeReadsWords: at masks the judge sees vectors of words that may be written, everywhere
// else those of the source.
func TestJudgeReadsWords(t *testing.T) {
	parity.OnTorch(t, func() error {
		m, judge := fresh(), likes(20, tiny.Vocab)
		defer m.Params.Free()
		defer judge.table.Free()
		b := m.judgedBatch(toJudge, both, Objective{})
		drawn := map[int]bool{}
		for range 40 {
			m.judgedLoss(m, judge, b, FinetuneLoss{Finetune: recipe.Finetune{LambdaSta: 1, Temperature: .3}}, false)
			for i, row := range toJudge.IDs {
				for k, id := range row {
					seen := math.Round(1000 * float64(judge.seen[2*(i*len(row)+k)]))
					switch masked := toJudge.Masks[i][k]; {
					case masked && (seen < corpus.NumSpecial || seen >= float64(tiny.Vocab)):
						t.Fatalf("word %v stands at a mask", seen)
					case !masked && seen != float64(id):
						t.Fatalf("word %v stands in the place of %d, which is not masked", seen, id)
					case masked:
						drawn[int(seen)] = true
					}
				}
			}
		}
		if len(drawn) < 5 {
			t.Errorf("40 draws have the words %v alone", drawn)
		}
		return nil
	})
}

// remembering is a judge that remembers every sentence that it was shown, as words.
type remembering struct {
	*wordJudge
	sentences [][]int64
}

func (j *remembering) OfVectors(words *torch.Tensor) *torch.Tensor {
	logits := j.wordJudge.OfVectors(words)
	for row := range slices.Chunk(j.seen, 2*int(words.Size(1))) {
		var ids []int64
		for k := 0; k < len(row); k += 2 {
			ids = append(ids, int64(math.Round(1000*float64(row[k]))))
		}
		j.sentences = append(j.sentences, ids)
	}
	return logits
}

// TestJudgeReadsNoEmptyWord: with slots the judge sees the source's open words in their order, and
// among them words that may be written, as many as are not empty. Where nothing is left it sees
// nothing, which is no loss.
func TestJudgeReadsNoEmptyWord(t *testing.T) {
	d := withOpenSlots(toJudge, 2)
	hidden := withOpenSlots(corpus.Encoded{
		IDs: [][]int64{{9, 10}, {11, 12}}, Styles: []int{0, 0}, Asked: []int{1, 1},
		Masks: [][]bool{{true, true}, {true, true}},
	}, 2)
	loss := FinetuneLoss{Finetune: recipe.Finetune{LambdaSta: 1, Temperature: .3}}
	parity.OnTorch(t, func() error {
		m, judge := freshOf(slotted(tiny, 2)), &remembering{wordJudge: likes(20, tiny.Vocab)}
		defer m.Params.Free()
		defer judge.table.Free()
		lead := func(by float32) {
			bias := make([]float32, tiny.Vocab)
			bias[emptyID] = by
			m.out.B.Set(torch.FromFloats(bias, int64(tiny.Vocab)))
		}
		lead(5)
		lengths := map[int]bool{}
		for i, open := range [][]int64{{10, 12}, {13, 15, 16}} {
			b := m.judgedBatch(d, []int{i}, Objective{})
			for range 40 {
				judge.sentences = nil
				m.judgedLoss(m, judge, b, loss, false)
				if len(judge.sentences) != 1 || len(judge.sentences[0]) > len(d.IDs[i]) {
					t.Fatalf("the judge saw %v", judge.sentences)
				}
				seen, at := judge.sentences[0], 0
				for _, id := range seen {
					if id < corpus.NumSpecial || id >= int64(tiny.Vocab) {
						t.Fatalf("word %d was shown", id)
					}
					if at < len(open) && id == open[at] {
						at++
					}
				}
				if lengths[len(seen)] = true; at < len(open) {
					t.Fatalf("%v was shown of a source with the open words %v", seen, open)
				}
			}
		}
		if len(lengths) < 3 {
			t.Errorf("40 draws are of the lengths %v alone", lengths)
		}
		lead(1000)
		judge.sentences = nil
		none := m.judgedLoss(m, judge, m.judgedBatch(hidden, both, Objective{}), loss, false)
		none.Backward()
		if len(judge.sentences) > 0 || none.Item() != 0 {
			t.Errorf("of no word the judge saw %v, and lost %v", judge.sentences, none.Item())
		}
		for i, w := range m.Params.All() {
			if w.Grad() == nil {
				continue
			}
			for _, x := range w.Grad().Floats() {
				if math.Abs(float64(x)) > 1e-6 || math.IsNaN(float64(x)) {
					t.Errorf("no word has a gradient %v of %s", x, m.Params.Names()[i])
					break
				}
			}
		}
		return nil
	})
}

// TestGumbel: the largest of log q and noise is drawn as often as q says.
func TestGumbel(t *testing.T) {
	parity.OnTorch(t, func() error {
		torch.Seed(1)
		const n = 20000
		q := []float64{.5, .3, .15, .05}
		logq := make([]float32, len(q))
		for i, p := range q {
			logq[i] = float32(math.Log(p))
		}
		counts := make([]float64, len(q))
		rows := torch.FromFloats(logq, 1, int64(len(q))).Expand(n, int64(len(q)))
		for _, word := range rows.Add(gumbel(rows.Shape())).Argmax(1).Ints() {
			counts[word]++
		}
		for i, p := range q {
			if off := math.Abs(counts[i] - n*p); off > 5*math.Sqrt(n*p*(1-p)) {
				t.Errorf("drawn %v times, %v expected", counts[i], n*p)
			}
		}
		return nil
	})
}

// TestJudgedTerms: each term alone is what its formula says.
func TestJudgedTerms(t *testing.T) {
	parity.OnTorch(t, func() error {
		m, other, judge := fresh(), New(tiny), likes(20, tiny.Vocab)
		defer m.Params.Free()
		defer other.Params.Free()
		defer judge.table.Free()
		b := m.judgedBatch(toJudge, both, Objective{})
		loss := func(before *Model, l FinetuneLoss) float64 {
			l.Temperature = 1
			return m.judgedLoss(before, judge, b, l, false).Item()
		}
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("%s is %v, want %v", what, got, want)
			}
		}
		near("KL to itself", loss(m, FinetuneLoss{Finetune: recipe.Finetune{LambdaKL: 1}}), 0)
		p, q := m.logProbs(b.other, b.masked, false).Floats(), other.logProbs(b.other, b.masked, false).Floats()
		kl := 0.0
		for i := range p {
			kl += math.Exp(float64(p[i])) * float64(p[i]-q[i]) / float64(len(b.masked))
		}
		near("KL", loss(other, FinetuneLoss{Finetune: recipe.Finetune{LambdaKL: 3}}), 3*kl)
		rec, err := m.Evaluate(context.Background(), toJudge, Objective{})
		near("reconstruction", loss(m, FinetuneLoss{Finetune: recipe.Finetune{LambdaRec: 2}}), 2*rec.Loss)

		style := loss(m, FinetuneLoss{Finetune: recipe.Finetune{LambdaSta: 1}})
		want, n := 0.0, len(judge.seen)/4
		for i := range both {
			var z [2]float64
			for k, x := range judge.seen[2*n*i : 2*n*(i+1)] {
				z[k%2] += float64(x) / float64(n)
			}
			want += math.Log1p(math.Exp(z[0]-z[1])) / 2 // -log p(1), the style asked for
		}
		near("style", style, want)
		return err
	})
}

// TestFinetuneJudged: the model learns to write what the judge asks for, unless KL holds it; the
// judge and everything of the vocabulary's special tokens stay as they are.
func TestFinetuneJudged(t *testing.T) {
	const word = 20
	r := nn.Recipe{Training: recipe.Training{Epochs: 60, LR: .02, Beta1: .9, Beta2: .999, BatchTokens: 8}, Seed: 2}
	written := func(lambdaKL float64) (outputs [][]int64) {
		parity.OnTorch(t, func() error {
			m, judge := fresh(), likes(word, tiny.Vocab)
			defer m.Params.Free()
			defer judge.table.Free()
			before := judge.table.Floats()
			ctx := context.Background()
			loss := FinetuneLoss{Finetune: recipe.Finetune{LambdaSta: 1, LambdaKL: lambdaKL, Temperature: 1}}
			if _, err := m.FinetuneJudged(ctx, judge, toJudge, toJudge, loss, r); err != nil {
				return err
			}
			if !slices.Equal(judge.table.Floats(), before) {
				t.Error("the judge was trained")
			}
			out, err := m.Transfer(ctx, toJudge, Decoding{Decoding: recipe.Copied})
			outputs = out
			return err
		})
		return outputs
	}
	if got := written(0.01); got[0][0] != word || got[0][2] != word || got[1][1] != word {
		t.Errorf("outputs %v, all masks should have %d", got, word)
	}
	var plain [][]int64
	parity.OnTorch(t, func() (err error) {
		m := fresh()
		defer m.Params.Free()
		plain, err = m.Transfer(context.Background(), toJudge, Decoding{Decoding: recipe.Copied})
		return err
	})
	for i, got := range written(1000) {
		if !slices.Equal(got, plain[i]) {
			t.Errorf("output %v although KL weighs 1,000, was %v", got, plain[i])
		}
	}
}

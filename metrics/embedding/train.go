package embedding

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TrainOptions are the settings of Train. Zero stands for the default.
type TrainOptions struct {
	Dim      int // length of a vector: 100, or the number of words where that is less
	Window   int // words to either side that are a word's contexts: 5
	MinCount int // rarer words get no vector: 2
}

func (o TrainOptions) withDefaults() TrainOptions {
	return TrainOptions{Dim: cmp.Or(o.Dim, 100), Window: cmp.Or(o.Window, 5), MinCount: cmp.Or(o.MinCount, 2)}
}

// eigenvalueWeight is the exponent of the singular values: Levy, Goldberg and Dagan (2015)
// recommend .5 or 0 and warn of 1.
const eigenvalueWeight = .5

// Train makes vectors of the words of sentences: M, the positive pointwise mutual information of
// words and contexts, is factorised by a truncated singular value decomposition (Levy and Goldberg
// 2014) M = U S V', and the vectors are the rows of U S^.5, in the order of falling counts.
// Contexts are the words of a window that does not cross the end of a sentence; their distribution
// is smoothed by the exponent .75, the singular values are weighted by .5, both from Levy, Goldberg
// and Dagan (2015). The decomposition is randomised (randomisedSVD); the same seed gives the same
// vectors on the same kind of machine. All of Yelp's training text takes some seconds of one core.
// It fails, with userr.BadInput, where no word occurs MinCount times.
func Train(sentences [][]string, seed uint64, opts TrainOptions) (*Vectors, error) {
	opts = opts.withDefaults()
	if err := Trainable(sentences, opts); err != nil {
		return nil, err
	}
	text := index(sentences, opts.MinCount, opts.Window)
	dim := min(opts.Dim, len(text.words))
	u, values := randomisedSVD(text.ppmi(opts.Window), dim, seed)
	b := newBuilder(dim)
	row := make([]float32, dim)
	for i, word := range text.words {
		for d := range row {
			row[d] = float32(u.Data[i*u.Stride+d] * math.Pow(values[d], eigenvalueWeight))
		}
		b.add([]byte(word), row, nil)
	}
	v := b.finish()
	v.Origin = fmt.Sprintf(
		"ppmi-svd,window:%d,context-smoothing:%v,eigenvalue-weight:%v,min-count:%d,seed:%d,sentences:%d,tokens:%d",
		opts.Window,
		contextSmoothing,
		eigenvalueWeight,
		opts.MinCount,
		seed,
		len(sentences),
		text.tokens,
	)
	return v, nil
}

// Trainable says what is wrong with sentences that Train finds no word in.
func Trainable(sentences [][]string, opts TrainOptions) error {
	opts = opts.withDefaults()
	counts := map[string]int{}
	for _, s := range sentences {
		for _, w := range s {
			if counts[w]++; counts[w] == opts.MinCount {
				return nil
			}
		}
	}
	return userr.New(userr.BadInput, "no word vectors can be trained: no word occurs %d times in the %d sentences; "+
		"give more text or a file of vectors", opts.MinCount, len(sentences))
}

// text is sentences as numbers of words.
type text struct {
	words  []string // by falling count, then in byte order
	ids    []int32  // all sentences behind each other, gap words between; gap: a rare word, or none
	tokens int      // words in all, rare ones too
}

const gap int32 = -1

// index numbers the words that occur minCount times. Before, between and after sentences there are
// as many gaps as the window is wide, so that none reaches into the next sentence or beyond the
// text.
func index(sentences [][]string, minCount, window int) *text {
	t := &text{}
	counts := map[string]int{}
	for _, s := range sentences {
		t.tokens += len(s)
		for _, w := range s {
			counts[w]++
		}
	}
	for w, n := range counts {
		if n >= minCount {
			t.words = append(t.words, w)
		}
	}
	slices.SortFunc(
		t.words, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) },
	)
	ids := make(map[string]int32, len(t.words))
	for i, w := range t.words {
		ids[w] = int32(i)
	}
	t.ids = make([]int32, 0, t.tokens+(len(sentences)+1)*window)
	gaps := slices.Repeat([]int32{gap}, window)
	t.ids = append(t.ids, gaps...)
	for _, s := range sentences {
		for _, w := range s {
			id, ok := ids[w]
			if !ok {
				id = gap
			}
			t.ids = append(t.ids, id)
		}
		t.ids = append(t.ids, gaps...)
	}
	return t
}

// dense returns a matrix of zeros.
func dense(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
}

package guided

import (
	"context"
	"encoding/binary"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// memory holds answers by question. Several ways of writing a sentence ask many of the same ones.
type memory[A any] map[string]A

// answers returns the answers to n questions: key appends what question i is to a key, and ask
// answers those that are new, each once.
func (m memory[A]) answers(
	n int, key func(to []byte, i int) []byte, ask func(news []int) ([]A, error),
) ([]A, error) {
	keys := make([]string, n)
	var news []int
	var to []byte
	for i := range n {
		to = key(to[:0], i)
		keys[i] = string(to)
		if _, known := m[keys[i]]; !known {
			var none A
			m[keys[i]] = none
			news = append(news, i)
		}
	}
	if len(news) > 0 {
		found, err := ask(news)
		if err != nil {
			return nil, err
		}
		for k, i := range news {
			m[keys[i]] = found[k]
		}
	}
	return lists.Map(keys, func(key string) A { return m[key] }), nil
}

func appendNumbers[N int | int64](to []byte, numbers ...N) []byte {
	to = binary.AppendVarint(to, int64(len(numbers)))
	for _, n := range numbers {
		to = binary.AppendVarint(to, int64(n))
	}
	return to
}

// appendSentence appends sentence i of d.
func appendSentence(to []byte, d *corpus.Encoded, i int) []byte {
	to = appendNumbers(appendNumbers(to, d.IDs[i]...), d.Styles[i], d.Asked[i])
	for _, on := range d.Masks[i] {
		bit := byte(0)
		if on {
			bit = 1
		}
		to = append(to, bit)
	}
	return to
}

// remembering returns a refiller that asks its models each question once.
func (r *Refiller) remembering() *Refiller {
	of := *r
	if r.Guide != nil {
		of.Guide = &rememberingGuide{r.Guide, memory[[]float64]{}}
	}
	of.Filler = &rememberingFiller{r.Filler, memory[[][]Fill]{}}
	of.Likelihood = &rememberingLikelihood{r.Likelihood, memory[[]float64]{}}
	return &of
}

type rememberingGuide struct {
	Guide
	known memory[[]float64]
}

// LogProbs is Guide's.
func (m *rememberingGuide) LogProbs(ctx context.Context, ids [][]int64) ([][]float64, error) {
	return m.known.answers(len(ids), func(to []byte, i int) []byte {
		return appendNumbers(to, ids[i]...)
	}, func(news []int) ([][]float64, error) {
		return m.Guide.LogProbs(ctx, lists.Map(news, func(i int) []int64 { return ids[i] }))
	})
}

type rememberingFiller struct {
	Filler
	known memory[[][]Fill]
}

// Fills is Filler's. Nobody may change what it returns.
func (m *rememberingFiller) Fills(ctx context.Context, d corpus.Encoded, own bool) ([][][]Fill, error) {
	return m.known.answers(len(d.IDs), func(to []byte, i int) []byte {
		to = appendSentence(to, &d, i)
		if own {
			to = append(to, 1)
		}
		return to
	}, func(news []int) ([][][]Fill, error) { return m.Filler.Fills(ctx, d.Pick(news), own) })
}

type rememberingLikelihood struct {
	Likelihood
	known memory[[]float64]
}

// LogQ is Likelihood's.
func (m *rememberingLikelihood) LogQ(ctx context.Context, d corpus.Encoded) ([][]float64, error) {
	return m.known.answers(len(d.IDs), func(to []byte, i int) []byte {
		return appendSentence(to, &d, i)
	}, func(news []int) ([][]float64, error) { return m.Likelihood.LogQ(ctx, d.Pick(news)) })
}

package metrics

import (
	"math"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Fluency holds an independent language model's scores of the outputs of one direction.
type Fluency struct {
	LogProb   []float64 // natural log-probability of each output, including its end token
	Tokens    []int     // number of tokens in each output: its words and the end token
	Unknown   []int     // number of words that the model scores as <unk>; nil if not counted
	Signature string
}

// perplexity is exp(-sum of the log-probabilities / number of tokens).
var perplexity = &Metric{
	Key: "perplexity", Head: "PPL", Decimals: 1, Group: GroupFluency, pooled: true, tested: true,
	Note: "PPL: perplexity of the outputs, per token, by a language model that is trained on human text and used for " +
		"evaluation only. Lower is more fluent; a copied source is fluent too.",
	signature: whereAny((*measured).hasFluency, func(dirs []*measured) string {
		return joinNames(dirs, func(d *measured) string { return d.Fluency.signature() })
	}),
	records: []record{
		{"log_prob", func(m *measured) [][]float64 {
			if m.Fluency == nil {
				return nil
			}
			return single(m.Fluency.LogProb)
		}},
		{"tokens", func(m *measured) [][]float64 {
			if m.Fluency == nil {
				return nil
			}
			return single(floats(m.Fluency.Tokens))
		}},
	},
	needs: []string{"log_prob", "tokens"},
	total: func(t *totals) float64 { return math.Exp(-t.sum("log_prob") / t.sum("tokens")) },
}

// unknownShare is the share, 0-1, of the outputs' words that the language model does not know. The
// end-of-sentence tokens do not count as words.
var unknownShare = &Metric{
	Key: "unknown_share", Head: "unk. %", Share: true, Decimals: 1, Group: GroupFluency, pooled: true,
	Note: "unk. %: words of the outputs that this language model does not know. They cost little, so read PPL together " +
		"with this column.",
	signature: whereAny((*measured).countsUnknown, constant(
		"unknown_share|of:output-words|scored-as:<unk>|level:micro|model:perplexity|version:1")),
	records: []record{{"unknown_words", func(m *measured) [][]float64 {
		if !m.countsUnknown() {
			return nil
		}
		return single(floats(m.Fluency.Unknown))
	}}},
	needs: []string{"unknown_words", "tokens"},
	total: func(t *totals) float64 {
		return t.sum("unknown_words") / max(1, t.sum("tokens")-float64(t.n))
	},
}

func (m *measured) hasFluency() bool { return m.Fluency != nil }

func (m *measured) countsUnknown() bool { return m.Fluency != nil && m.Fluency.Unknown != nil }

func (f *Fluency) signature() string {
	if f == nil {
		return ""
	}
	return f.Signature
}

// minLogProb is the lowest mean log-probability per token for which a perplexity is computed.
// exp(600) leaves room to add and subtract perplexities, and no trained language model has a
// perplexity near exp(600). Below about -709 the perplexity would overflow.
const minLogProb = -600

// The function probable reports whether a sentence with this log-probability and this number of
// tokens has a usable perplexity.
func probable(logProb float64, tokens int) bool {
	return !math.IsNaN(logProb) && !math.IsInf(logProb, 0) && logProb >= minLogProb*float64(tokens)
}

// check returns an error unless every output has a score that gives a usable perplexity.
func (f *Fluency) check(in *Input) error {
	n := len(in.Source)
	if f.Unknown != nil && len(f.Unknown) != n {
		return in.differ(len(f.Unknown), "number", " of words that the language model does not know")
	}
	if len(f.LogProb) != n || len(f.Tokens) != n {
		return in.differ(min(len(f.LogProb), len(f.Tokens)), "output", " that the language model read")
	}
	for i, p := range f.LogProb {
		if f.Tokens[i] < 1 || !probable(p, f.Tokens[i]) {
			return userr.New(userr.BadInput, "the language model gives output %d from %s the log-probability "+
				"%v over %d tokens, which gives no perplexity; train it again", i+1, in.name(), p, f.Tokens[i])
		}
	}
	return nil
}

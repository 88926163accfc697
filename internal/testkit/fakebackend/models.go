package fakebackend

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// finished returns an error if a folder has no stage.json, which every finished stage has.
func finished(dirs ...string) error {
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, "stage.json")); err != nil {
			return err
		}
	}
	return nil
}

// OpenTransfer returns fake models that mask every second word. All input stages of the request
// must be finished, but OpenTransfer does not read their files.
func (b Backend) OpenTransfer(_ context.Context, r stages.TransferRequest) (stages.TransferSession, error) {
	for _, dir := range r.Inputs {
		if err := finished(dir); err != nil {
			return nil, err
		}
	}
	if err := b.CheckMachine(r.Devices, nil); err != nil {
		return nil, err
	}
	return rewriter{b, r}, nil
}

// rewriter is the session that OpenTransfer returns. It reports words that contain an x as unknown.
// It deletes a masked "hardly", and it writes a second word after a masked "seldom". It returns as
// many candidates as requested, but at most one for a sentence of one word, and at most two for a
// sentence of two words.
type rewriter struct {
	backend Backend
	asked   stages.TransferRequest
}

// rewrite masks every second word. In the output, these words are in capitals. If Varied is set,
// each of these words is instead replaced by a word that depends on the target style and is not in
// the demo corpus.
func (b Backend) rewrite(words []string, to int) (masked, output []string) {
	masked, output = slices.Clone(words), slices.Clone(words)
	for j := 1; j < len(words); j += 2 {
		masked[j], output[j] = corpus.MaskToken, strings.ToUpper(words[j])
		if b.Varied {
			output[j] = []string{"dreadful", "splendid", "ordinary"}[to%3]
		}
	}
	return masked, output
}

// Rewrite implements stages.TransferSession.
func (s rewriter) Rewrite(ctx context.Context, sentences [][]string) (done []stages.Rewritten, err error) {
	for _, words := range sentences {
		r := stages.Rewritten{Unknown: make([]bool, len(words))}
		origins, kept := &stages.Origins{Guide: .75}, &stages.Origins{Guide: .5}
		var output []string
		r.Masked, output = s.backend.rewrite(words, s.asked.To)
		write := func(place int, w stages.Word) {
			w.Place = place
			if origins.Words = append(origins.Words, w); w.Origin != guided.Deleted {
				r.Output, r.Places = append(r.Output, w.Word), append(r.Places, place)
			}
		}
		for j, word := range output {
			r.Unknown[j] = strings.Contains(words[j], "x")
			kept.Words = append(kept.Words, stages.Word{Word: words[j], Place: j, Origin: guided.Kept})
			switch {
			case j%2 == 0:
				write(j, stages.Word{Word: word, Origin: guided.Kept})
			case words[j] == "hardly":
				write(j, stages.Word{Origin: guided.Deleted})
			default:
				write(j, stages.Word{Word: word, Origin: guided.Filled, P: .25})
				if words[j] == "seldom" {
					write(j, stages.Word{Word: "indeed", Origin: guided.Rephrased})
				}
			}
		}
		if s.asked.Settings.Decoding == recipe.GuidedDecoding {
			r.Origins = origins
		}
		found := s.asked.Candidates
		if len(words) < 3 {
			found = min(found, len(words))
		}
		for k := range found {
			c := stages.Candidate{Output: words, Origins: kept, Odd: 2}
			if k == 0 {
				c = stages.Candidate{Output: r.Output, Places: r.Places, Origins: origins, Odd: 1, Cost: .5}
			}
			c.Score = -3 - float64(k)
			r.Candidates = append(r.Candidates, c)
		}
		done = append(done, r)
	}
	return done, ctx.Err()
}

// Close implements stages.TransferSession.
func (rewriter) Close() {}

// OpenExplain returns fake models that score words. As in OpenTransfer, the input stages of the
// request must be finished.
func (b Backend) OpenExplain(_ context.Context, r stages.ExplainRequest) (stages.ExplainSession, error) {
	for _, m := range r.Methods {
		if err := finished(r.VocabDir, m.DivLSTM); err != nil {
			return nil, err
		}
	}
	if err := b.CheckMachine(r.Devices, nil); err != nil {
		return nil, err
	}
	return explainer{b, len(r.Methods)}, nil
}

// explainer is a session that scores words by the given number of methods.
type explainer struct {
	backend Backend
	methods int
}

// Explain gives a score of one half each to the first and the last word. If Varied is set, scores
// depend on the letters of the words and the method.
func (s explainer) Explain(
	ctx context.Context, sentences [][]string, style int,
) (done []stages.Explained, err error) {
	for _, words := range sentences {
		x := stages.Explained{Style: max(style, 0), Probability: .75}
		for method := range s.methods {
			scores := make([]float32, len(words))
			scores[0] += .5
			scores[len(words)-1] += .5
			if s.backend.Varied {
				var sum float64
				for _, w := range words {
					sum += fraction(w, fmt.Sprint(method)) + .001
				}
				for i, w := range words {
					scores[i] = float32((fraction(w, fmt.Sprint(method)) + .001) / sum)
				}
			}
			x.Scores = append(x.Scores, scores)
		}
		done = append(done, x)
	}
	return done, ctx.Err()
}

// Close implements stages.ExplainSession.
func (explainer) Close() {}

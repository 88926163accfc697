package stages

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/smlm"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

const (
	// drawnFor is how many fillings are drawn for each candidate that is wanted: many come out
	// alike.
	drawnFor = 4
	// atATime bounds the sentences whose candidates are in memory.
	atATime = 256
)

// drawing says how candidates are drawn, or how wide a search for them is.
func (s *Session) drawing() recipe.Guided {
	q := &s.Request
	how := q.Settings.Guided
	how.Temperature, how.GuideWeight = q.Draw.Temperature, q.Draw.GuideWeight
	if how.Plausible == 1 { // that of Explainable: one word a mask
		how.Plausible = q.Draw.Plausible
	}
	if s.Model.Searches {
		how.Candidates = max(how.Candidates, q.Candidates)
	} else {
		how.Candidates = drawnFor * q.Candidates
	}
	return how
}

// addCandidates fills in the candidates of sentences that are rewritten, where they are asked for.
func (s *Session) addCandidates(
	ctx context.Context, d smlm.Data, sentences [][]string, out Written, done []Rewritten,
) error {
	if s.Request.Candidates == 0 {
		return nil
	}
	for from := 0; from < len(done); from += atATime {
		to := min(from+atATime, len(done))
		part := smlm.Data{Masks: d.Masks[from:to]}
		part.IDs, part.Styles = d.IDs[from:to], d.Styles[from:to]
		all, err := s.Model.Others(ctx, part, out.How[from:to], s.drawing())
		if err != nil {
			return err
		}
		for i, found := range all {
			done[from+i].Candidates = s.best(found, sentences[from+i])
		}
	}
	return nil
}

// best spells the best candidates, and always the one that is written.
func (s *Session) best(found []guided.Alternative, source []string) (out []Candidate) {
	n := s.Request.Candidates
	for i, a := range found {
		later := slices.ContainsFunc(found[i:], func(a guided.Alternative) bool { return a.Written })
		if len(out) == n || len(out) == n-1 && later && !a.Written {
			continue // the last place is that of the one written
		}
		words := s.Vocab.Decode(a.IDs())
		for k, w := range a.Words {
			if w.OfSource() {
				words[k] = source[k]
			}
		}
		out = append(out, Candidate{
			Output: words, Origins: origins(a.Output, words), Written: a.Written, LogQ: a.LogQ, Guide: a.Sure,
			Fluency: a.Fluency, Similarity: a.Similarity, Total: a.Total,
		})
	}
	return out
}

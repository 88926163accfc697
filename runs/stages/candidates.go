package stages

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs"
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

// explainable has masks that are refilled without help refilled one by one, so that it is known how
// likely each word was: the words are the same.
func explainable(q *runs.TransferRequest) error {
	if q.Candidates > 0 && q.Settings.Unmasked != recipe.Copied {
		return userr.New(userr.BadInput, "several candidates are there only where unmasked words are copied: give "+
			"--unmasked guided or copied, or leave out --candidates")
	}
	if (q.Why || q.Candidates > 0) && q.Settings.Unmasked == recipe.Copied && q.Settings.Guided == (recipe.Guided{}) {
		q.Settings.Guided = recipe.Guided{Plausible: 1, Candidates: max(1, q.Settings.Beam), NoRepeats: q.Settings.NoRepeats}
	}
	return nil
}

// drawing says how n candidates are drawn, or how wide a search for them is.
func (s *session) drawing() recipe.Guided {
	how := s.Settings.Guided
	how.Temperature, how.GuideWeight = s.Draw.Temperature, s.Draw.GuideWeight
	if how.Plausible == 1 { // that of explainable: one word a mask
		how.Plausible = s.Draw.Plausible
	}
	if s.model.searches {
		how.Candidates = max(how.Candidates, s.Candidates)
	} else {
		how.Candidates = drawnFor * s.Candidates
	}
	return how
}

// addCandidates fills in the candidates of sentences that are rewritten, where they are asked for.
func (s *session) addCandidates(
	ctx context.Context, d smlm.Data, sentences [][]string, out rewritten, done []runs.Rewritten,
) error {
	if s.Candidates == 0 {
		return nil
	}
	for from := 0; from < len(done); from += atATime {
		to := min(from+atATime, len(done))
		part := smlm.Data{Masks: d.Masks[from:to]}
		part.IDs, part.Styles = d.IDs[from:to], d.Styles[from:to]
		all, err := s.model.others(ctx, part, out.how[from:to], s.drawing())
		if err != nil {
			return err
		}
		for i, found := range all {
			done[from+i].Candidates = s.candidates(found, sentences[from+i])
		}
	}
	return nil
}

// candidates spells the best ones, and always the one that is written.
func (s *session) candidates(found []guided.Alternative, source []string) (out []runs.Candidate) {
	n := s.Candidates
	for i, a := range found {
		later := slices.ContainsFunc(found[i:], func(a guided.Alternative) bool { return a.Written })
		if len(out) == n || len(out) == n-1 && later && !a.Written {
			continue // its place is that of the one written
		}
		words := s.vocab.Decode(a.IDs())
		for k, w := range a.Words {
			if w.OfSource() {
				words[k] = source[k]
			}
		}
		out = append(out, runs.Candidate{
			Output: words, Origins: originsOf(a.Output, words), Written: a.Written, LogQ: a.LogQ, Guide: a.Sure,
			Fluency: a.Fluency, Similarity: a.Similarity, Total: a.Total,
		})
	}
	return out
}

// unknownOf tells which words the vocabulary does not have.
func unknownOf(ids []int64, words []string) []bool {
	unknown := make([]bool, len(ids))
	for k, id := range ids {
		unknown[k] = id == corpus.UnkID && words[k] != "<unk>"
	}
	return unknown
}

// copyUnknown writes the source's unknown words, where they are not masked, over what a model that
// predicts every word made of them: it cannot know them.
func copyUnknown(out, source []string, unknown, mask []bool) {
	if len(out) != len(source) {
		return // nobody knows which word is which
	}
	for k, w := range source {
		if unknown[k] && !mask[k] {
			out[k] = w
		}
	}
}

package stages

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// ChoicesRequest asks for the outputs of dev sentences among which a ranker chooses.
type ChoicesRequest struct {
	Inputs    map[string]string // folders of what the stage transfer reads for dev sentences, by name
	Settings  TransferSettings  // of guided outputs that are ranked
	Sentences []DevSentence
	Threads   int    // 0 = all cores
	Devices   string // as in Job
}

// DevSentence is a dev sentence that is to be rewritten.
type DevSentence struct {
	corpus.Direction
	Line int // in the file of its style, from 1 on
}

// Choice is one of the outputs among which a ranker chooses.
type Choice struct {
	Words    []string
	Edits    []guided.Edit // by which the source becomes it, one or more
	Features guided.Features
}

// Choices implements Backend.
func (Torch) Choices(ctx context.Context, q ChoicesRequest) (out [][]Choice, err error) {
	err = onThreads(q.Devices, q.Threads, func() error {
		out, err = choices(ctx, &q)
		return err
	})
	return out, err
}

// choices is Choices, on the torch thread.
func choices(ctx context.Context, q *ChoicesRequest) ([][]Choice, error) {
	job := &stage.Job{Name: Transfer, Inputs: q.Inputs}
	t, err := loadText(job, corpus.Dev)
	if err != nil {
		return nil, err
	}
	var directions []corpus.Direction
	for _, s := range q.Sentences {
		directions = lists.AddOnce(directions, s.Direction)
	}
	d, words, err := t.asked(job, corpus.Dev, directions)
	if err != nil {
		return nil, err
	}
	first, n := map[corpus.Direction]int{}, 0
	for _, of := range directions {
		first[of] = n
		n += len(t.Of(corpus.Dev, of.From))
	}
	rows := lists.Map(q.Sentences, func(s DevSentence) int { return first[s.Direction] + s.Line - 1 })
	m, err := loadTransferModel(q.Inputs, q.Settings, false)
	if err != nil {
		return nil, err
	}
	defer m.Free()
	found, err := m.Choices(ctx, d.Pick(rows))
	if err != nil {
		return nil, err
	}
	out := make([][]Choice, len(found))
	for i, of := range found {
		for _, c := range of {
			words, edits := edited(t.vocab, c.Output, words[rows[i]])
			if len(edits) > 0 { // else it is the source, as no way rewrites it
				out[i] = append(out[i], Choice{words, edits, c.Features})
			}
		}
	}
	return out, nil
}

// edited spells an output of a source, and says what it has in the places of the source's words
// that it changes.
func edited(v *corpus.Vocab, o guided.Output, source []string) (words []string, edits []guided.Edit) {
	words, places := spelled(v, o.Standing(), source)
	here := make([][]string, len(source))
	for i, k := range places {
		here[k] = append(here[k], words[i])
	}
	for k, word := range source {
		if !slices.Equal(here[k], []string{word}) {
			edits = append(edits, guided.Edit{Place: k, New: here[k]})
		}
	}
	return words, edits
}

// choosing has a refiller, to which a model proposes words, write what a ranker chooses among.
func choosing(r guided.Refiller, propose proposing) func(context.Context, corpus.Encoded) ([][]guided.Choice, error) {
	return func(ctx context.Context, d corpus.Encoded) (out [][]guided.Choice, err error) {
		err = propose(&r, len(d.IDs), func() error {
			out, err = r.Choices(ctx, d)
			return err
		})
		return out, err
	}
}

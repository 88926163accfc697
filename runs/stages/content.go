package stages

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/metrics/embedding"
	"github.com/smlm-exp/smlm-exp/metrics/meteor"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// METEOR and Embedding are stages that compare outputs with their sources. They need WordNet and
// word vectors, which a machine may lack or have in another version. So they are separate from the
// stage Score: a table can show the other scores of an output without METEOR and the embedding
// metrics (docs/decisions/021).
const (
	METEOR    stage.Name = "meteor"
	Embedding stage.Name = "embedding"
)

// ofOutputs is the stage.Scope of stages that add metrics to a score, whether a model or a
// published system wrote the outputs.
const ofOutputs = stage.OfMethod | stage.OfModel | stage.OfSystem

var meteorStage = stage.Definition{
	Name: METEOR, Version: 1, Scope: ofOutputs,
	Settings: func(p stage.Point) any { return meteorSettings{p.Study.WordNet.Version, writtenBy(p)} },
	Reads:    comparedText,
	Sources: func(p stage.Point) map[string]string {
		return union(map[string]string{"wordnet": p.Study.WordNet.Dir}, outputFiles(p))
	},
	Inputs: "test, [transfer] (for our outputs), [vocab] (for references)",
	Files:  "as `score`, for METEOR only",
	Run:    of(scoreMETEOR),
}

var embeddingStage = stage.Definition{
	Name: Embedding, Version: 1, Scope: ofOutputs,
	Settings: func(p stage.Point) any { return writtenBy(p) },
	Reads:    func(p stage.Point) stage.Inputs { return comparedText(p).And(wordVectors(p)) },
	Sources:  outputFiles,
	Inputs:   "test, vectors, [transfer] (for our outputs), [vocab] (for references)",
	Files:    "as `score`, for the embedding metrics only",
	Run:      of(scoreEmbedding),
}

// meteorSettings names WordNet by its version and digest. The folder of WordNet is
// Job.Sources["wordnet"].
type meteorSettings struct {
	WordNet string `json:"wordnet"`
	Outputs
}

// Outputs names the outputs to measure. The zero value means the outputs of a trained model. The
// files of a published system are Job.Sources["0"], Job.Sources["1"] and so on, one per direction.
// If References is true, the outputs are the test set's references. The references are then
// tokenised like the source sentences, because classifiers know neither capitals nor punctuation
// that is joined to words.
type Outputs struct {
	System     string            `json:"system,omitempty"`
	References bool              `json:"references,omitempty"`
	Hashes     map[string]string `json:"hashes,omitempty"` // sha256 of each file of a published system, by "0", "1", ...
	// Directions are the directions in which references are measured. If there are none, all are
	// measured.
	Directions []corpus.Direction `json:"directions,omitempty"`
}

// These caches help because the systems of a data set are measured one after another with the same
// dictionary and vectors.
var (
	lastMETEOR  last[wordNet]
	lastVectors last[*embedding.Judge]
)

// wordNet is a loaded dictionary with its version.
type wordNet struct {
	*meteor.METEOR
	version string
}

// scoreMETEOR compares outputs with their sources by METEOR.
func scoreMETEOR(ctx context.Context, job *stage.Job, s meteorSettings) error {
	dir := job.Sources["wordnet"]
	m, err := lastMETEOR.get(dir, func() (w wordNet, err error) {
		if w.version, err = meteor.Version(dir); err == nil {
			w.METEOR, err = meteor.New(dir)
		}
		return w, err
	})
	if err != nil {
		return err
	}
	if m.version != s.WordNet {
		return userr.New(userr.BadInput, "the WordNet in %q is now %s, but was %s: run again", dir, m.version, s.WordNet)
	}
	return scoreContent(ctx, job, s.Outputs, metrics.Instruments{METEOR: m})
}

// scoreEmbedding compares outputs with their sources by word vectors.
func scoreEmbedding(ctx context.Context, job *stage.Job, s Outputs) error {
	dir := job.Inputs["vectors"]
	judge, err := lastVectors.get(dir, func() (*embedding.Judge, error) { return loadVectors(dir) })
	if err != nil {
		return err
	}
	return scoreContent(ctx, job, s, metrics.Instruments{Embedding: judge})
}

// scoreContent scores the outputs with WordNet or word vectors, and saves the result.
func scoreContent(ctx context.Context, job *stage.Job, of Outputs, with metrics.Instruments) error {
	dirs, _, _, err := contentOf(job, of)
	if err != nil {
		return err
	}
	return keepContent(ctx, job, dirs, with)
}

// contentOf reads the outputs and their sources, for each direction that has outputs. The result
// "places" has the indices of these directions. The text t has a vocabulary only if the outputs are
// references.
func contentOf(job *stage.Job, of Outputs) (dirs []metrics.Input, places []int, t *text, err error) {
	t = &text{}
	if of.References {
		t, err = loadText(job, corpus.Test)
	} else {
		t.Dataset, err = dataset(job, corpus.Test)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	written, err := outputs(job, t, of)
	if err != nil {
		return nil, nil, nil, err
	}
	dirs, places = directionsOf(t, corpus.Test, written)
	return dirs, places, t, nil
}

// keepContent scores outputs and saves the result.
func keepContent(ctx context.Context, job *stage.Job, dirs []metrics.Input, with metrics.Instruments) error {
	report, err := metrics.ScoreContent(dirs, with)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return keepScores(job, report)
}

package stages

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/pretrained"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// BERTScore is the stage that compares outputs with sources and references, by means of a
// pretrained encoder. Like METEOR, the stage adds metrics to a score.
const BERTScore stage.Name = "bertscore"

var bertScoreStage = stage.Definition{
	Name: BERTScore, Version: 3, Scope: ofOutputs,
	Settings: func(p stage.Point) any {
		s := bertScoreSettings{ReferenceSets: referenceHashes(p), Outputs: writtenBy(p)}
		// The stage "encoder" does not copy the folder's pooling settings, so read them here.
		// Errors do not matter, because planning has checked the folder (data.Study.CheckEncoders).
		s.Sentences, _ = folder.ReadSentences(p.Study.Experiment.Absolute(p.Settings.Metrics.Encoder))
		return s
	},
	Reads:   func(p stage.Point) stage.Inputs { return comparedText(p).And(encoderOf(p.Settings.Metrics.Encoder, p)) },
	Sources: func(p stage.Point) map[string]string { return union(outputFiles(p), referenceFiles(p)) },
	Inputs:  "test, encoder, [transfer] (for our outputs), [vocab] (for references)",
	Files:   "as `score`, for BERTScore and sentence embeddings only",
	Run:     onTorch(of(scoreBERT)),
}

// bertScoreSettings holds the settings of the sentence encoder and the outputs. The encoder comes
// from another stage, so it is not part of the settings.
type bertScoreSettings struct {
	folder.Sentences
	// ReferenceSets is as in ScoreSettings.
	ReferenceSets []string `json:"reference_sets,omitempty"`
	Outputs
}

// shortDigest shortens a folder's digest for signatures.
func shortDigest(digest string) string { return digest[:min(12, len(digest))] }

// comparer compares texts with a pretrained encoder. The fields encoder and matching become part of
// the signatures of the metrics.
type comparer struct {
	*pretrained.Comparer
	encoder, matching string
}

// openComparer opens an encoder.
func openComparer(dir string, s folder.Sentences) (*comparer, error) {
	f, err := folder.Open(dir)
	if err != nil {
		return nil, err
	}
	c := &comparer{matching: fmt.Sprintf("layer:%d|idf:no", f.Config.Layers)}
	digest, err := f.Digest()
	if err != nil {
		return nil, err
	}
	c.encoder = shortDigest(digest)
	if c.Comparer, err = pretrained.NewComparer(f); err != nil {
		return nil, err
	}
	c.Pooling = s.Pooling
	if s.MaxPieces > 0 {
		c.MaxPieces = min(c.MaxPieces, s.MaxPieces)
	}
	return c, nil
}

// The function "joined" turns the words of each sentence into a line of text.
func joined(sentences [][]string) []string {
	return lists.Map(sentences, func(words []string) string { return strings.Join(words, " ") })
}

// encode compares outputs with their sources and references, and stores the results in the field
// Encoded of dirs. It uses the references that are tokenised like the source sentences
// (AllReferences) or, if there are none, the raw references.
func (c *comparer) encode(ctx context.Context, dirs []metrics.Input) error {
	for k := range dirs {
		in := &dirs[k]
		sets := in.AllReferences
		if sets == nil {
			sets = in.References
		}
		sources := lists.Map(joined(in.Source), func(s string) []string { return []string{s} })
		groups := [][][]string{sources}
		if len(sets) > 0 {
			references := make([][]string, len(in.Output))
			for _, set := range sets {
				for i, s := range joined(set) {
					references[i] = append(references[i], s)
				}
			}
			groups = append(groups, references)
		}
		found, err := c.Compare(ctx, joined(in.Output), groups...)
		if err != nil {
			return err
		}
		closeness := func(g int, sentences string) metrics.Closeness {
			return metrics.Closeness{BERTScores: found[g].BERTScores, Cosines: found[g].Cosines, Sentences: sentences}
		}
		in.Encoded = &metrics.Encoded{
			Source: closeness(0, "source"), Encoder: c.encoder, Matching: c.matching,
			Pooling: cmp.Or(string(c.Pooling), "mean"),
		}
		if len(found) > 1 {
			references := closeness(1, strconv.Itoa(len(sets)))
			in.Encoded.References = &references
		}
	}
	return nil
}

// unknown returns a sentence about pieces that the encoder does not know, or "" if these are less
// than a tenth.
func (c *comparer) unknown() string {
	share := float64(c.Unknown) / float64(max(1, c.Pieces))
	if share < 0.1 {
		return ""
	}
	return fmt.Sprintf("the encoder does not know %.0f %% of the pieces (word parts) of sources, outputs and references, so "+
		"BERTScore and the cosines take different words for equal: name an encoder for their language", 100*share)
}

// truncation returns a sentence about texts that were truncated, or "".
func (c *comparer) truncation() string {
	if c.Truncated == 0 {
		return ""
	}
	return fmt.Sprintf("the encoder reads at most %d pieces of a text, so BERTScore and the cosines ignore the ends of %s "+
		"(sources, outputs or references)", c.MaxPieces, wording.Count(c.Truncated, "text"))
}

// scoreBERT compares outputs with their sources and references.
func scoreBERT(ctx context.Context, job *stage.Job, s bertScoreSettings) error {
	dirs, places, t, err := contentOf(job, s.Outputs)
	if err != nil {
		return err
	}
	for i, k := range places {
		if t.HasRefs() && t.Refs[k] != nil && !s.References {
			dirs[i].References = [][][]string{t.Refs[k]}
		}
		all := len(t.Labels.Directions())
		if dirs[i].AllReferences, err = referenceSets(job, s.ReferenceSets, k, all, dirs[i].Source); err != nil {
			return err
		}
	}
	c, err := openComparer(job.Inputs["encoder"], s.Sentences)
	if err != nil {
		return err
	}
	defer c.Params.Free()
	if err := c.encode(ctx, dirs); err != nil {
		return err
	}
	warnOf(job, "metrics.encoder", c.truncation())
	warnOf(job, "metrics.encoder", c.unknown())
	return keepContent(ctx, job, dirs, metrics.Instruments{})
}

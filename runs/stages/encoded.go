package stages

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/metrics/bertscore"
	"github.com/smlm-exp/smlm-exp/pretrained"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// BERTScore compares outputs with sources and references by a pretrained encoder, Acceptability
// asks a pretrained classifier about them. Like METEOR they stand beside a score.
const (
	BERTScore     stage.Name = "bertscore"
	Acceptability stage.Name = "acceptability"
)

var bertScoreStage = stage.Definition{
	Name: BERTScore, Version: 1, Inputs: "test, encoder, and transfer or vocab (human references)",
	Files: "the same for BERTScore and sentence embeddings",
	Run:   onTorch(of(scoreBERT)),
}

var acceptabilityStage = stage.Definition{
	Name: Acceptability, Version: 1, Inputs: "test, vocab, encoder (the classifier), [transfer]; for J classifier and " +
		"bertscore",
	Files: "the same for acceptability and J",
	Run:   onTorch(of(scoreAcceptability)),
}

// Matching is how BERTScore is computed by an encoder.
type Matching struct {
	Layer int  `json:"layer,omitempty"` // 0: the last
	IDF   bool `json:"idf,omitempty"`
	// Baseline is the sha256 of the file of baselines, which is the source "baseline"; "": none.
	Baseline string `json:"baseline,omitempty"`
}

// BERTScoreSettings says how and of what; the encoder is an input.
type BERTScoreSettings struct {
	Matching
	// ReferenceSets are as ScoreSettings has them.
	ReferenceSets []string `json:"reference_sets,omitempty"`
	Outputs
}

// AcceptabilitySettings says of what; the classifier is the input "encoder".
type AcceptabilitySettings struct {
	Label string `json:"label,omitempty"` // of acceptable sentences; "": the one whose name says so
	Outputs
}

// ShortDigest is what signatures have of a folder's digest.
func ShortDigest(digest string) string { return digest[:min(12, len(digest))] }

// comparer is what compares by the encoder of a folder, and what signatures say of it.
type comparer struct {
	*pretrained.Comparer
	encoder, matching string
}

// openComparer opens an encoder for BERTScore; baseline is a file, "" where Matching has none.
func openComparer(dir string, s Matching, baseline string) (*comparer, error) {
	f, err := folder.Open(dir)
	if err != nil {
		return nil, err
	}
	layer := cmp.Or(s.Layer, f.Config.Layers)
	if layer > f.Config.Layers {
		return nil, userr.New(userr.BadInput, "the pretrained encoder %q has %s, fewer than the %d asked for: take at "+
			"most %d", dir, wording.Count(f.Config.Layers, "layer"), layer, f.Config.Layers)
	}
	idf := "no"
	if s.IDF {
		idf = "references"
	}
	c := &comparer{matching: fmt.Sprintf("layer:%d|idf:%s", layer, idf)}
	var base *bertscore.Score
	if s.Baseline != "" {
		sum, err := files.SHA256(baseline)
		if err != nil {
			return nil, userr.New(userr.BadInput, "the baseline %q cannot be read: %w", baseline, files.Cause(err))
		}
		if sum != s.Baseline {
			return nil, userr.New(userr.BadInput, "the baseline %q has changed since the experiment was planned: run it again",
				baseline)
		}
		b, err := bertscore.ReadBaseline(baseline, layer)
		if err != nil {
			return nil, err
		}
		base = &b
		c.matching += "|baseline:" + ShortDigest(sum)
	}
	digest, err := f.Digest()
	if err != nil {
		return nil, err
	}
	c.encoder = ShortDigest(digest)
	if c.Comparer, err = pretrained.NewComparer(f); err != nil {
		return nil, err
	}
	c.Layer, c.IDF, c.Baseline = layer, s.IDF, base
	return c, nil
}

// joined are sentences as lines of text.
func joined(sentences [][]string) []string {
	return lists.Map(sentences, func(words []string) string { return strings.Join(words, " ") })
}

// encode fills in what the encoder finds in the outputs of directions. References are those in the
// writing of the sources where there are some, else those as people wrote them.
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
		in.Encoded = &metrics.Encoded{Source: closeness(0, "source"), Encoder: c.encoder, Matching: c.matching}
		if len(found) > 1 {
			references := closeness(1, strconv.Itoa(len(sets)))
			in.Encoded.References = &references
		}
	}
	return nil
}

// scoreBERT compares outputs with their sources and references.
func scoreBERT(ctx context.Context, job *stage.Job, s BERTScoreSettings) error {
	dirs, places, t, err := contentOf(job, s.Outputs, false)
	if err != nil {
		return err
	}
	for i, k := range places {
		if t.HasRefs() && t.Refs[k] != nil && !s.References {
			dirs[i].References = [][][]string{t.Refs[k]}
		}
		if dirs[i].AllReferences, err = referenceSets(job, s.ReferenceSets, k, len(t.Directions())); err != nil {
			return err
		}
	}
	c, err := openComparer(job.Inputs["encoder"], s.Matching, job.Sources["baseline"])
	if err != nil {
		return err
	}
	defer c.Params.Free()
	if err := c.encode(ctx, dirs); err != nil {
		return err
	}
	return keepContent(ctx, job, dirs, metrics.Instruments{})
}

// accept fills in how likely the outputs of directions are acceptable, by the classifier of a
// folder.
func accept(ctx context.Context, dir, label string, dirs []metrics.Input) error {
	f, err := folder.Open(dir)
	if err != nil {
		return err
	}
	digest, err := f.Digest()
	if err != nil {
		return err
	}
	a, err := pretrained.OpenAcceptability(f, label)
	if err != nil {
		return err
	}
	defer a.Params.Free()
	for k := range dirs {
		p, err := a.Probabilities(ctx, joined(dirs[k].Output))
		if err != nil {
			return err
		}
		dirs[k].Acceptable = &metrics.Acceptable{Probabilities: p, Signature: fmt.Sprintf(
			"acceptability|probability|classifier:%s|label:%s|level:micro|version:1", ShortDigest(digest), a.Label())}
	}
	return nil
}

// scoreAcceptability asks a classifier about outputs, and joins what it says with the style and
// the similarity.
func scoreAcceptability(ctx context.Context, job *stage.Job, s AcceptabilitySettings) error {
	dirs, _, t, err := contentOf(job, s.Outputs, true)
	if err != nil {
		return err
	}
	if err := accept(ctx, job.Inputs["encoder"], s.Label, dirs); err != nil {
		return err
	}
	if dir := job.Inputs["bertscore"]; dir != "" {
		if err := similarities(dir, dirs); err != nil {
			return err
		}
		judges := &instruments{text: t}
		defer judges.free()
		judge, err := judges.biLSTM("bi-lstm", job.Inputs["classifier"])
		if err != nil {
			return err
		}
		for k := range dirs {
			dirs[k].Classifier = judge.name
			dirs[k].Predicted, err = judge.styles(ctx, encodeOutputs(t.vocab, dirs[k].Output))
			if err != nil {
				return err
			}
		}
	}
	return keepContent(ctx, job, dirs, metrics.Instruments{})
}

// similarities fills in the cosines with the sources that a stage of BERTScore found.
func similarities(dir string, dirs []metrics.Input) error {
	sentences, err := metrics.ReadSentences(filepath.Join(dir, "sentences.jsonl"))
	if err != nil {
		return err
	}
	var scores metrics.Scores
	text, err := os.ReadFile(filepath.Join(dir, "metrics.json"))
	if err == nil {
		err = json.Unmarshal(text, &scores)
	}
	if err != nil {
		return err
	}
	encoder := ""
	for _, part := range strings.Split(scores.Signatures["s_cosine"], "|") {
		if name, ok := strings.CutPrefix(part, "encoder:"); ok {
			encoder = name
		}
	}
	for k := range dirs {
		dirs[k].Similarity = &metrics.Similarity{Encoder: encoder}
		for _, of := range sentences {
			if len(of) > 0 && of[0].From == dirs[k].From && of[0].To == dirs[k].To {
				for i := range of {
					dirs[k].Similarity.Cosines = append(dirs[k].Similarity.Cosines, of[i].Numbers["s_cosine"]...)
				}
			}
		}
	}
	return nil
}

// Encode implements Backend.
func (Torch) Encode(ctx context.Context, r EncodeRequest, dirs []metrics.Input) error {
	return onThreads(r.Devices, r.Threads, func() error {
		if r.Encoder != "" {
			if r.Baseline != "" {
				var err error
				if r.Matching.Baseline, err = files.SHA256(r.Baseline); err != nil {
					return userr.New(userr.BadInput, "the baseline %q cannot be read: %w", r.Baseline, files.Cause(err))
				}
			}
			c, err := openComparer(r.Encoder, r.Matching, r.Baseline)
			if err != nil {
				return err
			}
			defer c.Params.Free()
			if err := c.encode(ctx, dirs); err != nil {
				return err
			}
		}
		if r.Acceptability == "" {
			return nil
		}
		return accept(ctx, r.Acceptability, r.Label, dirs)
	})
}

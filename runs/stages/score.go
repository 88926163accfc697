package stages

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Score measures the outputs of a transfer: of the test sentences with all instruments that every
// machine has (see METEOR for the others), or of the dev sentences with those that may select.
const Score stage.Kind = "score"

var scoreKind = stage.Definition{
	Name: Score, Version: 4,
	Inputs: "test (of a selection prepare), vocab, classifier (of a selection `selector`, the fastText-like, and " +
		"`fluency`), naturalness (and `naturalness.2` and so on where there are several), lm, fasttext and bayes " +
		"where the settings want them, transfer",
	Files: "`metrics.json`: what `smlm-exp score --json` prints; `sentences.jsonl`: an object an output, what it " +
		"contributes " +
		"to each metric, from which significance is computed, and of guided outputs its `origins`",
	Run: onTorch(of(score)),
}

// ScoreSettings is what matters to a score beside its inputs.
type ScoreSettings struct {
	// Metrics are the keys of all metrics: where one is added, outputs that were scored without it
	// are scored anew.
	Metrics []string `json:"metrics"`
	// ReferenceSets are the sha256 of further sets of references, style 0 and style 1 after each
	// other; set K of style S is the source "reference.K.S".
	ReferenceSets []string `json:"reference_sets,omitempty"`
	Dev           bool     `json:"dev,omitempty"` // a selection: the selector judges, not the evaluation classifier
}

// NewScore returns the settings of a score, of dev outputs or of test outputs with the sha256 of
// further sets of references.
func NewScore(dev bool, referenceSets ...string) ScoreSettings {
	return ScoreSettings{Metrics: metrics.Keys(), ReferenceSets: referenceSets, Dev: dev}
}

// ReferenceSource is the source of set k of the references of a style's test sentences.
func ReferenceSource(k, style int) string { return fmt.Sprintf("reference.%d.%d", k, style) }

// score measures a transfer stage's outputs.
func score(ctx context.Context, job *stage.Job, s ScoreSettings) error {
	dir := job.Inputs["transfer"]
	written, err := outputs(job, nil, Outputs{})
	if err != nil {
		return err
	}
	origins, err := ReadOrigins(dir, written)
	if err != nil {
		return err
	}
	return scoreFiles(ctx, job, s, origins, true, func(_ *text, style int, in *metrics.Input) (err error) {
		in.Output = written[style]
		masked, err := corpus.ReadLines(outputFile(dir, "masked", style))
		in.Masked = maskedShare(masked)
		return err
	})
}

// scoreFiles scores the outputs that read fills in for the sources of each style; why their words
// are there goes with them.
func scoreFiles(
	ctx context.Context, job *stage.Job, s ScoreSettings, why [2][]*Origins, references bool,
	read func(*text, int, *metrics.Input) error,
) error {
	with, err := loadInstruments(job, s)
	if err != nil {
		return err
	}
	defer with.free()
	var dirs [2]metrics.Input
	for style := range 2 {
		in := &dirs[style]
		in.From, in.To, in.Target = with.Labels[style], with.Labels[1-style], 1-style
		in.Source = with.Text[tested(s.Dev)][style]
		if err := read(with.text, style, in); err != nil {
			return err
		}
		if references && with.HasRefs() && !s.Dev {
			in.References = [][][]string{with.Refs[style]}
		}
		for k := range len(s.ReferenceSets) / 2 {
			set, err := corpus.ReadLines(job.Sources[ReferenceSource(k, style)])
			if err != nil {
				return err
			}
			in.AllReferences = append(in.AllReferences, set)
		}
	}
	if err := with.measure(ctx, &dirs); err != nil {
		return err
	}
	report, err := metrics.Score(dirs, with.Instruments)
	if err != nil {
		return err
	}
	for style, origins := range why {
		for i, o := range origins {
			report.Sentences[style][i].Origins = o.Line()
		}
	}
	return keepScores(job, report)
}

// keepScores writes what a score found, with its intervals.
func keepScores(job *stage.Job, report *metrics.Scores) error {
	report.Intervals = metrics.Intervals(report.Sentences, metrics.Resamples, metrics.ResampleSeed)
	err := files.Write(filepath.Join(job.Dir, "sentences.jsonl"), func(w io.Writer) error {
		return metrics.WriteSentences(w, report.Sentences)
	})
	if err != nil {
		return err
	}
	return writeJSON(job.Dir, "metrics.json", report)
}

// tested is the split whose outputs are measured.
func tested(dev bool) corpus.Split {
	if dev {
		return corpus.Dev
	}
	return corpus.Test
}

// maskedShare returns the share of the words of masked lines that are masks.
func maskedShare(lines [][]string) *float64 {
	masks, words := 0, 0
	for _, line := range lines {
		for _, w := range line {
			words++
			if w == corpus.MaskToken {
				masks++
			}
		}
	}
	share := float64(masks) / float64(max(1, words))
	return &share
}

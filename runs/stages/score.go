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

// Score is the stage that measures the outputs of a transfer. For test outputs, it computes all
// metrics that need no extra files on the machine (see METEOR for the others). For dev outputs, it
// computes only the metrics by which settings may be selected.
const Score stage.Name = "score"

var scoreStage = stage.Definition{
	Name: Score, Version: 7, Scope: stage.OfMethod | stage.OfModel | stage.OfSplit,
	Settings: func(p stage.Point) any { return scoreSettings(p) }, Reads: scoreReads, Sources: referenceFiles,
	Shown: scoreShown, Beside: true,
	Inputs: "test, vocab, classifier, transfer, naturalness, [lm], " +
		"[fasttext], [`unseen-cnn`; `inputs` calls it `unseen`]; for dev outputs, " +
		"prepare instead of test, and `selector` (a bag of n-grams) instead of classifier",
	Files: "`metrics.json`: the output of `smlm-exp score --json`; `sentences.jsonl`: one object per output with its " +
		"part of each metric (for significance)",
	Run: onTorch(of(score)),
}

// ScoreSettings has everything that a score depends on besides its inputs.
type ScoreSettings struct {
	// Metrics are the keys of all metrics. They are part of the settings so that a new metric
	// causes all outputs to be scored again.
	Metrics []string `json:"metrics"`
	// ReferenceSets are the sha256 of the files with further references, set after set. Each set
	// has an entry for every direction, "" if it lacks the direction. The file of set K and
	// direction D is Job.Sources["reference.K.D"].
	ReferenceSets []string `json:"reference_sets,omitempty"`
	Dev           bool     `json:"dev,omitempty"` // whether the outputs are dev outputs, which the selector judges
}

func scoreSettings(p stage.Point) ScoreSettings {
	s := ScoreSettings{Metrics: metrics.ScoreKeys(), Dev: p.OfDev()}
	if !p.OfDev() {
		s.ReferenceSets = referenceHashes(p)
	}
	return s
}

// scoreShown returns two points for every model: one for its test outputs, and one for its dev
// outputs, which choose between models and settings.
func scoreShown(p stage.Point) (shown []stage.Point) {
	for _, model := range p.Models() {
		shown = append(shown, model, model.With(corpus.Dev.String()))
	}
	return shown
}

// scoreReads names the inputs of a score. The fastText-like classifier judges dev outputs. The
// evaluation classifier, the language model and others measure test outputs.
func scoreReads(p stage.Point) stage.Inputs {
	if !p.OfDev() {
		return measuring(p).And(stage.Inputs{"transfer": at(Transfer, p)})
	}
	return trainText(p).And(naturalnessOf(p)).And(stage.Inputs{
		"transfer": at(Transfer, p), "selector": at(FastText, p),
	})
}

// ReferenceSource returns the key in Job.Sources of the file with the references of set k, for the
// direction with the given index.
func ReferenceSource(k, direction int) string { return fmt.Sprintf("reference.%d.%d", k, direction) }

// score measures a transfer's outputs.
func score(ctx context.Context, job *stage.Job, s ScoreSettings) error {
	return scoreFiles(ctx, job, s, true, func(t *text) ([][]corpus.Sentence, error) {
		return outputs(job, t, Outputs{})
	})
}

// scoreFiles calls the function "read" to get the outputs for the sources of each direction, and
// scores these outputs.
func scoreFiles(
	ctx context.Context, job *stage.Job, s ScoreSettings, references bool,
	read func(*text) ([][]corpus.Sentence, error),
) error {
	with, err := loadInstruments(job, s)
	if err != nil {
		return err
	}
	defer with.free()
	written, err := read(with.text)
	if err != nil {
		return err
	}
	dirs, places := directionsOf(with.text, tested(s.Dev), written)
	directions := len(with.Labels.Directions())
	for i, k := range places {
		in := &dirs[i]
		if references && with.HasRefs() && with.Refs[k] != nil && !s.Dev {
			in.References = [][][]string{with.Refs[k]}
		}
		if in.AllReferences, err = referenceSets(job, s.ReferenceSets, k, directions, in.Source); err != nil {
			return err
		}
	}
	if err := with.measure(ctx, dirs); err != nil {
		return err
	}
	report, err := metrics.Score(dirs, with.Instruments)
	if err != nil {
		return err
	}
	return keepScores(job, report)
}

// directionsOf returns, for each direction that has outputs, the outputs and their source sentences
// from a split. The result "places" has the indices of these directions among all directions.
func directionsOf(
	t *text, split corpus.Split, written [][]corpus.Sentence,
) (dirs []metrics.Input, places []int) {
	for k, d := range t.Labels.Directions() {
		if written[k] == nil {
			continue
		}
		places = append(places, k)
		dirs = append(dirs, metrics.Input{
			From: t.Labels[d.From], To: t.Labels[d.To], Target: d.To, Source: t.Text[split][d.From],
			Output: written[k],
		})
	}
	return dirs, places
}

// referenceSets reads the further references of a direction, given the index of the direction and
// the number of directions. hashes is ScoreSettings.ReferenceSets.
func referenceSets(
	job *stage.Job, hashes []string, direction, directions int, sources []corpus.Sentence,
) (all [][]corpus.Sentence, err error) {
	for set := range len(hashes) / directions {
		if hashes[set*directions+direction] == "" {
			continue
		}
		path := job.Sources[ReferenceSource(set, direction)]
		lines, err := corpus.ReadReferences(path)
		if err != nil {
			return nil, err
		}
		warnLines(job, path, "references", sources, lines)
		all = append(all, lines)
	}
	return all, nil
}

// keepScores saves the scores of a report and their confidence intervals.
func keepScores(job *stage.Job, report *metrics.Scores) error {
	report.Intervals = metrics.Intervals(report.Sentences, metrics.Resamples)
	err := files.Write(filepath.Join(job.Dir, "sentences.jsonl"), func(w io.Writer) error {
		return metrics.WriteSentences(w, report.Sentences)
	})
	if err != nil {
		return err
	}
	return writeJSON(job.Dir, "metrics.json", report)
}

// The function tested returns the split whose outputs are measured.
func tested(dev bool) corpus.Split {
	if dev {
		return corpus.Dev
	}
	return corpus.Test
}

// Package fakebackend replaces libtorch in tests of packages that run stages. Its stages write the
// files of docs/workspace.md without training anything, and its models answer by simple rules.
package fakebackend

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nlpodyssey/safetensors"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/masking"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Funcs maps the names of stages to functions that replace the code of these stages.
type Funcs map[stage.Name]stage.Func

// Run runs a stage with the function for its name.
func (f Funcs) Run(ctx context.Context, job *stage.Job) error {
	if f[job.Name] == nil {
		return fmt.Errorf("nothing runs the stage %q", job.Name)
	}
	return f[job.Name](ctx, job)
}

// Backend is a stages.Backend that computes nothing. It finds no CUDA device.
type Backend struct {
	// Varied makes results depend on the stage, the target style and the words, so that tables and
	// figures show differences. Without it all numbers are constants, and all systems write the
	// same.
	Varied bool
	// Flaw, if set, is a flaw that all outputs and scores get: LeftUnchanged or Shortened.
	Flaw *metrics.Flaw
}

var _ stages.Backend = Backend{}

// CheckMachine refuses CUDA devices.
func (Backend) CheckMachine(devices string, _ []string) error {
	if strings.HasPrefix(devices, "cuda") {
		return userr.New(userr.NoTorch, "devices is %q, but this is a fake", devices)
	}
	return nil
}

// Run writes the files of the stage that the job names.
func (b Backend) Run(ctx context.Context, job *stage.Job) error {
	job.Progress(1, 1, "")
	job.Used = stage.Used{Device: "fake:" + job.Devices, Precision: "fp32"}
	switch job.Name {
	case stages.Prepare, stages.Unseen, stages.TestSet: // these stages run their real code, which needs no libtorch
		return stages.Definition(job.Name).Run(ctx, job)
	case stages.Vocab:
		if err := writeVocab(job); err != nil {
			return err
		}
	case stages.Accuracy:
		return WriteJSON(job, "result.json", stages.AccuracyResult{TestAcc: 89})
	case stages.MaskScore:
		r := stages.MaskResult{MaskedShare: 0.25, AllMasked: 1, NoneMasked: 2, Accuracy: 75, SBLEU: 50}
		return WriteJSON(job, "result.json", stages.MaskScores{Dev: r, Test: r})
	case stages.Tune:
		trial := stages.Trial{Style: 2, MaskedShare: .4, Reached: .75, Content: .9, Fluency: .8, Score: .5}
		trial.Mask.Name, trial.Mask.TopShare = "top_share", .35
		return WriteJSON(job, "choice.json", stages.Tuning{Tried: []stages.Trial{trial}})
	case stages.Transfer:
		return b.writeOutputs(job)
	case stages.Score, stages.Published:
		return b.writeScores(job)
	case stages.METEOR, stages.Embedding, stages.BERTScore:
		r, err := scored(job)
		if err != nil {
			return err
		}
		return WriteScores(job, &metrics.Scores{Sentences: r.Sentences})
	case stages.Attribution:
		all, err := sources(job)
		if err != nil {
			return err
		}
		var rows []masking.ScoreRow
		for style, lines := range all { // score only the first sentence; its last word gets 3/4
			scores := slices.Repeat([]float32{0.25 / float32(max(1, len(lines[0])-1))}, len(lines[0]))
			scores[len(scores)-1] = 0.75
			rows = append(rows, masking.ScoreRow{Split: "test", Style: style, Scores: scores})
		}
		return masking.WriteScores(filepath.Join(job.Dir, "scores.jsonl"), slices.Values(rows))
	case stages.Mask:
		styles := 2
		if scores, err := masking.ReadScores(filepath.Join(job.Inputs["attribution"], "scores.jsonl")); err == nil {
			styles = scores.Styles()
		}
		for style := range styles {
			path := filepath.Join(job.Dir, fmt.Sprintf("test.%d.mask", style))
			if err := os.WriteFile(path, []byte("01\n"), 0o644); err != nil {
				return err
			}
		}
		return nil
	}
	return writeTraining(job)
}

// writeVocab writes a vocabulary of all words in the training text.
func writeVocab(job *stage.Job) error {
	names, err := filepath.Glob(filepath.Join(job.Inputs["prepare"], "train.*.txt"))
	if err != nil {
		return err
	}
	var text [][]corpus.Sentence
	for _, name := range names {
		sentences, err := corpus.ReadLines(name)
		if err != nil {
			return err
		}
		text = append(text, sentences)
	}
	return corpus.BuildVocab(text, 0).Save(filepath.Join(job.Dir, "vocab.txt"))
}

// WriteJSON writes v as a JSON file to the job's folder.
func WriteJSON(job *stage.Job, name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(job.Dir, name), text, 0o644)
}

// WriteScores writes the files of a scoring stage: metrics.json and sentences.jsonl.
func WriteScores(job *stage.Job, r *metrics.Scores) error {
	if err := WriteJSON(job, "metrics.json", r); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(job.Dir, "sentences.jsonl"))
	if err != nil {
		return err
	}
	defer f.Close()
	return metrics.WriteSentences(f, r.Sentences)
}

// OneFile is a minimal stage for tests of how stages are run. It writes a single file, out.txt,
// with the stage's identity, its number of threads, and a digest of each input's out.txt. It fails
// if an input is missing.
func OneFile(job *stage.Job) error {
	text := []string{job.ID, fmt.Sprint(job.Threads)}
	for name, dir := range job.Inputs {
		if _, err := os.Stat(filepath.Join(dir, "stage.json")); err != nil {
			return fmt.Errorf("input %s of %s: %w", name, job.Name, err)
		}
		in, err := os.ReadFile(filepath.Join(dir, "out.txt"))
		if err != nil {
			return fmt.Errorf("input %s of %s: %w", name, job.Name, err)
		}
		text = append(text, fmt.Sprintf("%s %x", name, sha256.Sum256(in)))
	}
	slices.Sort(text)
	return os.WriteFile(filepath.Join(job.Dir, "out.txt"), []byte(strings.Join(text, "\n")), 0o644)
}

// sources returns the sentences that the job rewrites or scores. They are grouped by style.
func sources(job *stage.Job) (all [][]corpus.Sentence, err error) {
	dir, split := textOf(job)
	for {
		path := filepath.Join(dir, corpus.FileName(split, len(all)))
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && len(all) >= 2 {
			return all, nil
		}
		lines, err := corpus.ReadLines(path)
		if err != nil {
			return nil, err
		}
		all = append(all, lines)
	}
}

// textOf returns the folder and the split of the sentences that the job rewrites or scores.
func textOf(job *stage.Job) (dir string, split corpus.Split) {
	if test, ok := job.Inputs["test"]; ok {
		return test, corpus.Test
	}
	return job.Inputs["prepare"], corpus.Dev
}

// labels returns the style labels of a stage's sentences.
func labels(job *stage.Job) (corpus.Styles, error) {
	dir, _ := textOf(job)
	var counts stages.Counts
	err := files.ReadJSON(filepath.Join(dir, "counts.json"), &counts)
	return counts.Labels, err
}

// writeOutputs writes two files per direction: the source sentences with every second word masked,
// and outputs with other words in the masked places. If Varied is set, about four in five outputs
// contain a word that depends on the stage.
func (b Backend) writeOutputs(job *stage.Job) error {
	all, err := sources(job)
	if err != nil {
		return err
	}
	var settings stages.TransferSettings
	if err := json.Unmarshal(job.Settings, &settings); err != nil {
		return err
	}
	styles, err := labels(job)
	if err != nil {
		return err
	}
	for _, d := range styles.Directions() {
		if len(settings.Directions) > 0 && !slices.Contains(settings.Directions, d) {
			continue
		}
		lines := all[d.From]
		masked, output := make([]corpus.Sentence, len(lines)), make([]corpus.Sentence, len(lines))
		for i, words := range lines {
			masked[i], output[i] = b.rewrite(words, d.To)
			switch b.Flaw {
			case metrics.LeftUnchanged:
				output[i] = words
				continue
			case metrics.Shortened:
				output[i] = words[:len(words)/2]
				continue
			}
			if b.Varied && fraction(job.ID, fmt.Sprint(i)) < .8 && len(words) > 1 {
				output[i][1] += job.ID[:2]
			}
		}
		for name, lines := range map[string][]corpus.Sentence{
			stages.MaskedName(styles, d): masked, stages.OutputName(styles, d): output,
		} {
			if err := corpus.WriteLines(filepath.Join(job.Dir, name), lines); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeScores writes the metrics of a system and of its sentences. If Varied is set, systems with
// higher style scores tend to have lower content scores, as real systems do.
func (b Backend) writeScores(job *stage.Job) error {
	r, err := scored(job)
	if err != nil {
		return err
	}
	m := metrics.Values{"tst": 60, "s_bleu": 100, "naturalness": 0.8, "mean": 80}
	if b.Varied {
		style := fraction("tst", job.ID)
		m["tst"], m["s_bleu"], m["mean"] = 40+55*style, 65-45*style+5*fraction("bleu", job.ID), 60
	}
	if b.Flaw != nil && job.Name == stages.Score {
		dirs := r.Directions
		for k := range dirs {
			dirs[k].Metrics = maps.Clone(m)
			dirs[k].Metrics[b.Flaw.Shows] = 1
		}
		m[b.Flaw.Shows] = 1
		return WriteScores(job, &metrics.Scores{
			Metrics: m, Directions: dirs, Signatures: map[string]string{"s_bleu": "fake"}, Sentences: r.Sentences,
		})
	}
	return WriteScores(job, &metrics.Scores{
		Metrics: m,
		Directions: lists.Map(r.Directions, func(d metrics.Direction) metrics.Direction {
			return metrics.Direction{From: d.From, To: d.To, N: 1, Metrics: m}
		}),
		Intervals:  map[string]metrics.Interval{"tst": {Value: m["tst"], Low: m["tst"] - 5, High: m["tst"] + 5}},
		Signatures: map[string]string{"s_bleu": "fake"},
		Sentences:  r.Sentences,
	})
}

// scored returns scores in which every output is its source sentence. They cover every direction,
// from one style to another, for which the job has outputs. In each direction, only the first
// output counts as having the target style.
func scored(job *stage.Job) (*metrics.Scores, error) {
	all, err := sources(job)
	if err != nil {
		return nil, err
	}
	var of stages.Outputs
	if err := json.Unmarshal(job.Settings, &of); err != nil {
		return nil, err
	}
	styles, err := labels(job)
	if err != nil {
		return nil, err
	}
	var dirs []metrics.Input
	for k, d := range styles.Directions() {
		if !written(job, &of, styles, k, d) {
			continue
		}
		lines := all[d.From]
		in := metrics.Input{
			From: styles[d.From], To: styles[d.To], Source: lines, Output: lines, Target: d.To,
			Predicted: slices.Repeat([]int{d.From}, len(lines)),
		}
		in.Predicted[0] = d.To
		dirs = append(dirs, in)
	}
	return metrics.Score(dirs, metrics.Instruments{})
}

// written reports whether the job has outputs for d, a direction from one style to another, which
// has the index k among all directions. Depending on the job, the outputs are those of a transfer
// stage, files of a published system, or references.
func written(job *stage.Job, of *stages.Outputs, styles corpus.Styles, k int, d corpus.Direction) bool {
	if transfer, ok := job.Inputs["transfer"]; ok {
		_, err := os.Stat(filepath.Join(transfer, stages.OutputName(styles, d)))
		return err == nil
	}
	if of.References {
		return len(of.Directions) == 0 || slices.Contains(of.Directions, d)
	}
	return of.Hashes[strconv.Itoa(k)] != ""
}

// writeTraining writes the result and the history of a training run whose fourth epoch was kept.
// The run has five epochs, or six if the seed is odd.
func writeTraining(job *stage.Job) error {
	var settings struct{ Seed int }
	if err := json.Unmarshal(job.Settings, &settings); err != nil {
		return err
	}
	const kept = 3
	h := stages.History{Epochs: Epochs(job.ID, 5+settings.Seed%2), Best: kept}
	conicity := .25
	h.Epochs[kept].Dev.Conicity = &conicity
	if err := WriteJSON(job, "history.json", h); err != nil {
		return err
	}
	if slices.Contains([]stage.Name{stages.DivLSTM, stages.SMLM, stages.SMLMG, stages.SMLMFT}, job.Name) {
		if err := writeModel(job); err != nil {
			return err
		}
	}
	return WriteJSON(job, "result.json", stages.TrainResult{
		Parameters: 1234567, Epochs: len(h.Epochs), BestEpoch: kept + 1, Steps: h.Epochs[len(h.Epochs)-1].Steps,
		DevAccuracy: 90, Conicity: conicity,
	})
}

// writeModel writes a model's shape and weights. They are incomplete, but suffice for checks that
// only read the files.
func writeModel(job *stage.Job) error {
	const words = 50
	weights, err := safetensors.NewTensorView(safetensors.F32, []uint64{words, 1}, make([]byte, 4*words))
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(job.Dir, "model.safetensors"))
	if err != nil {
		return err
	}
	defer f.Close()
	tensors := map[string]safetensors.TensorView{"embedding.weight": weights}
	if err := safetensors.SerializeToWriter(tensors, nil, f); err != nil {
		return err
	}
	return WriteJSON(job, "model.json", map[string]any{"vocab": words, "dropout": 0.3})
}

// Epochs returns the first n epochs of the training run with the identity id. Curves differ between
// identities.
func Epochs(id string, n int) []stages.Epoch {
	epochs := make([]stages.Epoch, n)
	for i := range epochs {
		e := &epochs[i]
		e.Epoch, e.Steps, e.Seconds = i+1, 10*(i+1), float64(i+1)
		loss := (1 + fraction(id)) / float64(i+1)
		dev, accuracy := 1.1*loss, 70+5*float64(i)
		e.TrainLoss, e.Dev.Loss, e.Dev.Accuracy = &loss, &dev, &accuracy
	}
	return epochs
}

// fraction returns a number from 0 to 1 that depends only on the given texts.
func fraction(texts ...string) float64 {
	h := fnv.New32a()
	for _, text := range texts {
		h.Write([]byte(text))
	}
	return float64(h.Sum32()%1000) / 1000
}

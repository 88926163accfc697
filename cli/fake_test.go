package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/masking"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// fakeTorch stands in for runs/stages: its stages write the files of docs/workspace.md without
// training anything, so that the commands are tested without libtorch. The figures in them are
// constants. Environment variables, each naming a stage:
//
//	FAKE_RAN=FILE   append the name of every stage that ran to its end
//	FAKE_WAIT=NAME  such a stage makes the file "waiting" and waits for the end of ctx
//	FAKE_HANG=NAME  the same, but it does not notice the end of ctx
//	FAKE_FAIL=NAME  such a stage fails
//	FAKE_FILL=NAME  such a stage writes until the disk is full
//	FAKE_OFF=NAME   the attention of such a stage is not on style words
type fakeTorch struct{}

func (fakeTorch) Run(ctx context.Context, job *stage.Job) error { return fakeStage(ctx, job) }

// CheckMachine finds no CUDA device, and no bfloat16 products where FAKE_BF16 is "no".
func (fakeTorch) CheckMachine(name string, precisions []string) error {
	if slices.Contains(precisions, "bf16") && os.Getenv("FAKE_BF16") == "no" {
		return userr.New(userr.NoTorch, "precision is \"bf16\", but this is a fake")
	}
	if strings.HasPrefix(name, "cuda") {
		return userr.New(userr.NoTorch, "devices is %q, but this is a fake", name)
	}
	return nil
}

func fakeStage(ctx context.Context, job *stage.Job) error {
	is := func(name string) bool { return os.Getenv(name) == string(job.Name) }
	switch {
	case is("FAKE_WAIT"), is("FAKE_HANG"):
		job.Progress(1, 4, "epoch 1")
		if err := os.WriteFile("waiting", nil, 0o644); err != nil {
			return err
		}
		if is("FAKE_HANG") {
			time.Sleep(time.Minute)
		}
		<-ctx.Done()
		return ctx.Err()
	case is("FAKE_FAIL"):
		return errors.New("the loss is not a number at step 7")
	case is("FAKE_FILL"):
		if err := fill(filepath.Join(job.Dir, "model.safetensors")); err != nil {
			return err
		}
	}
	job.Progress(1, 1, "")
	job.Used = stage.Used{Device: "fake:" + job.Devices, Precision: "fp32"}
	if err := fakeFiles(job); err != nil {
		return err
	}
	if path := os.Getenv("FAKE_RAN"); path != "" {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintln(f, job.Name)
	}
	return nil
}

// fill writes until an error.
func fill(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for range 1 << 20 {
		if _, err := f.Write(make([]byte, 4096)); err != nil {
			return fmt.Errorf("writing the weights: %w", err)
		}
	}
	return nil
}

// fakeFiles writes what a stage of that name writes.
func fakeFiles(job *stage.Job) error {
	write := func(name string, v any) error {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(job.Dir, name), text, 0o644)
	}
	source := func(style int) string {
		if dir, ok := job.Inputs["test"]; ok {
			return filepath.Join(dir, corpus.FileName(corpus.Test, style))
		}
		return filepath.Join(job.Inputs["prepare"], corpus.FileName(corpus.Dev, style))
	}
	switch job.Name {
	case stages.Prepare:
		return fakeData(job, corpus.Train, corpus.Dev)
	case stages.TestSet:
		return fakeData(job, corpus.Test)
	case stages.Accuracy:
		return write("result.json", stages.AccuracyResult{TestAcc: 89})
	case stages.MaskScore:
		r := stages.MaskResult{MaskedShare: 0.25, AllMasked: 1, NoneMasked: 2, Accuracy: 75, SBLEU: 50}
		return write("result.json", stages.MaskScores{Dev: r, Test: r})
	case stages.Transfer:
		for style := range 2 {
			lines, err := corpus.ReadLines(source(style))
			if err != nil {
				return err
			}
			for _, name := range []string{"output", "masked"} {
				path := filepath.Join(job.Dir, fmt.Sprintf("%s.%d.txt", name, style))
				if err := corpus.WriteLines(path, lines); err != nil {
					return err
				}
			}
		}
		return nil
	case stages.Score, stages.Published:
		m := metrics.Values{"tst": 60, "s_bleu": 100, "naturalness": 0.8, "mean": 80}
		if err := fakeSentences(job, source); err != nil {
			return err
		}
		return write("metrics.json", metrics.Scores{
			Metrics: m, Directions: []metrics.Direction{
				{From: "a", To: "b", N: 1, Metrics: m}, {From: "b", To: "a", N: 1, Metrics: m},
			},
			Intervals:  map[string]metrics.Interval{"tst": {Value: 60, Low: 55, High: 65}},
			Signatures: map[string]string{"s_bleu": "fake"},
		})
	case stages.METEOR, stages.Embedding:
		if err := fakeSentences(job, source); err != nil {
			return err
		}
		return write("metrics.json", metrics.Scores{})
	case stages.Attribution, stages.Mask:
		return fakeMasks(job)
	}
	const history = `{"epochs": [{"epoch": 1, "steps": 10, "train_loss": 0.5, "dev": {"loss": 0.5}}], "best": 0}`
	if err := os.WriteFile(filepath.Join(job.Dir, "history.json"), []byte(history), 0o644); err != nil {
		return err
	}
	result := stages.TrainResult{
		Parameters: 1000, Epochs: 1, BestEpoch: 1, Steps: 10, DevAccuracy: 90, Conicity: 0.25,
	}
	if os.Getenv("FAKE_OFF") == string(job.Name) {
		result.Attention = &stages.AttentionHealth{Found: []float64{.5, .1}, Restarts: 3}
	}
	return write("result.json", result)
}

// fakeSentences scores the sources as outputs of which the first of a direction is right.
func fakeSentences(job *stage.Job, source func(style int) string) error {
	dirs := make([]metrics.Input, 2)
	for k := range dirs {
		lines, err := corpus.ReadLines(source(k))
		if err != nil {
			return err
		}
		dirs[k] = metrics.Input{
			From: string("ab"[k]), To: string("ba"[k]), Source: lines, Output: lines, Target: k,
			Predicted: make([]int, len(lines)),
		}
		dirs[k].Predicted[0] = k
	}
	r, err := metrics.Score(dirs, metrics.Instruments{})
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(job.Dir, "sentences.jsonl"))
	if err != nil {
		return err
	}
	defer f.Close()
	return metrics.WriteSentences(f, r.Sentences)
}

// fakeMasks writes the scores of one test sentence a style, and a mask of its second word.
func fakeMasks(job *stage.Job) error {
	if job.Name == stages.Attribution {
		return masking.WriteScores(filepath.Join(job.Dir, "scores.parquet"), slices.Values([]masking.ScoreRow{
			{
				Split: "test", Style: 0, Scores: []float32{0.25, 0.75},
			}, {Split: "test", Style: 1, Scores: []float32{0.25, 0.75}},
		}))
	}
	for style := range 2 {
		path := filepath.Join(job.Dir, fmt.Sprintf("test.%d.mask", style))
		if err := os.WriteFile(path, []byte("01\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func fakeData(job *stage.Job, splits ...corpus.Split) error {
	set := corpus.Demo()
	if dir := job.Sources["dir"]; dir != "" {
		var err error
		if set, err = corpus.Load(dir, "fake", nil); err != nil {
			return err
		}
	}
	return set.Save(job.Dir, splits...)
}

// OpenTransfer wants the folders only.
func (fakeTorch) OpenTransfer(_ context.Context, r stages.TransferRequest) (stages.TransferSession, error) {
	for _, dir := range r.Inputs {
		if _, err := os.Stat(filepath.Join(dir, "stage.json")); err != nil {
			return nil, err
		}
	}
	if err := (fakeTorch{}).CheckMachine(r.Devices, nil); err != nil {
		return nil, err
	}
	return fakeTransfer{r}, nil
}

// fakeTransfer masks every second word and answers in capitals; of candidates the second is the one
// written. Words with an x are unknown to it.
type fakeTransfer struct{ asked stages.TransferRequest }

func (f fakeTransfer) Rewrite(ctx context.Context, sentences [][]string) (done []stages.Rewritten, err error) {
	for _, words := range sentences {
		m, out := slices.Clone(words), slices.Clone(words)
		r := stages.Rewritten{Masked: m, Output: out, Unknown: make([]bool, len(words))}
		origins := &stages.Origins{Guide: .75}
		for j := range words {
			w := stages.Word{Origin: guided.Kept}
			if j%2 == 1 {
				m[j], out[j] = "<mask>", strings.ToUpper(words[j])
				w = stages.Word{Origin: guided.Refilled, P: .25}
			}
			w.Word, r.Unknown[j] = out[j], strings.Contains(words[j], "x")
			origins.Words = append(origins.Words, w)
		}
		if f.asked.Why {
			r.Origins = origins
		}
		if f.asked.Candidates > 0 {
			r.Candidates = []stages.Candidate{
				{Output: words, Origins: origins, LogQ: -1, Guide: .5, Fluency: -2, Similarity: 1, Total: -3},
				{Output: out, Origins: origins, LogQ: -2, Guide: .75, Similarity: .5, Total: -4, Written: true},
			}
		}
		done = append(done, r)
	}
	return done, ctx.Err()
}

func (fakeTransfer) Close() {}

// OpenExplain wants the folders only.
func (fakeTorch) OpenExplain(_ context.Context, r stages.ExplainRequest) (stages.ExplainSession, error) {
	for _, m := range r.Methods {
		for _, dir := range []string{r.VocabDir, m.DivLSTM} {
			if _, err := os.Stat(filepath.Join(dir, "stage.json")); err != nil {
				return nil, err
			}
		}
	}
	if err := (fakeTorch{}).CheckMachine(r.Devices, nil); err != nil {
		return nil, err
	}
	return fakeExplain(len(r.Methods)), nil
}

// fakeExplain gives half of the scores to the first word and half to the last.
type fakeExplain int

func (methods fakeExplain) Explain(
	ctx context.Context, sentences [][]string, style int,
) (done []stages.Explained, err error) {
	for _, words := range sentences {
		x := stages.Explained{Style: max(style, 0), Probability: .75}
		for range methods {
			scores := make([]float32, len(words))
			scores[0] += .5
			scores[len(words)-1] += .5
			x.Scores = append(x.Scores, scores)
		}
		done = append(done, x)
	}
	return done, ctx.Err()
}

func (fakeExplain) Close() {}

// Classify takes a sentence with an exclamation mark for style 1.
func (fakeTorch) Classify(_ context.Context, r stages.JudgeRequest) ([]int, error) {
	if err := (fakeTorch{}).CheckMachine(r.Devices, nil); err != nil {
		return nil, err
	}
	styles := make([]int, len(r.Sentences))
	for i, words := range r.Sentences {
		if slices.Contains(words, "!") {
			styles[i] = 1
		}
	}
	return styles, nil
}

// Fluency gives every word and the end of a sentence the probability 1/e.
func (fakeTorch) Fluency(_ context.Context, r stages.JudgeRequest) (*metrics.Fluency, error) {
	f := &metrics.Fluency{Signature: "fake"}
	for _, words := range r.Sentences {
		f.LogProb, f.Tokens = append(f.LogProb, -float64(len(words)+1)), append(f.Tokens, len(words)+1)
		f.Unknown = append(f.Unknown, 0)
	}
	return f, nil
}

func (fakeTorch) Doctor(_ context.Context, w io.Writer) error {
	fmt.Fprintln(w, "libtorch: none, this is a fake")
	return userr.New(userr.NoTorch, "there is no device to train on: this is a fake")
}

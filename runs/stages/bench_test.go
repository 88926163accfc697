package stages

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/metrics/naturalness"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// BenchmarkScoreStage runs a score stage for one system on 1,000 made-up test sentences that are as
// long as Yelp's. The stage reads its files and judges the outputs with a classifier (embedding and
// hidden size 128, 10,000 words). It computes naturalness, all metrics that need no other models or
// files, and the confidence intervals. The sub-benchmarks differ in the size of the training text.
// The size should not matter, because a score stage does not read this text. cpu-ms/op is the
// processor time of all threads, which does not depend on other programs.
func BenchmarkScoreStage(b *testing.B) {
	for _, train := range []int{2000, 100000} {
		b.Run(fmt.Sprint(train), func(b *testing.B) {
			job := scoreJob(b, train)
			var before, after syscall.Rusage
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := Run(b.Context(), job); err != nil {
					b.Fatal(err)
				}
			}
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
				b.Fatal(err)
			}
			spent := after.Utime.Nano() - before.Utime.Nano() + after.Stime.Nano() - before.Stime.Nano()
			b.ReportMetric(float64(spent)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
		})
	}
}

// scoreJob writes the files that a score stage reads, and returns its job.
func scoreJob(b *testing.B, train int) *stage.Job {
	b.Helper()
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.3, 8, 9000)
	lines := func(n int) (text []corpus.Sentence) {
		for range n {
			words := make([]string, 4+rng.IntN(12))
			for i := range words {
				words[i] = fmt.Sprintf("w%d", zipf.Uint64())
			}
			text = append(text, words)
		}
		return text
	}
	change := func(text []corpus.Sentence) (out []corpus.Sentence) {
		for _, words := range text {
			changed := append(corpus.Sentence(nil), words...)
			changed[rng.IntN(len(words))] = fmt.Sprintf("w%d", zipf.Uint64())
			out = append(out, changed)
		}
		return out
	}
	dir := b.TempDir()
	job := &stage.Job{
		Name: Score, Dir: filepath.Join(dir, "score"), Threads: 1, Inputs: map[string]string{},
		Settings: []byte("{}"),
	}
	for _, name := range []string{"test", "vocab", "classifier", "naturalness", "transfer", "score"} {
		job.Inputs[name] = filepath.Join(dir, name)
		must(os.Mkdir(job.Inputs[name], 0o700))
	}
	d := corpus.NewDataset("made-up", corpus.StylesOf(nil))
	for style := range 2 {
		d.Text[corpus.Train][style] = lines(train / 2)
		d.Text[corpus.Dev][style], d.Text[corpus.Test][style] = lines(500), lines(500)
		d.Refs[style] = change(d.Text[corpus.Test][style])
	}
	for _, way := range d.Labels.Directions() {
		of := d.Text[corpus.Test][way.From]
		must(corpus.WriteLines(filepath.Join(job.Inputs["transfer"], OutputName(d.Labels, way)), change(of)))
		must(corpus.WriteLines(filepath.Join(job.Inputs["transfer"], MaskedName(d.Labels, way)), of))
	}
	must(d.Save(job.Inputs["test"], corpus.Test))
	must(writeJSON(job.Inputs["test"], "counts.json", Counts{Name: d.Name, Labels: d.Labels}))
	var words strings.Builder
	words.WriteString("__intercept__\t0\n")
	vocab := make([]corpus.Sentence, 1)
	for i := range 10000 {
		fmt.Fprintf(&words, "w%d\t%v\n", i, rng.NormFloat64())
		vocab[0] = append(vocab[0], fmt.Sprintf("w%d", i))
	}
	must(os.WriteFile(filepath.Join(job.Inputs["naturalness"], "weights.tsv"), []byte(words.String()), 0o600))
	nat, err := naturalness.Load(filepath.Join(job.Inputs["naturalness"], "weights.tsv"))
	must(err)
	must(writeJSON(job.Inputs["naturalness"], "about.json", naturalnessAbout{"weights.tsv", nat.Signature()}))
	v := corpus.BuildVocab([][]corpus.Sentence{vocab}, 20000)
	must(v.Save(filepath.Join(job.Inputs["vocab"], "vocab.txt")))
	must(torch.Run(func() error {
		c := classifier.BiLSTMConfig{Vocab: v.Len(), BiLSTMShape: recipe.BiLSTMShape{Embedding: 128, Hidden: 128}}
		m := classifier.NewBiLSTM(c)
		defer m.Params.Free()
		text, err := json.Marshal(c)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(job.Inputs["classifier"], "model.json"), text, 0o600); err != nil {
			return err
		}
		return m.Params.Save(filepath.Join(job.Inputs["classifier"], "model.safetensors"))
	}))
	return job
}

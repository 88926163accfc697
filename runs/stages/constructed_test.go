package stages

import (
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/lm"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
)

// TestConstructedOutputs scores five constructed systems on the demo corpus. The first replaces
// every style word with the same word, the second copies its sources, the third keeps two words of
// each source, the fourth deletes the style words, and the fifth is the references. The table must
// show that the first has collapsed, also by its perplexity, that the second changes nothing, and
// that the third shortens its sentences.
func TestConstructedOutputs(t *testing.T) {
	d := corpus.Demo()
	v := corpus.BuildVocab(d.Text[corpus.Train], 5000)
	tx := &text{Dataset: d, vocab: v}
	carries := styleWords(d)
	var most [2]string // the most frequent style word of each style
	for style := range most {
		most[style] = mostFrequent(carries[style], d.Text[corpus.Train][style])
	}
	systems := []struct {
		name   string
		output func(style, i int) []string
	}{
		{"one word", func(style, i int) []string {
			words := slices.Clone(d.Text[corpus.Test][style][i])
			for k, w := range words {
				if carries[style][w] {
					words[k] = most[1-style]
				}
			}
			return words
		}},
		{"copied", func(style, i int) []string { return d.Text[corpus.Test][style][i] }},
		{"two words", func(style, i int) []string { return d.Text[corpus.Test][style][i][:2] }},
		{"deleted", func(style, i int) []string {
			return lists.Filter(d.Text[corpus.Test][style][i], func(w string) bool { return !carries[style][w] })
		}},
		{"people", func(style, i int) []string { return d.Refs[style][i] }},
	}
	reports := map[string]*metrics.Scores{}
	err := torch.Run(func() error {
		torch.Seed(1)
		var train [][]int64
		for i, ids := range tx.encoded(corpus.Train).IDs {
			if i%5 == 0 { // a fifth of the text is enough to make the perplexity react to repetition
				train = append(train, ids)
			}
		}
		m := lm.New(
			lm.Config{
				First:   corpus.NumSpecial,
				Known:   lm.KnownWords(train, corpus.NumSpecial),
				LMShape: recipe.LMShape{Embedding: 32, Hidden: 64},
			},
		)
		defer m.Params.Free()
		how := recipe.Training{Epochs: 1, LR: 1e-2, Beta1: 0.9, Clip: 1, BatchTokens: 250}
		r := nn.Recipe{Training: how, Seed: 1}
		if _, err := m.Train(t.Context(), train, tx.encoded(corpus.Dev).IDs, r); err != nil {
			return err
		}
		judge := &languageModel{m, "perplexity|test"}
		for _, s := range systems {
			dirs := make([]metrics.Input, 2)
			for style := range dirs {
				in := &dirs[style]
				in.From, in.To, in.Source = d.Labels[style], d.Labels[1-style], d.Text[corpus.Test][style]
				for i := range in.Source {
					in.Output = append(in.Output, s.output(style, i))
				}
				var err error
				if in.Fluency, err = judge.fluency(t.Context(), v.EncodeAll(in.Output)); err != nil {
					return err
				}
			}
			r, err := metrics.Score(dirs, metrics.Instruments{})
			if err != nil {
				return err
			}
			reports[s.name] = r
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var records []*report.Record
	for _, s := range systems {
		r := reports[s.name]
		records = append(records, &report.Record{
			From: report.FromSystems, Kind: report.Published, Scores: r, Values: r.Metrics,
			Axes: []report.Axis{{Key: report.Dataset, Value: "demo"}, {Key: report.System, Value: s.name}},
		})
		t.Logf(
			"%-8s halved %.2f / %.2f, perplexity %.1f, most frequent new word %.2f / %.2f, distinct new words %d / %d",
			s.name,
			r.Directions[0].Metrics["halved_share"],
			r.Directions[1].Metrics["halved_share"],
			r.Metrics["perplexity"],
			r.Directions[0].MostFrequentNewWordShare,
			r.Directions[1].MostFrequentNewWordShare,
			r.Directions[0].DistinctNewWords,
			r.Directions[1].DistinctNewWords,
		)
		want := map[string][]*metrics.Flaw{
			"one word": {metrics.Collapsed}, "copied": {metrics.LeftUnchanged}, "two words": {metrics.Shortened},
		}
		if got := r.Flaws(); !slices.Equal(got, want[s.name]) {
			t.Errorf("%s: flaws %q", s.name, metrics.Signs(got))
		}
	}
	if worst := reports["one word"].Metrics["perplexity"]; worst < 1.1*reports["people"].Metrics["perplexity"] ||
		worst < 1.1*reports["copied"].Metrics["perplexity"] {
		t.Errorf("the perplexity of one word everywhere, %.1f, does not stand out", worst)
	}
	var b strings.Builder
	if err := report.Build("results", records, report.About{}).Write(&b, "text"); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "one word‡ ") || !strings.Contains(text, "copied§ ") ||
		!strings.Contains(text, "two words¶ ") || !strings.Contains(text, "deleted ") || !strings.Contains(text, "people ") {
		t.Error(text)
	}
}

// styleWords returns the style words of each style: words that its training sentences contain at
// least ten times, and at least ten times as often as the sentences of the other style.
func styleWords(d *corpus.Dataset) (of [2]map[string]bool) {
	var counts [2]map[string]int
	for style, sentences := range d.Text[corpus.Train] {
		counts[style] = map[string]int{}
		for _, s := range sentences {
			for _, w := range s {
				counts[style][w]++
			}
		}
	}
	for style := range of {
		of[style] = map[string]bool{}
		for w, n := range counts[style] {
			if n >= 10 && n >= 10*counts[1-style][w] {
				of[style][w] = true
			}
		}
	}
	return of
}

// mostFrequent returns the most frequent of the given words. If several are equally frequent, it
// returns the first in byte order.
func mostFrequent(some map[string]bool, sentences []corpus.Sentence) string {
	counts := map[string]int{}
	for _, s := range sentences {
		for _, w := range s {
			if some[w] {
				counts[w]++
			}
		}
	}
	best := ""
	for w, n := range counts {
		if n > counts[best] || n == counts[best] && w < best {
			best = w
		}
	}
	return best
}

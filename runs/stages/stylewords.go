package stages

import (
	"context"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// StyleWords is the stage that lists the strong style words of the training text. Only the metric
// "source words left" uses this list.
const StyleWords stage.Name = "style-words"

var styleWordsStage = stage.Definition{
	Name: StyleWords, Version: 1, Inputs: "prepare, vocab",
	Settings: func(stage.Point) any { return styleWordsSettings{metrics.StrongLogOdds} }, Reads: trainText,
	Files: "`words.json`: for each style, its words with log odds of 2 or more, in the order of the vocabulary",
	Run:   of(listStyleWords),
}

// styleWordsSettings says what a strong style word is.
type styleWordsSettings struct {
	LogOdds float64 `json:"log_odds"` // lower bound of the log-odds of a strong style word
}

func listStyleWords(_ context.Context, job *stage.Job, s styleWordsSettings) error {
	t, err := loadText(job, corpus.Train)
	if err != nil {
		return err
	}
	odds := classifier.CountOdds(t.encoded(corpus.Train), t.Labels.N(), t.vocab.Len())
	words := make([][]string, t.Labels.N())
	for style := range words {
		words[style] = lists.Map(odds.Words(style, s.LogOdds), t.vocab.Word)
	}
	return writeJSON(job.Dir, "words.json", words)
}

// loadStyleWords reads the strong words of each style.
func loadStyleWords(dir string) ([]map[string]bool, error) {
	var words [][]string
	if err := readJSON(dir, "words.json", &words); err != nil {
		return nil, err
	}
	return lists.Map(words, func(some []string) map[string]bool {
		known := map[string]bool{}
		for _, w := range some {
			known[w] = true
		}
		return known
	}), nil
}

package stages

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// Phrases is the stage that searches the training text for phrases of each style and for their
// counterparts in the other styles.
const Phrases stage.Name = "phrases"

var phrasesStage = stage.Definition{
	Name: Phrases, Version: 4, Inputs: "prepare, vocab",
	Reads: trainText,
	Files: "`phrases.json`: `phrases` have `from` and `to` (numbers of styles), `phrase` and `counterparts`, each with " +
		"`words`, `likeness` and `gain` ([guided.md](guided.md)); `log_p` has log p of each word of the vocabulary, by style",
	Run: of(findPhrases),
}

const phrasesFile = "phrases.json"

// phraseTable is the content of phrasesFile.
type phraseTable struct {
	LogP    [][]float64 `json:"log_p"` // [styles][words of the vocabulary]
	Phrases []phraseRow `json:"phrases"`
}

// phraseRow has the counterparts of a phrase of style From in style To, most alike first.
type phraseRow struct {
	From         int              `json:"from"`
	To           int              `json:"to"`
	Phrase       string           `json:"phrase"`
	Counterparts []counterpartRow `json:"counterparts"`
}

type counterpartRow struct {
	Words    string  `json:"words"`
	Likeness float64 `json:"likeness"`
	Gain     float64 `json:"gain"`
}

func findPhrases(_ context.Context, job *stage.Job, _ struct{}) error {
	t, err := loadText(job, corpus.Train)
	if err != nil {
		return err
	}
	found := guided.FindPhrases(t.encoded(corpus.Train), t.Labels.N(), t.vocab.Punctuation())
	return savePhrases(job.Dir, found, t.vocab)
}

// savePhrases writes phrasesFile into a folder.
func savePhrases(dir string, found *guided.Phrases, v *corpus.Vocab) error {
	spelling := func(ids []int64) string { return strings.Join(v.Decode(ids), " ") }
	byIDs := func(a, b guided.Phrase) int { return slices.Compare(a[:], b[:]) }
	table := phraseTable{LogP: found.LogP}
	for from := range found.LogP {
		for to := range found.LogP {
			counterparts := found.Counterparts[corpus.Direction{From: from, To: to}]
			for _, p := range slices.SortedFunc(maps.Keys(counterparts), byIDs) {
				row := phraseRow{From: from, To: to, Phrase: spelling(p.IDs())}
				for _, c := range counterparts[p] {
					row.Counterparts = append(row.Counterparts, counterpartRow{spelling(c.IDs), c.Likeness, c.Gain})
				}
				table.Phrases = append(table.Phrases, row)
			}
		}
	}
	return files.Write(filepath.Join(dir, phrasesFile), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(table)
	})
}

// loadPhrases reads what savePhrases wrote. A pack from somebody else may contain anything, so
// loadPhrases checks it.
func loadPhrases(dir string, v *corpus.Vocab) (*guided.Phrases, error) {
	path := filepath.Join(dir, phrasesFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", path, files.Cause(err))
	}
	var table phraseTable
	if err := json.Unmarshal(text, &table); err != nil {
		return nil, userr.New(userr.BadInput, "reading %q: %w: let run write it again", path, err)
	}
	styles := len(table.LogP)
	if styles < 2 || slices.ContainsFunc(table.LogP, func(logs []float64) bool {
		return len(logs) != v.Len() || slices.Max(logs) > 0
	}) {
		return nil, userr.New(userr.BadInput, "%s must have numbers of two styles or more for each of %d words: let run "+
			"write it again", path, v.Len())
	}
	found := &guided.Phrases{
		Counterparts: map[corpus.Direction]map[guided.Phrase][]guided.Counterpart{}, LogP: table.LogP,
	}
	for i, row := range table.Phrases {
		phrase, counterparts, ok := row.encoded(v)
		d := corpus.Direction{From: row.From, To: row.To}
		if !ok || min(d.From, d.To) < 0 || max(d.From, d.To) >= styles || d.From == d.To {
			return nil, userr.New(userr.BadInput, "%s: phrase %d must have two styles, known words and counterparts: let "+
				"run write it again", path, i+1)
		}
		if found.Counterparts[d] == nil {
			found.Counterparts[d] = map[guided.Phrase][]guided.Counterpart{}
		}
		found.Counterparts[d][phrase] = counterparts
	}
	return found, nil
}

// The method encoded returns the words of a row as ids. The result "ok" is false if a word is
// unknown, or if a phrase is empty or too long.
func (row *phraseRow) encoded(v *corpus.Vocab) (phrase guided.Phrase, counterparts []guided.Counterpart, ok bool) {
	idsOf := func(words string) []int64 {
		ids := v.Encode(strings.Fields(words))
		ok = ok && len(ids) > 0 && len(ids) <= guided.LongestPhrase && !slices.Contains(ids, corpus.UnkID)
		return ids
	}
	ok = true
	ids := idsOf(row.Phrase)
	for _, c := range row.Counterparts {
		counterparts = append(counterparts, guided.Counterpart{IDs: idsOf(c.Words), Likeness: c.Likeness, Gain: c.Gain})
	}
	if !ok {
		return phrase, nil, false
	}
	return guided.PhraseOf(ids), counterparts, true
}

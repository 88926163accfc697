package stages

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	Name: Phrases, Version: 3, Inputs: "prepare, vocab",
	Reads: trainText,
	Files: "`phrases.tsv`: `from` and `to` (numbers of styles), `phrase`, `counterpart`, `likeness`, `gain` " +
		"([guided.md](guided.md)); `words.tsv`: each word of the vocabulary with its log p in each style",
	Run: of(findPhrases),
}

const (
	phrasesFile   = "phrases.tsv"
	wordsFile     = "words.tsv"
	phrasesHeader = "from\tto\tphrase\tcounterpart\tlikeness\tgain"
)

func findPhrases(_ context.Context, job *stage.Job, _ struct{}) error {
	t, err := loadText(job, corpus.Train)
	if err != nil {
		return err
	}
	found := guided.FindPhrases(t.encoded(corpus.Train), t.Labels.N(), t.vocab.Punctuation())
	if err := files.Write(filepath.Join(job.Dir, phrasesFile), func(w io.Writer) error {
		return writePhrases(w, found, t.vocab)
	}); err != nil {
		return err
	}
	return files.Write(filepath.Join(job.Dir, wordsFile), func(w io.Writer) error {
		return writeWords(w, found.LogP, t.vocab)
	})
}

func writePhrases(to io.Writer, found *guided.Phrases, v *corpus.Vocab) error {
	w := bufio.NewWriter(to)
	fmt.Fprintln(w, phrasesHeader)
	byIDs := func(a, b guided.Phrase) int { return slices.Compare(a[:], b[:]) }
	for from := range found.LogP {
		for to := range found.LogP {
			table := found.Counterparts[corpus.Direction{From: from, To: to}]
			for _, p := range slices.SortedFunc(maps.Keys(table), byIDs) {
				for _, c := range table[p] {
					fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%g\t%g\n", from, to, spelling(v, p.IDs()), spelling(v, c.IDs),
						c.Likeness, c.Gain)
				}
			}
		}
	}
	return w.Flush()
}

func spelling(v *corpus.Vocab, ids []int64) string { return strings.Join(v.Decode(ids), " ") }

func writeWords(to io.Writer, logP [][]float64, v *corpus.Vocab) error {
	w := bufio.NewWriter(to)
	for id := range v.Len() {
		fmt.Fprint(w, v.Word(int64(id)))
		for _, logs := range logP {
			fmt.Fprintf(w, "\t%g", logs[id])
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// loadPhrases reads what findPhrases wrote in a folder.
func loadPhrases(dir string, v *corpus.Vocab) (*guided.Phrases, error) {
	found := &guided.Phrases{Counterparts: map[corpus.Direction]map[guided.Phrase][]guided.Counterpart{}}
	path := filepath.Join(dir, wordsFile)
	err := eachRow(path, func(n int, fields []string) string {
		logs, ok := numbersOf(fields[1:])
		if n == 0 {
			found.LogP = make([][]float64, len(logs))
		}
		if word := v.Word(int64(n)); !ok || fields[0] != word || len(logs) != len(found.LogP) {
			return fmt.Sprintf("%q and a number for each style", word)
		}
		for s, x := range logs {
			found.LogP[s] = append(found.LogP[s], x)
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	if len(found.LogP) < 2 || len(found.LogP[0]) != v.Len() {
		return nil, userr.New(userr.BadInput, "%s must have numbers of two styles or more for each of %d words: %s", path,
			v.Len(), runAgain)
	}
	return found, eachRow(filepath.Join(dir, phrasesFile), func(n int, fields []string) string {
		if n == 0 {
			if strings.Join(fields, "\t") != phrasesHeader {
				return strconv.Quote(phrasesHeader)
			}
			return ""
		}
		d, phrase, c, ok := counterpartOf(fields, v, len(found.LogP))
		if !ok {
			return "two styles, a phrase, its counterpart and two numbers"
		}
		table := found.Counterparts[d]
		if table == nil {
			table = map[guided.Phrase][]guided.Counterpart{}
			found.Counterparts[d] = table
		}
		table[phrase] = append(table[phrase], c)
		return ""
	})
}

// counterpartOf parses a line of phrases.tsv. The result "ok" is false if the line is invalid.
func counterpartOf(fields []string, v *corpus.Vocab, styles int) (
	d corpus.Direction, phrase guided.Phrase, c guided.Counterpart, ok bool,
) {
	if len(fields) != strings.Count(phrasesHeader, "\t")+1 {
		return d, phrase, c, false
	}
	from, err := strconv.Atoi(fields[0])
	to, err2 := strconv.Atoi(fields[1])
	numbers, ok := numbersOf(fields[4:])
	ids := v.Encode(strings.Fields(fields[2]))
	c.IDs = v.Encode(strings.Fields(fields[3]))
	for _, p := range [][]int64{ids, c.IDs} {
		ok = ok && len(p) > 0 && len(p) <= guided.LongestPhrase && !slices.Contains(p, corpus.UnkID)
	}
	if !ok || err != nil || err2 != nil || min(from, to) < 0 || max(from, to) >= styles || from == to {
		return d, phrase, c, false
	}
	c.Likeness, c.Gain = numbers[0], numbers[1]
	return corpus.Direction{From: from, To: to}, guided.PhraseOf(ids), c, true
}

// numbersOf parses numbers. The result "ok" is false if one of them is invalid.
func numbersOf(fields []string) (numbers []float64, ok bool) {
	for _, field := range fields {
		x, err := strconv.ParseFloat(field, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, false
		}
		numbers = append(numbers, x)
	}
	return numbers, true
}

// runAgain is the end of a message about a damaged file. It tells the user what to do.
const runAgain = "let run write it again"

// eachRow reads a file of tab-separated values. It calls fn with the number (from 0) and the fields
// of each line. If a line is wrong, fn returns what the line must be.
func eachRow(path string, fn func(n int, fields []string) (must string)) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading %q: %w", path, files.Cause(err))
	}
	for n, line := range strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n") {
		if must := fn(n, strings.Split(line, "\t")); must != "" {
			return userr.New(userr.BadInput, "%s:%d: the line must be %s: %s", path, n+1, must, runAgain)
		}
	}
	return nil
}

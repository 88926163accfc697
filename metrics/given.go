package metrics

import (
	"encoding/csv"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// GivenScores are scores that another program gave to outputs, for example for acceptability.
type GivenScores struct {
	path, sum string
	names     []string                // score names
	scores    map[[2]string][]float64 // (source, output) -> one score per name
}

// givenPrefix begins the key of a given score. The score's name follows.
const givenPrefix = "given."

// ReadGivenScores reads a CSV file with columns "source", "output" and one column per score. Errors
// are userr.BadInput.
func ReadGivenScores(path string) (*GivenScores, error) {
	text, err := files.Read(path)
	if err != nil {
		return nil, userr.New(userr.BadInput, "the scores %q cannot be read (%w): name a CSV file", path, files.Cause(err))
	}
	unmarked := strings.TrimPrefix(string(text), "\ufeff") // byte order mark written by spreadsheets
	reader := csv.NewReader(strings.NewReader(unmarked))
	reader.FieldsPerRecord = -1
	rows, err := reader.ReadAll()
	if err != nil {
		return nil, userr.New(userr.BadInput, "the scores %q: %w: correct the line", path, err)
	}
	if len(rows) == 0 || len(rows[0]) < 3 || rows[0][0] != "source" || rows[0][1] != "output" ||
		len(lists.AddOnce(nil, rows[0]...)) < len(rows[0]) || slices.Contains(rows[0], "") {
		return nil, userr.New(userr.BadInput, "the scores %q must begin with a line such as source,output,fluency, with a "+
			"different name for each score: add it", path)
	}
	g := &GivenScores{path, files.Sum(text), rows[0][2:], map[[2]string][]float64{}}
	for i, row := range rows[1:] {
		if len(row) != len(rows[0]) {
			return nil, userr.New(userr.BadInput, "the scores %q, row %d: it has %s and the first row %d: correct the row", path,
				i+2, wording.Count(len(row), "field"), len(rows[0]))
		}
		scores := make([]float64, len(g.names))
		for k, cell := range row[2:] {
			scores[k], err = strconv.ParseFloat(strings.TrimSpace(cell), 64)
			if err != nil || !finite(scores[k]) {
				return nil, userr.New(userr.BadInput, "the scores %q, row %d: %s is %.20q: give a number", path, i+2, g.names[k], cell)
			}
		}
		pair := [2]string{wording.OneLine(row[0]), wording.OneLine(row[1])}
		if previous, seen := g.scores[pair]; seen && !slices.Equal(previous, scores) {
			return nil, userr.New(userr.BadInput, "the scores %q, row %d: the same source and output had other scores above: "+
				"remove one of the rows", path, i+2)
		}
		g.scores[pair] = scores
	}
	return g, nil
}

// Score looks up the scores of a system's outputs. If the file lacks the scores of some outputs,
// scores is nil and missing is the number of these outputs. Score uses only the styles, Source and
// Output of each Input.
func (g *GivenScores) Score(dirs []Input) (scores *Scores, missing int) {
	records := make([][]Sentence, len(dirs))
	for d, in := range dirs {
		for i, output := range in.Output {
			values, known := g.scores[[2]string{strings.Join(in.Source[i], " "), strings.Join(output, " ")}]
			if !known {
				missing++
				continue
			}
			numbers := map[string][]float64{}
			for k, name := range g.names {
				numbers[givenPrefix+name] = []float64{values[k]}
			}
			records[d] = append(records[d], Sentence{From: in.From, To: in.To, Line: i + 1, Numbers: numbers})
		}
	}
	if missing > 0 {
		return nil, missing
	}
	l := contributionsOf(records)[0]
	all, sums := givenMetrics(l.layout), l.totals()
	scores = &Scores{
		Metrics: overall(all, sums), Signatures: map[string]string{}, Sentences: records,
		Intervals: Intervals(records, Resamples),
	}
	for d, in := range dirs {
		scores.Directions = append(scores.Directions, Direction{From: in.From, To: in.To, Metrics: sums[d].values(all)})
	}
	for _, m := range all {
		scores.Signatures[m.Key] = fmt.Sprintf("%s|by:another-program|file:%s|sha256:%.12s|version:1", m.Head,
			filepath.Base(g.path), g.sum)
	}
	return scores, 0
}

// Missing returns a sentence saying that the file lacks some of a system's outputs.
func (g *GivenScores) Missing(system string, outputs int) string {
	return fmt.Sprintf("%s has no %s: %d of its outputs are not in %s.", system, strings.Join(g.names, " and no "), outputs,
		filepath.Base(g.path))
}

// IsGiven reports whether a metric is a given score.
func IsGiven(key string) bool { return strings.HasPrefix(key, givenPrefix) }

// givenMetrics returns one metric for each key that belongs to a given score, sorted by key. The
// value is the mean over all outputs.
func givenMetrics[V any](keys map[string]V) []*Metric {
	var all []*Metric
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if name, isGiven := strings.CutPrefix(key, givenPrefix); isGiven {
			all = append(all, &Metric{
				Key: key, Head: name, Decimals: 2, Group: GroupOther, pooled: true, tested: true,
				Note:  name + ": the mean of the scores that another program gave the outputs.",
				needs: []string{key}, total: meanOf(key),
			})
		}
	}
	return all
}

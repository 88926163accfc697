package guided

import (
	"encoding/csv"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Rated is an output that readers rated.
type Rated struct {
	Direction string // such as "negative to positive" (corpus.Styles.Name)
	Line      int    // line number of the source, from 1, in the file of dev sentences of its style
	Source    uint32 // Checksum of the source's words
	Edits     []Edit
	Scores    [3][]float64 // for style, content and fluency: each reader's score, 0 to 2
}

// RatedSentences is a set of sentences that have rated outputs. Its keys are directions and words,
// not line numbers, which may change.
type RatedSentences map[ratedSentence]bool

type ratedSentence struct {
	direction string
	checksum  uint32 // the result of Checksum
}

// Add adds the sources of rated outputs.
func (s RatedSentences) Add(rated []Rated) {
	for _, r := range rated {
		s[ratedSentence{r.Direction, r.Source}] = true
	}
}

// Has tells whether a sentence is in the set.
func (s RatedSentences) Has(direction string, words []string) bool {
	return s[ratedSentence{direction, Checksum(words)}]
}

// Edit replaces one word of a source.
type Edit struct {
	Place int      // place of the word in the source, from 0
	New   []string // empty if the word is deleted
}

// Checksum returns the CRC-32 of a sentence, its words joined by spaces.
func Checksum(words []string) uint32 { return crc32.ChecksumIEEE([]byte(strings.Join(words, " "))) }

// ratedHeader is the header of a file of rated outputs. The column "source" has the Checksum in
// hexadecimal. The column "edits" lists, for each edit, its place, the number of new words and the
// new words, separated by spaces: "3 1 great 5 0" has two edits. A score column has one digit per
// reader: 21 means that the first reader gave 2 and the second 1.
var ratedHeader = []string{"direction", "line", "source", "edits", "style", "content", "fluency"}

// firstScore is the index of the first field with scores.
const firstScore = 4

// ReadRated reads a CSV file of rated outputs. The file does not contain sentences. It has the
// direction and line of each source, the edits and the readers' scores. Errors are of kind
// userr.BadInput and name file and line.
func ReadRated(path string) ([]Rated, error) {
	raw, err := files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, userr.New(userr.BadInput, "the file of rated outputs %q does not exist: correct the path", path)
	} else if err != nil {
		return nil, userr.New(userr.BadInput, "the file of rated outputs %q cannot be read (%w): give a readable CSV file", path,
			files.Cause(err))
	}
	c := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(raw), "\ufeff"))) // spreadsheets write a BOM
	c.FieldsPerRecord = -1
	var out []Rated
	for n := 0; ; n++ {
		fields, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, userr.New(userr.BadInput, "rated outputs %s: %w: correct the line", path, err)
		}
		line, _ := c.FieldPos(0)
		if n == 0 {
			if !slices.Equal(fields, ratedHeader) {
				return nil, userr.New(userr.BadInput, "rated outputs %s:%d: the first line must be %s; give a file as "+
					"`smlm-exp human tally` writes it", path, line, strings.Join(ratedHeader, ","))
			}
			continue
		}
		r, problem := ratedOf(fields)
		if problem != "" {
			return nil, userr.New(userr.BadInput, "rated outputs %s:%d: %s", path, line, problem)
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		return nil, userr.New(userr.BadInput, "%s has no rated output below its header: add some", path)
	}
	return out, nil
}

// ratedOf parses the fields of a line. It returns a problem for the user, or "" if there is none.
func ratedOf(fields []string) (r Rated, problem string) {
	if len(fields) != len(ratedHeader) {
		return r, fmt.Sprintf("there are %d fields, but there must be %d", len(fields), len(ratedHeader))
	}
	r.Direction = fields[0]
	line, err := strconv.Atoi(fields[1])
	if err != nil || line < 1 {
		return r, fmt.Sprintf("line is %.20q, but must be a number from 1 on", fields[1])
	}
	r.Line = line
	sum, err := strconv.ParseUint(fields[2], 16, 32)
	if err != nil {
		return r, fmt.Sprintf("source is %.20q, but must be a checksum of eight hexadecimal digits", fields[2])
	}
	r.Source = uint32(sum)
	var right bool
	if r.Edits, right = editsOf(strings.Fields(fields[3])); !right {
		return r, fmt.Sprintf("edits are %.60q, but must be a place, the number of new words and these, in the order of "+
			"places, such as \"3 1 great 5 0\"", fields[3])
	}
	scores := fields[firstScore : firstScore+len(r.Scores)]
	for i, digits := range scores {
		for _, d := range digits {
			if d < '0' || d > '2' {
				return r, fmt.Sprintf("%s is %.20q, but must be one digit from 0 to 2 for each reader, such "+
					"as 21", ratedHeader[firstScore+i], digits)
			}
			r.Scores[i] = append(r.Scores[i], float64(d-'0'))
		}
		if len(digits) == 0 || len(digits) != len(scores[0]) {
			return r, "style, content and fluency must have one digit for each of one or more readers (a spreadsheet " +
				"turns 01 into 1: give the file as `smlm-exp human tally` wrote it)"
		}
	}
	return r, ""
}

// editsOf parses edits. right is false if they are malformed.
func editsOf(fields []string) (edits []Edit, right bool) {
	for len(fields) > 0 {
		if len(fields) < 2 {
			return nil, false
		}
		place, err := strconv.Atoi(fields[0])
		count, err2 := strconv.Atoi(fields[1])
		if err != nil || err2 != nil || count < 0 || count > len(fields)-2 || place < 0 ||
			len(edits) > 0 && place <= edits[len(edits)-1].Place {
			return nil, false
		}
		edits = append(edits, Edit{Place: place, New: fields[2 : 2+count]})
		fields = fields[2+count:]
	}
	return edits, true
}

// Changes returns the edits in the format of the column "edits" of a file of rated outputs.
func (r *Rated) Changes() string {
	var fields []string
	for _, e := range r.Edits {
		fields = append(append(fields, strconv.Itoa(e.Place), strconv.Itoa(len(e.New))), e.New...)
	}
	return strings.Join(fields, " ")
}

// Output returns the words of the output and their places in the source. fits is false if source is
// not the sentence that was rated or the edits do not fit it.
func (r *Rated) Output(source []string) (words []string, places []int, fits bool) {
	edits := r.Edits
	if Checksum(source) != r.Source {
		return nil, nil, false
	}
	for k, word := range source {
		replaced := []string{word}
		if len(edits) > 0 && edits[0].Place == k {
			replaced, edits = edits[0].New, edits[1:]
		}
		words = append(words, replaced...)
		places = append(places, slices.Repeat([]int{k}, len(replaced))...)
	}
	return words, places, len(edits) == 0
}

// WriteRated writes rated outputs in the format that ReadRated reads.
func WriteRated(w io.Writer, rated []Rated) error {
	c := csv.NewWriter(w)
	if err := c.Write(ratedHeader); err != nil {
		return err
	}
	for _, r := range rated {
		fields := []string{r.Direction, strconv.Itoa(r.Line), fmt.Sprintf("%08x", r.Source), r.Changes()}
		for _, scores := range r.Scores {
			digits := ""
			for _, s := range scores {
				digits += strconv.Itoa(int(s))
			}
			fields = append(fields, digits)
		}
		if err := c.Write(fields); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// Pooled merges equal outputs, in the order of first occurrence. A merged output has the scores of
// all its readers.
func Pooled(rated []Rated) (pooled []Rated) {
	type output struct {
		direction string
		source    uint32
		changes   string
	}
	index := map[output]int{}
	for _, r := range rated {
		key := output{r.Direction, r.Source, r.Changes()}
		k, seen := index[key]
		if !seen {
			index[key] = len(pooled)
			pooled = append(pooled, r)
			continue
		}
		for i := range r.Scores {
			pooled[k].Scores[i] = slices.Concat(pooled[k].Scores[i], r.Scores[i])
		}
	}
	return pooled
}

// The method best returns the share of readers who gave the best score, 2, in Scores[score].
func (r *Rated) best(score int) float64 {
	n := 0.0
	for _, s := range r.Scores[score] {
		if s == 2 {
			n++
		}
	}
	return n / float64(len(r.Scores[score]))
}

// Best returns, for style, content and fluency, the share of readers who gave the best score.
func (r *Rated) Best() (shares [3]float64) {
	for k := range shares {
		shares[k] = r.best(k)
	}
	return shares
}

// Total returns the mean over readers of the sum of their scores, 0 to 6.
func (r *Rated) Total() (sum float64) {
	for _, scores := range r.Scores {
		for _, s := range scores {
			sum += s
		}
	}
	return sum / float64(len(r.Scores[0]))
}

// aPoint is the smallest difference between two totals that counts as a whole point. It is slightly
// less than 1: totals are rounded quotients, so a difference of exactly 1 may come out slightly
// smaller.
const aPoint = 1 - 1e-9

// Preferred returns all pairs of outputs of the same sentence whose totals differ by at least 1.
// The arguments sentences and totals have an entry per output. A pair holds two indices, first that
// of the output with the higher total.
func Preferred[S comparable](sentences []S, totals []float64) (pairs [][2]int) {
	bySentence := map[S][]int{}
	for k, s := range sentences {
		for _, other := range bySentence[s] {
			switch {
			case totals[other]-totals[k] >= aPoint:
				pairs = append(pairs, [2]int{other, k})
			case totals[k]-totals[other] >= aPoint:
				pairs = append(pairs, [2]int{k, other})
			}
		}
		bySentence[s] = append(bySentence[s], k)
	}
	return pairs
}

// Right returns the share of pairs whose first output has the higher score. Ties count half.
func Right(pairs [][2]int, score func(k int) float64) (share float64) {
	for _, p := range pairs {
		switch better, worse := score(p[0]), score(p[1]); {
		case better > worse:
			share++
		case better == worse:
			share += .5
		}
	}
	return share / float64(max(len(pairs), 1))
}

package human

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Rating is one reader's rating of one system's output. It contains no sentence, so ratings can be
// published even if the corpus cannot.
type Rating struct {
	Dataset string // name of the data set; "" in files of earlier versions
	Sentence
	System, Reader string
	Scores         [3]int // 0, 1 or 2, in the order of Scales
	// Best is the reader's vote for the best output of the sentence: 1 if this output alone is the
	// best, 1/n if it is one of n equally good best outputs, and 0 otherwise. If the reader finds
	// no output good, Best is 0 for all outputs of the sentence.
	Best float64
}

func (r *Rating) total() int { return r.Scores[0] + r.Scores[1] + r.Scores[2] }

// Ratings are the ratings of all readers.
type Ratings []Rating

var ratingColumns = []string{"split", "direction", "line", "system", "reader", "style", "content", "fluency", "best"}

// ReadRatings reads a CSV file that Write wrote.
func ReadRatings(path string) (Ratings, error) {
	rows, err := readTable(path, ratingColumns)
	if err != nil {
		return nil, err
	}
	return ratingsOf(path, rows)
}

func ratingsOf(path string, rows []row) (all Ratings, err error) {
	for _, row := range rows {
		parseWhole := func(column string, least, most int) int {
			n, parseErr := strconv.Atoi(row.field[column])
			if parseErr != nil || n < least || n > most {
				err = row.errorf("%s is %s, but must be a whole number from %d to %d", column,
					wording.Quoted(row.field[column]), least, most)
			}
			return n
		}
		r := Rating{Dataset: row.field["dataset"], System: row.field["system"], Reader: row.field["reader"]}
		r.Split, r.Direction, r.Line = row.field["split"], row.field["direction"], parseWhole("line", 1, 1<<30)
		for k, scale := range Scales {
			r.Scores[k] = parseWhole(scale.Name, 0, 2)
		}
		best, parseErr := strconv.ParseFloat(row.field["best"], 64)
		if r.Best = best; parseErr != nil || !(best >= 0 && best <= 1) {
			err = row.errorf("best is %s, but must be from 0 to 1", wording.Quoted(row.field["best"]))
		}
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil, userr.New(userr.BadInput, "%s has no ratings", path)
	}
	return all, nil
}

// Write writes the ratings as CSV.
func (r Ratings) Write(w io.Writer) error {
	rows := [][]string{append([]string{"dataset"}, ratingColumns...)}
	for i := range r {
		rating := &r[i]
		fields := []string{
			wording.Cell(rating.Dataset), rating.Split, wording.Cell(rating.Direction), strconv.Itoa(rating.Line),
			wording.Cell(rating.System), wording.Cell(rating.Reader),
		}
		for _, score := range rating.Scores {
			fields = append(fields, strconv.Itoa(score))
		}
		rows = append(rows, append(fields, strconv.FormatFloat(rating.Best, 'g', -1, 64)))
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// Check returns an error if the ratings cannot be counted together: if they are from several data
// sets, or if one reader rated the same output twice.
func (r Ratings) Check() error {
	type ratingKey struct {
		Sentence
		system, reader string
	}
	seen := map[ratingKey]bool{}
	for i := range r {
		rating := &r[i]
		if rating.Dataset != r[0].Dataset {
			return userr.New(userr.BadInput, "the ratings are of the data sets %q and %q: tally them one by one", r[0].Dataset,
				rating.Dataset)
		}
		key := ratingKey{rating.Sentence, rating.System, rating.Reader}
		if seen[key] {
			return userr.New(userr.BadInput, "%q rates the output of %q for the %s sentence %d, %s, twice: give each file once, "+
				"and each reader one name", rating.Reader, rating.System, rating.Split, rating.Line, rating.Direction)
		}
		seen[key] = true
	}
	return nil
}

// Systems returns the rated systems, in the order in which they first occur in the ratings.
func (r Ratings) Systems() []string {
	return distinct(r, func(rating *Rating) string { return rating.System })
}

// Readers returns the readers, in the order in which they first occur in the ratings.
func (r Ratings) Readers() []string {
	return distinct(r, func(rating *Rating) string { return rating.Reader })
}

// Directions returns the directions, in the order in which they first occur in the ratings.
func (r Ratings) Directions() []string {
	return distinct(r, func(rating *Rating) string { return rating.Direction })
}

// Splits returns the splits, in the order in which they first occur in the ratings.
func (r Ratings) Splits() []string {
	return distinct(r, func(rating *Rating) string { return rating.Split })
}

func distinct[K comparable](r Ratings, key func(*Rating) K) (out []K) {
	known := map[K]bool{}
	for i := range r {
		if k := key(&r[i]); !known[k] {
			known[k] = true
			out = append(out, k)
		}
	}
	return out
}

// In returns the ratings of one direction.
func (r Ratings) In(direction string) Ratings {
	return lists.Filter(r, func(rating Rating) bool { return rating.Direction == direction })
}

// Skip returns the sentences that the file at path lists as already rated, so that they are not
// drawn again. The file is a key (see Key) or a CSV file of ratings.
func Skip(path string) (map[Sentence]bool, error) {
	raw, err := read(path, "correct the path")
	if err != nil {
		return nil, err
	}
	out := map[Sentence]bool{}
	if text := bytes.TrimSpace(raw); len(text) > 0 && bytes.IndexByte([]byte("{["), text[0]) >= 0 { // JSON
		var key Key
		if err := json.Unmarshal(raw, &key); err != nil || len(key.Items) == 0 {
			return nil, userr.New(userr.BadInput, "%q is not a key of sheets: give %s or %s", path, keyFile, AnswersFile)
		}
		for _, item := range key.Items {
			out[item.Sentence] = true
		}
		return out, nil
	}
	rows, err := parseTable(path, raw, ratingColumns)
	if err != nil {
		return nil, err
	}
	ratings, err := ratingsOf(path, rows)
	if err != nil {
		return nil, err
	}
	for i := range ratings {
		out[ratings[i].Sentence] = true
	}
	return out, nil
}

package human

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Rating is one reader's rating of one system's output. It contains no sentence, so ratings can be
// published even if the corpus cannot.
type Rating struct {
	Dataset string // "" in files of earlier versions
	Sentence
	System, Reader string
	Scores         [3]int // 0, 1 or 2, in the order of Scales
	// Best is the reader's vote for the best output of the sentence: 1 for the only best one, 1/n
	// for n equally good ones, otherwise 0. It is 0 for all outputs if the reader finds none good.
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
		whole := func(column string, least, most int) int {
			n, wrong := strconv.Atoi(row.field[column])
			if wrong != nil || n < least || n > most {
				err = row.wrong("%s is %s, but must be a whole number from %d to %d", column,
					wording.Quoted(row.field[column]), least, most)
			}
			return n
		}
		r := Rating{Dataset: row.field["dataset"], System: row.field["system"], Reader: row.field["reader"]}
		r.Split, r.Direction, r.Line = row.field["split"], row.field["direction"], whole("line", 1, 1<<30)
		for k, scale := range Scales {
			r.Scores[k] = whole(scale.Name, 0, 2)
		}
		best, wrong := strconv.ParseFloat(row.field["best"], 64)
		if r.Best = best; wrong != nil || !(best >= 0 && best <= 1) {
			err = row.wrong("best is %s, but must be from 0 to 1", wording.Quoted(row.field["best"]))
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
		one := &r[i]
		fields := []string{
			wording.Cell(one.Dataset), one.Split, wording.Cell(one.Direction), strconv.Itoa(one.Line),
			wording.Cell(one.System), wording.Cell(one.Reader),
		}
		for _, score := range one.Scores {
			fields = append(fields, strconv.Itoa(score))
		}
		rows = append(rows, append(fields, strconv.FormatFloat(one.Best, 'g', -1, 64)))
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// Check rejects ratings that cannot be counted together: ratings of several data sets, or two
// ratings of an output by one reader.
func (r Ratings) Check() error {
	type rated struct {
		Sentence
		system, reader string
	}
	seen := map[rated]bool{}
	for i := range r {
		one := &r[i]
		if one.Dataset != r[0].Dataset {
			return userr.New(userr.BadInput, "the ratings are of the data sets %q and %q: tally them one by one", r[0].Dataset,
				one.Dataset)
		}
		of := rated{one.Sentence, one.System, one.Reader}
		if seen[of] {
			return userr.New(userr.BadInput, "%q rates the output of %q for the %s sentence %d, %s, twice: give each file once, "+
				"and each reader one name", one.Reader, one.System, one.Split, one.Line, one.Direction)
		}
		seen[of] = true
	}
	return nil
}

// Systems returns the rated systems in the order of the ratings.
func (r Ratings) Systems() []string {
	return distinct(r, func(one *Rating) string { return one.System })
}

// Readers returns the readers in the order of the ratings.
func (r Ratings) Readers() []string {
	return distinct(r, func(one *Rating) string { return one.Reader })
}

// Directions returns the directions in the order of the ratings.
func (r Ratings) Directions() []string {
	return distinct(r, func(one *Rating) string { return one.Direction })
}

// Splits returns the splits in the order of the ratings.
func (r Ratings) Splits() []string {
	return distinct(r, func(one *Rating) string { return one.Split })
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

// In returns the ratings of a direction.
func (r Ratings) In(direction string) Ratings {
	return lists.Where(r, func(one Rating) bool { return one.Direction == direction })
}

// Skip reads a file that lists sentences to skip because they were already rated. The file is a
// key, a CSV file of ratings, or a JSON list of {"style": 0, "line": 0}. In the list, both numbers
// count from 0, and the sentences belong to split. directions[style] names the directions from a
// style.
func Skip(path, split string, directions [][]string) (map[Sentence]bool, error) {
	raw, err := read(path, "correct the path")
	if err != nil {
		return nil, err
	}
	out := map[Sentence]bool{}
	switch text := bytes.TrimSpace(raw); {
	case bytes.HasPrefix(text, []byte("{")):
		var key Key
		if err := json.Unmarshal(text, &key); err != nil || len(key.Items) == 0 {
			return nil, userr.New(userr.BadInput, "%q is not a key of sheets: give %s, %s, or a list of "+
				`{"style": 0, "line": 0}`, path, keyFile, AnswersFile)
		}
		for _, item := range key.Items {
			out[item.Sentence] = true
		}
	case bytes.HasPrefix(text, []byte("[")):
		var list []struct{ Style, Line *int }
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, userr.New(userr.BadInput, `%q is not a list of {"style": 0, "line": 0} (%w): correct it`, path, err)
		}
		for i, one := range list {
			if one.Style == nil || one.Line == nil || *one.Style < 0 || *one.Style >= len(directions) || *one.Line < 0 {
				return nil, userr.New(userr.BadInput, "%q: entry %d must have a style from 0 to %d, and a line, counted from 0",
					path, i+1, len(directions)-1)
			}
			for _, direction := range directions[*one.Style] {
				out[Sentence{split, direction, *one.Line + 1}] = true
			}
		}
	default:
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
	}
	return out, nil
}

// RatedOutput is an output with the scores of all its readers.
type RatedOutput struct {
	Sentence
	Source, Output string
	Scores         [3][]int // [scale][reader]
}

// Outputs joins ratings with the sentences of their key. It returns each rated output of a sentence
// once, in the order of the key.
func (key *Key) Outputs(r Ratings) (out []RatedOutput) {
	type output struct {
		Sentence
		system string
	}
	of := map[output][]*Rating{}
	for i := range r {
		o := output{r[i].Sentence, r[i].System}
		of[o] = append(of[o], &r[i])
	}
	for _, item := range key.Items {
		for k, text := range item.Outputs {
			ratings := of[output{item.Sentence, key.Systems[k]}]
			if len(ratings) == 0 || slices.Contains(item.Outputs[:k], text) {
				continue
			}
			one := RatedOutput{Sentence: item.Sentence, Source: item.Source, Output: text}
			for _, rating := range ratings {
				for s, score := range rating.Scores {
					one.Scores[s] = append(one.Scores[s], score)
				}
			}
			out = append(out, one)
		}
	}
	return out
}

package human

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Rating is what one reader says of one system's output. It has no sentence in it, so that a file
// of ratings may be kept and handed on where the corpus may not.
type Rating struct {
	Sentence
	System string // as the table of results names it
	Reader string
	// Style, Content and Fluency are 0, 1 or 2; Scales says what each means.
	Style, Content, Fluency int
	// Best is the reader's vote for the best output of the sentence: 1 of the only best one, 1/n of
	// n that are equally good, else 0. Systems that wrote the same have the same.
	Best float64
}

// Sentence names a source sentence, and says what kind it is of.
type Sentence struct {
	Split     string `json:"split"`     // "dev" or "test"
	Direction string `json:"direction"` // "negative to positive"
	Line      int    `json:"line"`      // in its split and style, from 1 on
	Words     int    `json:"words"`
	Negation  bool   `json:"negation"` // see Negates
}

// SentenceOf is a sentence of these words.
func SentenceOf(split, direction string, line int, words []string) Sentence {
	return Sentence{Split: split, Direction: direction, Line: line, Words: len(words), Negation: Negates(words)}
}

// Key is a sentence without what follows from it.
func (s Sentence) Key() Sentence {
	return Sentence{Split: s.Split, Direction: s.Direction, Line: s.Line}
}

// Scale is one of the three things that readers judge, 0 to 2.
type Scale struct {
	Name    string
	Meaning [3]string // of 0, 1 and 2
	of      func(*Rating) *int
}

// Scales are what readers judge of each output, in the order of forms and files.
var Scales = []Scale{
	{
		"style",
		[3]string{"not at all", "in part, mixed or unclear", "the whole sentence now has what is asked"},
		func(r *Rating) *int { return &r.Style },
	},
	{
		"content",
		[3]string{"about something else", "some of it is lost or changed", "all else is kept"},
		func(r *Rating) *int { return &r.Content },
	},
	{
		"fluency",
		[3]string{"broken or nonsense", "understandable, with an error", "grammatical and natural"},
		func(r *Rating) *int { return &r.Fluency },
	},
}

// total is the sum of the three scores.
func (r *Rating) total() int { return r.Style + r.Content + r.Fluency }

// Flawless tells whether all three scores are 2.
func (r *Rating) Flawless() bool { return r.total() == 2*len(Scales) }

// Readings are the ratings of all readers, of any number of samples.
type Readings []Rating

var readingsHeader = []string{
	"split", "direction", "line", "words", "negation", "system", "reader", "style", "content", "fluency", "best",
}

// ReadReadings reads a CSV file that WriteReadings wrote. Errors are userr.BadInput and name file
// and line.
func ReadReadings(path string) (Readings, error) {
	raw, err := files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, userr.New(userr.BadInput, "the file of readings %q does not exist: give one that `smlm-exp human tally` "+
			"wrote", path)
	} else if err != nil {
		return nil, userr.New(userr.BadInput, "the file of readings %q cannot be read (%w): give a readable CSV file", path,
			files.Cause(err))
	}
	return parseReadings(path, string(raw))
}

// parseReadings is ReadReadings of a file's content; name is what errors call it.
func parseReadings(name, text string) (Readings, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	c := csv.NewReader(strings.NewReader(text))
	c.Comma, c.FieldsPerRecord = between([]byte(text), readingsHeader), -1
	var out Readings
	seen := map[Rating]int{}
	for {
		fields, err := c.Read()
		if errors.Is(err, io.EOF) && len(out) > 0 {
			return out, nil
		} else if errors.Is(err, io.EOF) {
			return nil, userr.New(userr.BadInput, "%s has no rating below its header: give a file that `smlm-exp human tally` "+
				"wrote", name)
		} else if err != nil {
			return nil, userr.New(userr.BadInput, "readings %s: %w: correct the line", name, err)
		}
		line, _ := c.FieldPos(0)
		if seen[Rating{}] == 0 { // the header is the first
			if !slices.Equal(fields, readingsHeader) {
				return nil, userr.New(userr.BadInput, "readings %s:%d: the first line must be %s", name, line,
					strings.Join(readingsHeader, ","))
			}
			seen[Rating{}] = line
			continue
		}
		r, what := ratingOf(fields)
		if what != "" {
			return nil, userr.New(userr.BadInput, "readings %s:%d: %s", name, line, what)
		}
		of := Rating{Sentence: r.Key(), System: r.System, Reader: r.Reader}
		if first := seen[of]; first > 0 {
			return nil, userr.New(userr.BadInput, "readings %s:%d: %s rates this output of %s already on line "+
				"%d: keep one of the lines", name, line, wording.Quoted(r.Reader), wording.Quoted(r.System), first)
		}
		seen[of] = line
		out = append(out, r)
	}
}

// ratingOf returns the rating of a line's fields, or what is wrong with them.
func ratingOf(fields []string) (r Rating, wrong string) {
	if len(fields) != len(readingsHeader) {
		return r, fmt.Sprintf("the line has %s, but must have %d: %s", wording.Count(len(fields), "field"),
			len(readingsHeader), strings.Join(readingsHeader, ","))
	}
	for i := range fields {
		fields[i] = wording.OfCell(strings.TrimSpace(fields[i]))
	}
	whole := func(i, least, most int) (n int) {
		n, err := strconv.Atoi(fields[i])
		if wrong == "" && (err != nil || n < least || n > most) {
			wrong = fmt.Sprintf("%s is %s, but must be a whole number from %d to %d", readingsHeader[i],
				wording.Quoted(fields[i]), least, most)
		}
		return n
	}
	r.Split, r.Direction, r.System, r.Reader = fields[0], fields[1], fields[5], fields[6]
	for i, text := range []string{r.Split, r.Direction, r.System, r.Reader} {
		if text == "" && wrong == "" {
			wrong = []string{"split", "direction", "system", "reader"}[i] + " is empty"
		}
	}
	const many = 1 << 30
	r.Line, r.Words, r.Negation = whole(2, 1, many), whole(3, 0, many), whole(4, 0, 1) == 1
	for i, s := range Scales {
		*s.of(&r) = whole(7+i, 0, 2)
	}
	var err error
	if r.Best, err = strconv.ParseFloat(fields[10], 64); wrong == "" && (err != nil || !(r.Best >= 0 && r.Best <= 1)) {
		wrong = fmt.Sprintf("best is %s, but must be from 0 to 1", wording.Quoted(fields[10]))
	}
	return r, wrong
}

// Write writes the ratings as CSV.
func (r Readings) Write(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write(readingsHeader) // Flush says what went wrong
	for i := range r {
		one := &r[i]
		negation := "0"
		if one.Negation {
			negation = "1"
		}
		row := []string{
			one.Split, wording.Cell(one.Direction), strconv.Itoa(one.Line), strconv.Itoa(one.Words), negation,
			wording.Cell(one.System), wording.Cell(one.Reader),
		}
		for _, s := range Scales {
			row = append(row, strconv.Itoa(*s.of(one)))
		}
		_ = out.Write(append(row, strconv.FormatFloat(one.Best, 'g', 6, 64)))
	}
	out.Flush()
	return out.Error()
}

// OnceEach refuses ratings of several files in which a reader rates an output twice.
func (r Readings) OnceEach() error {
	seen := map[Rating]bool{}
	for i := range r {
		of := Rating{Sentence: r[i].Key(), System: r[i].System, Reader: r[i].Reader}
		if seen[of] {
			return userr.New(userr.BadInput, "the files of readings contain the output of %s for line %d, %s, "+
				"by %s twice: give readers of different samples different names, or leave a file out", wording.Quoted(of.System), of.Line,
				of.Direction, wording.Quoted(of.Reader))
		}
		seen[of] = true
	}
	return nil
}

// Systems lists the systems in the order of their first ratings.
func (r Readings) Systems() []string {
	return distinct(r, func(one *Rating) string { return one.System })
}

// Readers lists the readers in the order of their first ratings.
func (r Readings) Readers() []string {
	return distinct(r, func(one *Rating) string { return one.Reader })
}

func distinct[K comparable](r Readings, of func(*Rating) K) (out []K) {
	known := map[K]bool{}
	for i := range r {
		if k := of(&r[i]); !known[k] {
			known[k] = true
			out = append(out, k)
		}
	}
	return out
}

// Where returns the ratings of sentences of a kind.
func (r Readings) Where(kind func(Sentence) bool) (out Readings) {
	for i := range r {
		if kind(r[i].Sentence) {
			out = append(out, r[i])
		}
	}
	return out
}

// negations are English words that deny; "n't" stands apart in the published corpora and ends a
// word in others.
var negations = []string{
	"no", "not", "never", "none", "nobody", "nothing", "nowhere", "neither", "nor", "cannot", "without", "hardly",
}

// Negates tells whether a sentence has an English word that denies: one of negations, or one that
// ends in "n't".
func Negates(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		w = strings.ReplaceAll(strings.ToLower(w), "’", "'")
		return slices.Contains(negations, w) || strings.HasSuffix(w, "n't")
	})
}

// Kind is a kind of sentences that readings are looked at by.
type Kind struct {
	Name string
	Has  func(Sentence) bool
}

// shortWords is the most words of a short sentence.
const shortWords = 8

// Kinds are all sentences, those with and without a negation, short and long ones, and each
// direction; kinds that none or all of the sentences are of are left out.
func (r Readings) Kinds() []Kind {
	all := Kind{"all", func(Sentence) bool { return true }}
	kinds := []Kind{
		{"negation in the source", func(s Sentence) bool { return s.Negation }},
		{"no negation", func(s Sentence) bool { return !s.Negation }},
		{fmt.Sprintf("at most %d words", shortWords), func(s Sentence) bool { return s.Words <= shortWords }},
		{fmt.Sprintf("more than %d words", shortWords), func(s Sentence) bool { return s.Words > shortWords }},
	}
	for _, d := range distinct(r, func(one *Rating) string { return one.Direction }) {
		kinds = append(kinds, Kind{d, func(s Sentence) bool { return s.Direction == d }})
	}
	sentences := distinct(r, func(one *Rating) Sentence { return one.Sentence })
	kinds = slices.DeleteFunc(kinds, func(k Kind) bool {
		some := slices.ContainsFunc(sentences, k.Has)
		return !some || !slices.ContainsFunc(sentences, func(s Sentence) bool { return !k.Has(s) })
	})
	return append([]Kind{all}, kinds...)
}

// bySentence returns the ratings of some systems by sentence, in the order of sentences.
func (r Readings) bySentence(systems ...string) [][]*Rating {
	of := map[Sentence][]*Rating{}
	for i := range r {
		if slices.Contains(systems, r[i].System) {
			of[r[i].Key()] = append(of[r[i].Key()], &r[i])
		}
	}
	var out [][]*Rating
	for _, key := range distinct(r, func(one *Rating) Sentence { return one.Key() }) {
		if ratings := of[key]; len(ratings) > 0 {
			slices.SortStableFunc(ratings, func(a, b *Rating) int { return cmp.Compare(a.Reader, b.Reader) })
			out = append(out, ratings)
		}
	}
	return out
}

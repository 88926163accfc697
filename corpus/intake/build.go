package intake

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// fewestStyles are the fewest that rows may have. The most are corpus.MostStyles: whoever takes a
// column of texts or numbers for that of labels has many more.
const fewestStyles = 2

// Options say how rows become a data set.
type Options struct {
	// Labels are the styles in order, each as files spell it; empty: as found, sorted.
	Labels []string
	// BothWays says that of pairs the source is a reference of its rewrites too.
	BothWays bool
	// Cutting is how texts are cut into words.
	Cutting corpus.Cutting
	// Dev and Test are the shares of all sentences that go there, where rows have no split.
	Dev, Test float64
	Seed      uint64
}

// Counts say what became of the rows.
type Counts struct {
	Rows         int      `json:"rows"`
	Taken        int      `json:"taken"`
	Repeats      int      `json:"repeats"`        // rows whose words another row of the style has
	Both         int      `json:"both"`           // sentences of several styles, of which none is taken
	Leaks        int      `json:"leaks"`          // training or dev rows whose words are in a later split too
	Refused      int      `json:"refused"`        // rows that cannot be cut into words
	FirstRefused []string `json:"firstRefused"`   // why, of the first three
	Lost         int      `json:"lost,omitempty"` // rows with U+FFFD, which stands for letters that were lost
	// Alone are test rows of a style with references that have none.
	Alone int `json:"alone,omitempty"`
}

// Set collects rows.
type Set struct {
	Options
	Counts Counts
	// References are sets of people's rewrites of the test sentences, each by direction as
	// corpus.Dataset has its Refs; of a sentence with fewer than others the last is repeated.
	// Dataset finds them, where there are pairs.
	References [][][]corpus.Sentence
	rows       []row
	pairs      []pair
	labels     []string
	first      map[string]int // by words: the row that has them
	// by style as in labels: rows that cannot be cut into words, and why the first of them
	refused      []int
	firstRefused []string
	leaks        int // of pairs, among those of Counts
}

type row struct {
	words corpus.Sentence
	label int
	split corpus.Split
	of    uint64 // the styles that have these words, a bit each: at most corpus.MostStyles
	alone bool   // it stands in a row that is no pair
	named bool   // a row says its split
}

// both tells whether several styles have the words.
func (r *row) both() bool { return bits.OnesCount64(r.of) > 1 }

// New returns an empty Set; the error is of options that no data can meet.
func New(o Options) (*Set, error) {
	n := len(o.Labels)
	if n != 0 && (n < fewestStyles || n > corpus.MostStyles || len(lists.AddOnce(nil, o.Labels...)) < n) {
		return nil, userr.New(userr.BadInput, "the labels are %s: give %d to %d different ones",
			wording.Clip(strings.Join(o.Labels, ", "), mostShown), fewestStyles, corpus.MostStyles)
	}
	if !(o.Dev > 0 && o.Test > 0 && o.Dev+o.Test < 1) {
		return nil, userr.New(userr.BadInput, "the shares of dev and test are %v and %v: both must be above 0 "+
			"and leave something to train on", o.Dev, o.Test)
	}
	for _, label := range o.Labels {
		if err := checkLabel(label); err != nil {
			return nil, userr.New(userr.BadInput, "%w: name the style without it", err)
		}
	}
	return &Set{
		Options: o, labels: slices.Clone(o.Labels), first: map[string]int{},
		refused: make([]int, n), firstRefused: make([]string, n),
	}, nil
}

// Add takes a row. The error is of a label that is not meant or an unknown split; a text that
// cannot be cut into words is counted. Of pairs, source and rewrites are of the first two styles.
func (s *Set) Add(r Row) error {
	if r.Rewrites != nil {
		return s.addPair(r)
	}
	label, err := s.label(r)
	if err != nil {
		s.Counts.Rows++
		return err
	}
	at, err := s.take(r, r.Text, label)
	if at >= 0 {
		s.rows[at].alone = true
	}
	return err
}

// take takes a text of a row and returns which of the set's rows has its words, below 0 where it
// cannot be cut into words.
func (s *Set) take(r Row, text string, label int) (at int, err error) {
	s.Counts.Rows++
	words, err := corpus.Sentence(nil), r.Unreadable
	if err == nil {
		words, err = s.Cutting.Tokenize(text)
	}
	if err == nil {
		err = corpus.CheckWords(words)
	}
	if err != nil {
		why := fmt.Sprintf("%s:%d: %v", r.Path, r.Line, err)
		if s.Counts.Refused++; s.Counts.Refused <= 3 {
			s.Counts.FirstRefused = append(s.Counts.FirstRefused, why)
		}
		if s.refused[label]++; s.refused[label] == 1 {
			s.firstRefused[label] = why
		}
		return -1, nil
	}
	text = strings.Join(words, " ")
	if strings.ContainsRune(text, utf8.RuneError) {
		s.Counts.Lost++
	}
	split := s.splitOf(text)
	if r.Split != "" {
		if split, err = splitNamed(r); err != nil {
			return 0, err
		}
	}
	at, known := s.first[text]
	if !known {
		at = len(s.rows)
		s.first[text] = at
		s.rows = append(s.rows, row{words: words, label: label, split: split, of: 1 << label, named: r.Split != ""})
		return at, nil
	}
	old := &s.rows[at]
	old.of |= 1 << label
	old.named = old.named || r.Split != ""
	switch {
	case old.label != label: // it is in no split
	case old.split != split: // what is measured on stays, what is trained on goes
		old.split = max(old.split, split)
		s.Counts.Leaks++
	default:
		s.Counts.Repeats++
	}
	return at, nil
}

func (s *Set) label(r Row) (int, error) {
	name := strings.TrimSpace(r.Label)
	i := slices.Index(s.labels, name)
	switch {
	case i >= 0:
		return i, nil
	case name == "":
		return 0, userr.New(userr.BadInput, "%s:%d: the row has no label: add it, or name the right column "+
			"with --label-column",
			r.Path, r.Line)
	case len(s.Labels) > 0:
		return 0, userr.New(userr.BadInput, "%s:%d: the label %q is none of %s: name it with --label too, or "+
			"remove its rows", r.Path, r.Line, name, wording.Clip(strings.Join(s.Labels, ", "), mostShown))
	case len(s.labels) == corpus.MostStyles:
		return 0, userr.New(userr.BadInput, "%s:%d: with the label %q there are more than %d: name the column "+
			"of labels with --label-column, or remove some", r.Path, r.Line, name, corpus.MostStyles)
	}
	if err := checkLabel(name); err != nil {
		return 0, userr.New(userr.BadInput, "%s:%d: %w: remove it", r.Path, r.Line, err)
	}
	s.labels, s.refused, s.firstRefused = append(s.labels, name), append(s.refused, 0), append(s.firstRefused, "")
	return len(s.labels) - 1, nil
}

// checkLabel refuses a name that would break the tables of results.
func checkLabel(name string) error {
	if !utf8.ValidString(name) || strings.ContainsRune(name, utf8.RuneError) {
		return fmt.Errorf("the label %q contains bytes that are not UTF-8", name)
	}
	if c := wording.Control(name); c >= 0 {
		return fmt.Errorf("the label %q contains the control character %U, which no table can show", name, c)
	}
	return nil
}

// splitNamed reads the name of a split as data sets have it.
func splitNamed(r Row) (corpus.Split, error) {
	switch strings.ToLower(strings.TrimSpace(r.Split)) {
	case "train", "training":
		return corpus.Train, nil
	case "dev", "valid", "validation", "val":
		return corpus.Dev, nil
	case "test":
		return corpus.Test, nil
	}
	return 0, userr.New(userr.BadInput, "%s:%d: the split %q is unknown: use train, dev or test", r.Path, r.Line, r.Split)
}

// splitOf draws a sentence's split from its words and the seed alone, so that more data or another
// order move no sentence.
func (s *Set) splitOf(text string) corpus.Split {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s", s.Seed, text))
	u := float64(binary.BigEndian.Uint64(sum[:8])>>11) / (1 << 53)
	switch {
	case u < s.Test:
		return corpus.Test
	case u < s.Test+s.Dev:
		return corpus.Dev
	}
	return corpus.Train
}

// Dataset returns what was taken, in the order of the rows. The error names a part without a
// sentence.
func (s *Set) Dataset(name string) (*corpus.Dataset, error) {
	if len(s.labels) < fewestStyles {
		return nil, userr.New(userr.BadInput, "the data have %s with %s: at least two styles are needed",
			wording.Count(s.Counts.Rows, "row"), cmp.Or(strings.Join(s.labels, ""), "no label"))
	}
	styles := corpus.Styles(slices.Clone(s.labels))
	if len(s.Labels) == 0 {
		slices.Sort(styles)
	}
	d := corpus.NewDataset(name, styles)
	s.Counts.Both, s.Counts.Taken = 0, 0
	p := s.place()
	s.Counts.Leaks, s.Counts.Alone = s.Counts.Leaks-s.leaks+p.leaks, p.alone
	s.leaks = p.leaks
	var tests []int // of p.rewrites
	for i, r := range s.rows {
		if r.both() {
			s.Counts.Both++
			continue
		}
		if p.left[i] {
			continue
		}
		s.Counts.Taken++
		style := styles.Index(s.labels[r.label])
		d.Text[p.split[i]][style] = append(d.Text[p.split[i]][style], r.words)
		if p.split[i] == corpus.Test {
			tests = append(tests, i)
		}
	}
	s.References = s.references(styles, tests, p.rewrites)
	for _, split := range corpus.Splits {
		for style, text := range d.Text[split] {
			if len(text) == 0 {
				return nil, s.lacks(slices.Index(s.labels, styles[style]), split)
			}
		}
	}
	return d, nil
}

// Several is what to call more than one of some styles.
func Several(styles []string) string {
	if len(styles) == 2 {
		return "both"
	}
	return "several"
}

// lacks says why a style has no sentence in a split: what was left out of it, and what to do.
func (s *Set) lacks(label int, split corpus.Split) error {
	all, both := 0, 0
	for _, r := range s.rows {
		if r.of&(1<<label) == 0 {
			continue
		}
		if all++; r.both() {
			both++
		}
	}
	do := "give more data or other shares"
	why := []string{fmt.Sprintf("different sentences: %d, taken: %d", all, all-both)}
	if both > 0 {
		do = "give each style its own texts"
		why = append(why, fmt.Sprintf("left out because they occur in %s styles: %d", Several(s.labels), both))
	}
	if n := s.refused[label]; n > 0 {
		do = "correct the refused rows"
		why = append(why, fmt.Sprintf("rows that cannot be cut into words: %d, the first %s", n, s.firstRefused[label]))
	}
	return userr.New(userr.BadInput, "no sentence in the style %s is left for %s (%s): %s", s.labels[label], split,
		strings.Join(why, "; "), do)
}

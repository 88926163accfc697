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
	// NoStyle are labels of texts that have none of the styles: these become dev and test
	// sentences. "" stands for rows without a label.
	NoStyle []string
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
	// NoStyle are training rows of no style, from which nothing can be learnt.
	NoStyle int `json:"noStyle,omitempty"`
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
	labels     []string       // None among them, where there are texts of no style
	none       int            // its place, -1 where there is none yet
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
	styles := lists.Where(o.Labels, func(label string) bool { return !slices.Contains(o.NoStyle, label) })
	if n != 0 && (len(styles) < fewestStyles || n > corpus.MostStyles || len(lists.AddOnce(nil, o.Labels...)) < n) {
		of := ""
		if len(o.NoStyle) > 0 {
			of = ", which have a style"
		}
		return nil, userr.New(userr.BadInput, "the labels are %s: give %d to %d different ones%s",
			wording.Clip(strings.Join(styles, ", "), mostShown), fewestStyles, corpus.MostStyles, of)
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
	s := &Set{Options: o, none: -1, first: map[string]int{}}
	for _, label := range o.Labels {
		if _, err := s.addLabel(label); err != nil {
			return nil, err
		}
	}
	if o.BothWays && s.none == from {
		return nil, userr.New(userr.BadInput, "--both-ways would make texts of no style the references of "+
			"others: leave it out")
	}
	return s, nil
}

// addLabel adds a label and returns its place. All labels of no style are one.
func (s *Set) addLabel(label string) (int, error) {
	none := slices.Contains(s.NoStyle, label)
	switch {
	case none && s.none >= 0:
		return s.none, nil
	case label == corpus.None && len(s.NoStyle) > 0:
		return 0, userr.New(userr.BadInput, "the label %q is what texts of no style are called: rename the style, or "+
			"give --no-style %s too if it is none", label, label)
	case none && len(s.labels) == corpus.MostStyles:
		return 0, userr.New(userr.BadInput, "there are %d styles, and texts of no style: remove some", corpus.MostStyles)
	}
	if none {
		s.none, label = len(s.labels), corpus.None
	}
	s.labels, s.refused, s.firstRefused = append(s.labels, label), append(s.refused, 0), append(s.firstRefused, "")
	return len(s.labels) - 1, nil
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
	if label == s.none {
		split = s.untrainedSplitOf(text)
	}
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
	if slices.Contains(s.NoStyle, name) {
		return s.addLabel(name)
	}
	i := slices.Index(s.labels, name)
	switch {
	case i >= 0 && i != s.none:
		return i, nil
	case name == "":
		return 0, userr.New(userr.BadInput, "%s:%d: the row has no label: add it, name the right column "+
			"with --label-column, or give --unlabelled if such texts have none of the styles",
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
	return s.addLabel(name)
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
	switch u := s.draw(text); {
	case u < s.Test:
		return corpus.Test
	case u < s.Test+s.Dev:
		return corpus.Dev
	}
	return corpus.Train
}

// untrainedSplitOf is splitOf of sentences of no style: dev and test share all of them.
func (s *Set) untrainedSplitOf(text string) corpus.Split {
	if s.draw(text) < s.Test/(s.Test+s.Dev) {
		return corpus.Test
	}
	return corpus.Dev
}

// draw draws a number below 1 from a sentence's words and the seed.
func (s *Set) draw(text string) float64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s", s.Seed, text))
	return float64(binary.BigEndian.Uint64(sum[:8])>>11) / (1 << 53)
}

// Dataset returns what was taken, in the order of the rows. The error names a part without a
// sentence.
func (s *Set) Dataset(name string) (*corpus.Dataset, error) {
	styles := corpus.Styles(slices.Clone(s.labels))
	if s.none >= 0 {
		styles = slices.Delete(styles, s.none, s.none+1)
	}
	if len(styles) < fewestStyles {
		return nil, userr.New(userr.BadInput, "the data have %s with %s: at least two styles are needed",
			wording.Count(s.Counts.Rows, "row"), cmp.Or(strings.Join(styles, ""), "no style"))
	}
	if len(s.Labels) == 0 {
		slices.Sort(styles)
	}
	d := corpus.NewDataset(name, styles)
	s.Counts.Both, s.Counts.Taken, s.Counts.NoStyle = 0, 0, 0
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
		if r.label == s.none && p.split[i] == corpus.Train {
			s.Counts.NoStyle++
			continue
		}
		s.Counts.Taken++
		if p.split[i] == corpus.Test {
			tests = append(tests, i)
		}
		if r.label == s.none {
			d.NoStyle[p.split[i]] = append(d.NoStyle[p.split[i]], r.words)
			continue
		}
		style := styles.Index(s.labels[r.label])
		d.Text[p.split[i]][style] = append(d.Text[p.split[i]][style], r.words)
	}
	s.References = s.references(styles, tests, p.rewrites)
	for _, split := range corpus.Splits {
		for style, text := range d.Text[split] {
			if len(text) == 0 {
				return nil, s.lacks(slices.Index(s.labels, styles[style]), split)
			}
		}
		if s.none >= 0 && split != corpus.Train && len(d.NoStyle[split]) == 0 {
			return nil, s.lacks(s.none, split)
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
	in := "in the style " + s.labels[label]
	if label == s.none {
		in = "of no style"
	}
	return userr.New(userr.BadInput, "no sentence %s is left for %s (%s): %s", in, split,
		strings.Join(why, "; "), do)
}

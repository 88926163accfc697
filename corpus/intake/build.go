package intake

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// minStyles is the minimum number of styles. The maximum is corpus.MaxStyles. If data have more
// styles, the user has probably given a column of texts or numbers as the label column.
const minStyles = 2

// Options say how rows become a data set.
type Options struct {
	// Labels are the styles in order, spelt as in the files. Without labels, the styles are those
	// found in the files, sorted.
	Labels []string
	// Cutting says how texts are cut into words.
	Cutting corpus.Cutting
	// Dev and Test are the shares of sentences that go to these two splits. They apply to sentences
	// whose rows name no split.
	Dev, Test float64
	Seed      uint64
}

// maxNotUTF8 is the maximum percentage of texts that may be in another encoding than UTF-8. If
// there are more, a whole file is probably in that encoding.
const maxNotUTF8 = 10

// Counts say what became of the texts.
type Counts struct {
	Rows    int `json:"rows"`
	Taken   int `json:"taken"`
	Repeats int `json:"repeats"`           // texts that repeat another text of their style
	Leaks   int `json:"leaks"`             // texts left out because they or their pair are also in a later split
	Refused int `json:"refused"`           // texts that cannot be cut into words
	NotUTF8 int `json:"notUtf8,omitempty"` // texts that are not UTF-8; Refused includes them
	Alone   int `json:"alone,omitempty"`   // test sources without a rewrite, if a row names their split
	Both    int `json:"both"`              // texts that occur in several styles
	Changed int `json:"changed,omitempty"` // rows with a text or label that wording.Normal changes
	// FirstRefused names the file and line of the first text that cannot be cut into words, and the
	// reason.
	FirstRefused string `json:"firstRefused,omitempty"`
}

// Set collects rows.
type Set struct {
	Options
	// Counts are complete when Dataset has returned.
	Counts Counts
	// References are sets of human rewrites of the test sentences. Each set is ordered by
	// direction, like Refs of corpus.Dataset. If a sentence has fewer rewrites than there are sets,
	// the other sets repeat its last rewrite. Without pairs, References is nil.
	References [][][]corpus.Sentence
	rows       []row
	pairs      []pair
	labels     []string
	first      map[string]int // maps words to the index of their row
	added      Counts         // the counts that Add updates
}

type row struct {
	words    corpus.Sentence
	label    int
	split    corpus.Split
	styles   uint64 // bit i is set if style i has these words; there are at most corpus.MaxStyles = 64 styles
	unpaired bool   // set if the words occur in a row that is not a pair
	named    bool   // set if a row with these words names a split
}

// inSeveralStyles reports whether several styles have the words of the row.
func (r *row) inSeveralStyles() bool { return bits.OnesCount64(r.styles) > 1 }

// New returns an empty Set, or an error if no data can meet the options.
func New(o Options) (*Set, error) {
	n, normal := len(o.Labels), lists.Map(o.Labels, wording.Normal)
	if n != 0 && (n < minStyles || n > corpus.MaxStyles || len(lists.AddOnce(nil, normal...)) < n) {
		return nil, userr.New(userr.BadInput, "the labels are %s: give %d to %d different ones",
			wording.Clip(strings.Join(o.Labels, ", "), maxShown), minStyles, corpus.MaxStyles)
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
	o.Labels = normal
	return &Set{Options: o, labels: slices.Clone(o.Labels), first: map[string]int{}}, nil
}

// Add adds a row. It fails for a bad label or an unknown split. It counts texts that cannot be cut
// into words. In a pair, the source has the first style, and the rewrites have the second style.
func (s *Set) Add(r Row) error {
	if slices.ContainsFunc(append([]string{r.Text, r.Label}, r.Rewrites...), func(text string) bool {
		return utf8.ValidString(text) && wording.Normal(text) != text
	}) {
		s.added.Changed++
	}
	if r.Rewrites != nil {
		return s.addPair(r)
	}
	label, err := s.label(r)
	if err != nil {
		return err
	}
	index, err := s.addText(r, r.Text, label)
	if index >= 0 {
		s.rows[index].unpaired = true
	}
	return err
}

// addText adds a text of r and returns the index of its words in s.rows, or -1 if the text cannot
// be cut into words.
func (s *Set) addText(r Row, text string, label int) (index int, err error) {
	s.added.Rows++
	if !utf8.ValidString(text) {
		s.added.NotUTF8++
	}
	words, err := s.Cutting.Tokenize(text)
	if err == nil {
		err = corpus.CheckWords(words)
	}
	text = strings.Join(words, " ")
	if err == nil && strings.ContainsRune(text, utf8.RuneError) {
		err = errors.New("the character U+FFFD replaces letters lost in a conversion: convert the file to UTF-8 " +
			"again from its source")
	}
	if err != nil {
		if s.added.Refused++; s.added.Refused == 1 {
			s.added.FirstRefused = fmt.Sprintf("%s:%d: %v", r.Path, r.Line, err)
		}
		return -1, nil
	}
	split := s.splitOf(text)
	if r.Split != "" {
		if split, err = splitNamed(r); err != nil {
			return 0, err
		}
	}
	index, known := s.first[text]
	if !known {
		index = len(s.rows)
		s.first[text] = index
		s.rows = append(s.rows, row{words: words, label: label, split: split, styles: 1 << label, named: r.Split != ""})
		return index, nil
	}
	old := &s.rows[index]
	old.styles |= 1 << label
	old.named = old.named || r.Split != ""
	switch {
	case old.label != label: // a text of several styles goes to no split
	case old.split != split: // the later split keeps the text
		old.split = max(old.split, split)
		s.added.Leaks++
	default:
		s.added.Repeats++
	}
	return index, nil
}

func (s *Set) label(r Row) (int, error) {
	name := strings.TrimSpace(r.Label)
	if i := slices.Index(s.labels, name); i >= 0 { // the usual case
		return i, nil
	}
	if err := checkLabel(name); err != nil {
		return 0, userr.New(userr.BadInput, "%s:%d: %w: remove it", r.Path, r.Line, err)
	}
	name = strings.TrimSpace(wording.Normal(name))
	i := slices.Index(s.labels, name)
	like := slices.IndexFunc(s.labels, func(label string) bool { return plainLabel(label) == plainLabel(name) })
	switch {
	case i >= 0:
		return i, nil
	case like >= 0 && len(s.Labels) == 0:
		return 0, userr.New(userr.BadInput, "%s:%d: the labels %q and %q differ only in letter case, in spaces or in how "+
			"a character or number is written: write one style in one way, or name both with --label if they are two styles", r.Path, r.Line, s.labels[like], name)
	case len(s.Labels) == 0 && isMissing(name):
		return 0, userr.New(userr.BadInput, "%s:%d: the label %q is how programs write a missing value: remove the row, or "+
			"name it with --label if it is a style", r.Path, r.Line, name)
	case name == "":
		return 0, userr.New(userr.BadInput, "%s:%d: the row has no label: add it, or name the right column "+
			"with --label-column",
			r.Path, r.Line)
	case len(s.Labels) > 0:
		return 0, userr.New(userr.BadInput, "%s:%d: the label %q is none of %s: correct or remove its rows, or name it "+
			"with --label too if it is a third style", r.Path, r.Line, name, wording.Clip(strings.Join(s.Labels, ", "), maxShown))
	case len(s.labels) == corpus.MaxStyles:
		return 0, userr.New(userr.BadInput, "%s:%d: with the label %q there are more than %d: name the column "+
			"of labels with --label-column, or remove some", r.Path, r.Line, name, corpus.MaxStyles)
	}
	s.labels = append(s.labels, name)
	return len(s.labels) - 1, nil
}

// plainLabel returns a label without differences of letter case, of spaces and between forms of a
// character, such as full-width letters. It returns a number such as 1.0 or 1e0 as 1, but not a
// code such as 01 or one of many digits. Labels with the same result are easily mistaken for each
// other.
func plainLabel(label string) string {
	const exactDigits = 15 // a float64 is exact for as many
	label = strings.Join(strings.Fields(norm.NFKC.String(label)), " ")
	isCode := len(label) > exactDigits || len(label) > 1 && label[0] == '0' && label[1] >= '0' && label[1] <= '9'
	if number, err := strconv.ParseFloat(label, 64); err == nil && !isCode {
		return strconv.FormatFloat(number, 'g', -1, 64)
	}
	return cases.Fold().String(label)
}

// isMissing reports whether a label is what programs write if a value is missing.
func isMissing(label string) bool {
	return slices.Contains([]string{"nan", "null", "none", "na", "n/a", "#n/a", "<na>"}, strings.ToLower(label))
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

// splitNamed parses the name of a split, in the spellings that data sets use.
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

// splitOf chooses the split of a sentence from its words and the seed alone. So a sentence stays in
// its split if rows are added or reordered.
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

// Dataset returns the accepted texts as a data set, in row order. It fails if there are fewer than
// two styles, or if a style has no sentence in a split.
func (s *Set) Dataset(name string) (*corpus.Dataset, error) {
	if len(s.labels) < minStyles {
		return nil, userr.New(userr.BadInput, "the data have %s with %s: at least two styles are needed",
			wording.Count(s.added.Rows, "row"), cmp.Or(strings.Join(s.labels, ""), "no label"))
	}
	styles := corpus.Styles(slices.Clone(s.labels))
	if len(s.Labels) == 0 {
		slices.Sort(styles)
	}
	n := s.added
	if 100*n.NotUTF8 > maxNotUTF8*n.Rows {
		return nil, userr.New(userr.BadInput, "%d of %s are not UTF-8: convert the files, for example with iconv -f LATIN1 "+
			"-t UTF-8", n.NotUTF8, wording.Count(n.Rows, "text"))
	}
	d := corpus.NewDataset(name, styles)
	p := s.place()
	var tests []int // indices in s.rows of the test sentences
	for i, r := range s.rows {
		if r.inSeveralStyles() || p.leftOut[i] {
			continue
		}
		n.Taken++
		style := styles.Index(s.labels[r.label])
		d.Text[p.split[i]][style] = append(d.Text[p.split[i]][style], r.words)
		if p.split[i] == corpus.Test {
			tests = append(tests, i)
		}
	}
	n.Leaks += p.leaks
	n.Alone = p.unpaired
	n.Both = n.Rows - n.Taken - n.Repeats - n.Leaks - n.Refused - n.Alone
	s.Counts, s.References = n, s.references(styles, tests, p.rewrites)
	for _, split := range corpus.Splits {
		for style, text := range d.Text[split] {
			if len(text) == 0 {
				reasons := s.LeftOut()
				if n.Refused > 0 {
					reasons += "; the first that cannot be cut is " + n.FirstRefused
				}
				return nil, userr.New(userr.BadInput, "no sentence in the style %s is left for %s (%s): give more "+
					"texts that occur in one style only, or other shares", styles[style], split, reasons)
			}
		}
	}
	return d, nil
}

// LeftOut says in words how many texts were left out, and why.
func (s *Set) LeftOut() string {
	n := &s.Counts
	several := "several"
	if len(s.labels) == minStyles {
		several = "both"
	}
	var reasons []string
	for _, reason := range []struct {
		texts       int
		description string
	}{
		{n.Repeats, "that repeat another one of their style"},
		{n.Leaks, "that are also in a later split"},
		{n.NotUTF8, "that are not UTF-8"},
		{n.Refused - n.NotUTF8, "that cannot be cut into words"},
		{n.Alone, "without a rewrite, for the test set"},
		{n.Both, "that occur in " + several + " styles"},
	} {
		if reason.texts > 0 {
			reasons = append(reasons, fmt.Sprintf("%d %s", reason.texts, reason.description))
		}
	}
	unit := "row"
	if len(s.pairs) > 0 {
		unit = "text"
	}
	text := fmt.Sprintf("left out %d of %s", n.Rows-n.Taken, wording.Count(n.Rows, unit))
	if len(reasons) > 0 {
		text += ": " + strings.Join(reasons, ", ")
	}
	return text
}

package corpus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Styles are the labels of a data set's styles. A style is a number from 0 on: the place of its
// label.
type Styles []string

// MostStyles is how many a data set may have: there are n (n - 1) directions between n.
const MostStyles = 64

// StylesOf returns the styles of these labels; where there are none they are two, "0" and "1".
func StylesOf(labels []string) Styles {
	if len(labels) == 0 {
		return Styles{"0", "1"}
	}
	return slices.Clone(labels)
}

// N returns how many styles there are.
func (s Styles) N() int { return len(s) }

// Index returns the style of this label, -1 where no style has it.
func (s Styles) Index(label string) int { return slices.Index(s, label) }

// Directions returns the directions in which sentences are rewritten: from each style to each other
// one, in the order of From, then of To. What a data set or a result has by direction has this
// order.
func (s Styles) Directions() []Direction {
	var all []Direction
	for from := range s {
		for to := range s {
			if from != to {
				all = append(all, Direction{from, to})
			}
		}
	}
	return all
}

// Guessed stands for the style of a sentence that is to be told from the sentence.
const Guessed = -1

// DirectionTo returns the direction to a style of sentences of which nothing is said: with two
// styles from the other one, else from the style that each is taken for.
func (s Styles) DirectionTo(to int) Direction {
	d := Direction{Guessed, to}
	if s.N() == 2 {
		d = s.Directions()[slices.IndexFunc(s.Directions(), func(d Direction) bool { return d.To == to })]
	}
	return d
}

// CutDirection cuts "FROM -> TO" into the labels of two styles, and tells whether there is an
// arrow.
func CutDirection(text string) (from, to string, arrow bool) {
	from, to, arrow = strings.Cut(text, "->")
	return strings.TrimSpace(from), strings.TrimSpace(to), arrow
}

// CheckStyles refuses a number of styles, 0 for two, that the shape of a model cannot have.
func CheckStyles(model string, n int) error {
	if n < 0 || n == 1 || n > MostStyles {
		return userr.New(userr.BadInput, "the %s has styles %d: they must be from 2 to %d", model, n, MostStyles)
	}
	return nil
}

// Mark returns what tells the files of a direction from those of others, as in reference.0.txt: of
// two styles the number of From, of more both numbers, as in reference.0-2.txt.
func (s Styles) Mark(d Direction) string {
	if s.N() == 2 {
		return strconv.Itoa(d.From)
	}
	return fmt.Sprintf("%d-%d", d.From, d.To)
}

// Name returns a direction in words: "negative to positive".
func (s Styles) Name(d Direction) string { return s[d.From] + " to " + s[d.To] }

// Direction is what is asked of a sentence: that one of style From becomes one of style To.
type Direction struct{ From, To int }

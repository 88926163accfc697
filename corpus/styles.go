package corpus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Styles are the labels of a data set's styles. A style itself is an int: the index of its label.
type Styles []string

// MaxStyles is the maximum number of styles. It limits the number of directions, which is n (n - 1)
// for n styles.
const MaxStyles = 64

// StylesOf returns the styles with these labels, or "0" and "1" without labels.
func StylesOf(labels []string) Styles {
	if len(labels) == 0 {
		return Styles{"0", "1"}
	}
	return slices.Clone(labels)
}

// N returns how many styles there are.
func (s Styles) N() int { return len(s) }

// Index returns the style with this label, or -1.
func (s Styles) Index(label string) int { return slices.Index(s, label) }

// Directions returns the directions in which sentences are rewritten: from each style to every
// other style, ordered by From, then by To. Every list with one item per direction has this order.
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

// Guessed is the value of From in a Direction if the source style must be guessed from the
// sentence.
const Guessed = -1

// DirectionTo returns the direction to a style for sentences of unknown style. With two styles,
// From is the other style; with more, it is Guessed.
func (s Styles) DirectionTo(to int) Direction {
	d := Direction{Guessed, to}
	if s.N() == 2 {
		d = s.Directions()[slices.IndexFunc(s.Directions(), func(d Direction) bool { return d.To == to })]
	}
	return d
}

// CutDirection splits "FROM -> TO" into two labels and reports whether there is an arrow.
func CutDirection(text string) (from, to string, arrow bool) {
	from, to, arrow = strings.Cut(text, "->")
	return strings.TrimSpace(from), strings.TrimSpace(to), arrow
}

// CheckStyles refuses a number of styles that a model cannot have. The number 0 is allowed and
// means two.
func CheckStyles(model string, n int) error {
	if n < 0 || n == 1 || n > MaxStyles {
		return userr.New(userr.BadInput, "the %s has styles %d: they must be from 2 to %d", model, n, MaxStyles)
	}
	return nil
}

// Mark returns the part of a file name that identifies a direction. If there are two styles, the
// part is From, as in reference.0.txt. If there are more, it is From and To, as in
// reference.0-2.txt.
func (s Styles) Mark(d Direction) string {
	if s.N() == 2 {
		return strconv.Itoa(d.From)
	}
	return fmt.Sprintf("%d-%d", d.From, d.To)
}

// Name returns a direction in words: "negative to positive".
func (s Styles) Name(d Direction) string { return s[d.From] + " to " + s[d.To] }

// Direction is the source style and the target style of a rewrite.
type Direction struct{ From, To int }

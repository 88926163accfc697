package stream

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/smlm-exp/smlm-exp/internal/wording"
)

const (
	mostUnknown = 0.75 // share of a line's words from which on it is said that nearly all are unknown
	toldLines   = 3    // that are named; of the others only the number
)

// Unknown warns of lines of which the vocabulary knows nearly nothing. Its zero value with W set is
// ready; nil says nothing.
type Unknown struct {
	W     io.Writer
	lines int
}

// look warns where nearly all words of a line are unknown; signs are no words.
func (u *Unknown) look(number int, words []string, unknown []bool) {
	if u == nil || len(unknown) != len(words) {
		return
	}
	all, missing := 0, 0
	for k, w := range words {
		if strings.IndexFunc(w, unicode.IsLetter) < 0 {
			continue
		}
		if all++; unknown[k] {
			missing++
		}
	}
	if all == 0 || float64(missing) < mostUnknown*float64(all) {
		return
	}
	if u.lines++; u.lines <= toldLines {
		fmt.Fprintf(u.W, "smlm-exp: line %d: the models know %d of its %s, and copy the others: is it of the language "+
			"and kind of the training text?\n", number, all-missing, wording.Count(all, "word"))
	}
}

// rest says how many lines were not named.
func (u *Unknown) rest() {
	if u != nil && u.lines > toldLines {
		fmt.Fprintf(u.W, "smlm-exp: of %s more the models know nearly no word\n",
			wording.Count(u.lines-toldLines, "line"))
	}
}

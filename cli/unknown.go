package cli

import (
	"fmt"
	"io"

	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// toldLines are named; of the others only the number is.
const toldLines = 3

// Unknown warns of lines of which the vocabulary knows nearly nothing. Its zero value with W set is
// ready; nil says nothing.
type Unknown struct {
	W     io.Writer
	lines int
}

// look warns where nearly all words of a line are unknown.
func (u *Unknown) look(number int, words []string, is *stages.Rewritten) {
	known, all, few := is.Familiar(words)
	if u == nil || !few {
		return
	}
	if u.lines++; u.lines <= toldLines {
		fmt.Fprintf(u.W, "smlm-exp: line %d: the models know %d of its %s, and copy the others: is it of the language "+
			"and kind of the training text?\n", number, known, wording.Count(all, "word"))
	}
}

// rest says how many lines were not named.
func (u *Unknown) rest() {
	if u != nil && u.lines > toldLines {
		fmt.Fprintf(u.W, "smlm-exp: of %s more the models know nearly no word\n",
			wording.Count(u.lines-toldLines, "line"))
	}
}

package experiment

import (
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// largest bounds every count and size: more is a slip of the keyboard, and would only fail much later for want of memory.
const largest = 100_000_000

func (c *checker) atLeast(path string, v, least int) {
	if v < least {
		c.report(path, fmt.Sprintf("is %d, but must be %d or more", v, least))
	} else if v > largest {
		c.report(path, fmt.Sprintf("is %d, but must be %d at most", v, largest))
	}
}

func (c *checker) positive(path string, v float64) {
	if v <= 0 {
		c.report(path, fmt.Sprintf("is %v, but must be above 0", v))
	}
}

func (c *checker) notNegative(path string, v float64) {
	if v < 0 {
		c.report(path, fmt.Sprintf("is %v, but must be 0 or more", v))
	}
}

func (c *checker) fraction(path string, v float64) {
	if v < 0 || v >= 1 {
		c.report(path, fmt.Sprintf("is %v, but must be at least 0 and below 1", v))
	}
}

func oneOf[T ~string](c *checker, path string, v T, known []T) {
	if !slices.Contains(known, v) {
		c.report(path, fmt.Sprintf("is %q, but must be %s%s", v, wording.Choice(known), wording.DidYouMean(v, known)))
	}
}

// list checks a list of names; it says whether all was well.
func list[T ~string](c *checker, path string, list, known []T, least int) bool {
	well := true
	bad := func(sentence string) {
		c.report(path, sentence)
		well = false
	}
	if len(list) < least {
		bad("is an empty list, but must name at least one of " + wording.Choice(known))
	}
	for i, v := range list {
		if !slices.Contains(known, v) {
			bad(fmt.Sprintf("holds %q, which is none of %s%s", v, wording.Choice(known), wording.DidYouMean(v, known)))
		} else if slices.Contains(list[:i], v) {
			bad(fmt.Sprintf("lists %q twice", v))
		}
	}
	return well
}

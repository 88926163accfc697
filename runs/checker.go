package runs

import (
	"fmt"
	"slices"
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

func (c *checker) oneOf(path, v string, known []string) {
	if !slices.Contains(known, v) {
		c.report(path, fmt.Sprintf("is %q, but must be %s%s", v, quoted(known), didYouMean(v, known)))
	}
}

// list checks a list of names; it says whether all was well.
func (c *checker) list(path string, list, known []string, least int) bool {
	well := true
	bad := func(sentence string) {
		c.report(path, sentence)
		well = false
	}
	if len(list) < least {
		bad("is an empty list, but must name at least one of " + quoted(known))
	}
	for i, v := range list {
		if !slices.Contains(known, v) {
			bad(fmt.Sprintf("holds %q, which is none of %s%s", v, quoted(known), didYouMean(v, known)))
		} else if slices.Contains(list[:i], v) {
			bad(fmt.Sprintf("lists %q twice", v))
		}
	}
	return well
}

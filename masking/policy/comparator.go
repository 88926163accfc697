package policy

import "github.com/smlm-exp/smlm-exp/internal/recipe"

// Comparator is how the surplus policy compares a score with its threshold.
type Comparator string

// The comparators; "" is AtLeast.
const (
	AtLeast Comparator = ">=" // the paper
	Above   Comparator = ">"  // the authors' code
)

// Choices lists the values that a file may give.
func (Comparator) Choices() []string { return recipe.Choices(AtLeast, Above) }

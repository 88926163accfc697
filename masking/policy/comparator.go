package policy

import (
	"encoding/json"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// Comparator is how the surplus policy compares a score with its threshold. In JSON it is whether
// that is strict, as identities of masks have it.
type Comparator string

// The comparators; "" is AtLeast.
const (
	AtLeast Comparator = ">=" // the paper
	Above   Comparator = ">"  // the authors' code
)

// Choices lists the values that a file may give.
func (Comparator) Choices() []string { return recipe.Choices(AtLeast, Above) }

// IsZero tells JSON to leave out the paper's.
func (c Comparator) IsZero() bool { return c != Above }

// MarshalJSON writes whether the comparison is strict.
func (c Comparator) MarshalJSON() ([]byte, error) { return json.Marshal(c == Above) }

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Comparator) UnmarshalJSON(text []byte) error {
	var strict bool
	err := json.Unmarshal(text, &strict)
	if *c = AtLeast; strict {
		*c = Above
	}
	return err
}

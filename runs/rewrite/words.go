package rewrite

import (
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// String names a point and one of its models: "smlm-ft on demo, lambda_con 10, lambda_eps 0.15,
// seed 1".
func (c *Chosen) String() string {
	p, m := &c.Point.Point, c.Model
	words := append([]string{m.Model + " on " + p.Dataset}, recipe.AxisWords(p.Axes)...)
	return fmt.Sprintf("%s, masks by %s, decoding %s, seed %d",
		strings.Join(words, ", "), m.Method, m.Decoding, p.Seed)
}

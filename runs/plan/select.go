package plan

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Select lists the stages that match and all that they need, in the plan's order.
func (p *Plan) Select(patterns []string) []*Stage {
	need := map[*Stage]bool{}
	for i := len(p.Stages) - 1; i >= 0; i-- { // inputs stand before those that need them
		if s := p.Stages[i]; need[s] || s.Matches(patterns) {
			need[s] = true
			for _, in := range s.Inputs {
				need[in] = true
			}
		}
	}
	return lists.Where(p.Stages, func(s *Stage) bool { return need[s] })
}

// Resting lists the stages that is means, and all that build on them.
func (p *Plan) Resting(is func(*Stage) bool) map[*Stage]bool {
	rest := map[*Stage]bool{}
	for _, s := range p.Stages { // inputs stand before those that need them
		if is(s) || s.Needs(rest) {
			rest[s] = true
		}
	}
	return rest
}

var errNoMatch = errors.New("no such stage")

// CheckPatterns refuses a pattern that means no stage of the plan.
func (p *Plan) CheckPatterns(flag string, patterns []string) error {
	for _, pattern := range patterns {
		if !slices.ContainsFunc(p.Stages, func(s *Stage) bool { return s.Matches([]string{pattern}) }) {
			kinds := lists.Map(p.Stages, func(s *Stage) stage.Kind { return s.Kind })
			known := slices.Compact(slices.Sorted(slices.Values(kinds)))
			return &userr.Error{Code: userr.BadInput, Err: errNoMatch, Text: fmt.Sprintf(
				"%s %s: the plan has no such stage%s: give a kind or at least four digits of an identity",
				flag, pattern, wording.DidYouMean(stage.Kind(pattern), known))}
		}
	}
	return nil
}

// Matches says whether one of the patterns, kinds or starts of identities ("smlm", "3fa9",
// "smlm/3fa9"), means the stage.
func (s *Stage) Matches(patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		kind, id, both := strings.Cut(filepath.ToSlash(p), "/")
		if both {
			return kind == string(s.Kind) && strings.HasPrefix(s.ID, id)
		}
		return p == string(s.Kind) || (len(p) >= 4 && strings.HasPrefix(s.ID, p))
	})
}

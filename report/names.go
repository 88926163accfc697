package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
)

// Named returns the records that a name matches. A name is a system, such as "SMLM-FT", with or
// without settings. The settings are written as "SMLM-FT:lambda_eps=0.5" or as tables and messages
// print them: "SMLM-FT (guided, lambda_eps 0.5)". Upper and lower case of the system and of values
// do not matter, because experiment files and --model use names such as smlm-ft.
func Named(records []*Record, name string) []*Record {
	return lists.Filter(records, func(r *Record) bool { return r.printedAs(name) })
}

// OfSystem reports whether a name can mean a record of the system. The name has the form that the
// function Named accepts.
func OfSystem(name, system string) bool {
	_, can := afterSystem(name, system)
	return can
}

// afterSystem returns the part of a name after the system. ok is false if the name does not begin
// with the system, or if it goes on like the name of another system (SMLM-FT is not SMLM).
func afterSystem(name, system string) (rest string, ok bool) {
	if len(name) < len(system) || !strings.EqualFold(name[:len(system)], system) {
		return "", false
	}
	rest = strings.TrimLeft(name[len(system):], " "+signs)
	return rest, rest == "" || strings.ContainsAny(rest[:1], "(,:")
}

// assigns reports whether part consists of the setting's key, the separator and the setting's
// value.
func assigns(part, separator string, a Axis) bool {
	value, ok := strings.CutPrefix(part, a.Key+separator)
	return ok && sameValue(value, a.Value)
}

// sameValue reports whether two values are equal as text, in any letter case, or as numbers, as "1"
// and "1.0" are.
func sameValue(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, other := strconv.ParseFloat(b, 64)
	return strings.EqualFold(a, b) || err == nil && other == nil && x == y
}

// printedAs reports whether tables and messages may use this name for a record: the system, then
// some of its settings in parentheses or after commas. A setting may be its value alone, "guided",
// or key and value, "lambda_eps 0.5". The name may also have signs of flaws, such as ‡, and a
// number of seeds.
func (r *Record) printedAs(name string) bool {
	rest, ok := afterSystem(name, r.System())
	if !ok {
		return false
	}
	parts := strings.FieldsFunc(rest, func(c rune) bool { return strings.ContainsRune("(),:"+signs, c) })
	return !slices.ContainsFunc(parts, func(part string) bool {
		part = strings.TrimSpace(part)
		var seeds int
		if n, err := fmt.Sscanf(part, "%d seed", &seeds); n == 1 && err == nil {
			return false
		}
		return part != "" && !slices.ContainsFunc(r.Settings(), func(a Axis) bool {
			return strings.EqualFold(part, a.Text()) || sameValue(part, a.Value) ||
				assigns(part, "=", a) || assigns(part, " ", a)
		})
	})
}

// signs contains all signs that may follow a system's name in a table.
var signs = metrics.Signs(metrics.AllFlaws()) + "†*"

// maxNames is the maximum number of names that a message lists.
const maxNames = 8

// Listed returns the names of records as choices in a sentence. If there are more than maxNames
// names, it lists the first ones and counts the others.
func Listed(names []string) string {
	if more := len(names) - maxNames; more > 0 {
		return fmt.Sprintf("%s, or one of %d others in the table of results", wording.Choice(names[:maxNames]), more)
	}
	return wording.Choice(names)
}

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

// Named returns the records that a name matches: a system, "SMLM-FT", or a system with some of its
// settings, "SMLM-FT:lambda_eps=0.5", or as tables and messages print them, "SMLM-FT (guided,
// lambda_eps 0.5)". An exact match of the system wins over a match in another letter case.
func Named(records []*Record, name string) []*Record {
	system, settings, _ := strings.Cut(name, ":")
	for _, matches := range []func(*Record) bool{
		func(r *Record) bool { return r.System() == system && r.has(settings) },
		// smlm-ft, as in experiment files and --model
		func(r *Record) bool { return strings.EqualFold(r.System(), system) && r.has(settings) },
		func(r *Record) bool { return r.printedAs(name) },
	} {
		if found := lists.Filter(records, matches); len(found) > 0 {
			return found
		}
	}
	return nil
}

// OfSystem reports whether a name, as for Named, can name a record of the system.
func OfSystem(name, system string) bool {
	_, can := afterSystem(name, system)
	return can
}

// afterSystem returns what follows the system in a name, and whether the name is one of this
// system.
func afterSystem(name, system string) (rest string, ok bool) {
	if len(name) < len(system) || !strings.EqualFold(name[:len(system)], system) {
		return "", false
	}
	rest = strings.TrimLeft(name[len(system):], " "+signs)
	return rest, rest == "" || strings.ContainsAny(rest[:1], "(,:")
}

// has reports whether a record has all settings of "KEY=VALUE,KEY=VALUE".
func (r *Record) has(settings string) bool {
	for part := range strings.SplitSeq(settings, ",") {
		if part != "" && !slices.ContainsFunc(r.Settings(), func(a Axis) bool { return assigns(part, "=", a) }) {
			return false
		}
	}
	return true
}

// assigns reports whether part is the key of a setting, the separator and the value.
func assigns(part, separator string, a Axis) bool {
	value, ok := strings.CutPrefix(part, a.Key+separator)
	return ok && sameValue(value, a.Value)
}

// sameValue reports whether two values are equal as text or as numbers, such as "1" and "1.0".
func sameValue(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, other := strconv.ParseFloat(b, 64)
	return a == b || err == nil && other == nil && x == y
}

// printedAs reports whether tables and messages may print a record by this name: its system and, in
// parentheses or after commas, some of its settings, as values, "guided", or with their keys,
// "lambda_eps 0.5". Signs of flaws and numbers of seeds are allowed.
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
			return part == a.Text() || sameValue(part, a.Value) || assigns(part, "=", a) || assigns(part, " ", a)
		})
	})
}

// signs are the signs that may follow a system's name in a table.
var signs = metrics.Signs(metrics.AllFlaws()) + "†*"

// maxNames is the number of records that a message lists.
const maxNames = 8

// Listed formats names of records as choices in a sentence. Of many it lists the first.
func Listed(names []string) string {
	if more := len(names) - maxNames; more > 0 {
		return fmt.Sprintf("%s, or one of %d others in the table of results", wording.Choice(names[:maxNames]), more)
	}
	return wording.Choice(names)
}

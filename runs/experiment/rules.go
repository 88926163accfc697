package experiment

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// rules are what the must tags of settings mean.
var rules = map[string]func(x float64) bool{
	"1 or more":              func(x float64) bool { return x >= 1 },
	"from 0 to 16384":        func(x float64) bool { return x >= 0 && x <= 16384 },
	"from 1 to 16384":        func(x float64) bool { return x >= 1 && x <= 16384 }, // widths: their squares are weights
	"0 or more":              func(x float64) bool { return x >= 0 },
	"from 0 to 1000":         func(x float64) bool { return x >= 0 && x <= 1000 }, // words of the longest sentence
	"from 1 to 1000":         func(x float64) bool { return x >= 1 && x <= 1000 },
	"from 0 to 10000":        func(x float64) bool { return x >= 0 && x <= 10_000 },
	"from 1 to 5":            func(x float64) bool { return x >= 1 && x <= 5 },
	"from 1 to 10000":        func(x float64) bool { return x >= 1 && x <= MaxPoints },
	"from 2 to 10000":        func(x float64) bool { return x >= 2 && x <= MaxPoints },
	"from 2 to 10":           func(x float64) bool { return x >= 2 && x <= 10 },
	"from 0 to 4096":         func(x float64) bool { return x >= 0 && x <= 4096 },
	"from 0 to 1048576":      func(x float64) bool { return x >= 0 && x <= 1<<20 },
	"from 1 to 65535":        func(x float64) bool { return x >= 1 && x <= 65535 },
	"1 or 2":                 func(x float64) bool { return x == 1 || x == 2 },
	"above 0":                func(x float64) bool { return x > 0 },
	"above 0 and at most 10": func(x float64) bool { return x > 0 && x <= 10 }, // of a rate, by which nothing learns
	"above 0 and at most 1":  func(x float64) bool { return x > 0 && x <= 1 },
	"from 0 to 1":            func(x float64) bool { return x >= 0 && x <= 1 },
	"at least 0 and below 1": func(x float64) bool { return x >= 0 && x < 1 },
}

// nameOne is the must tag of lists that may not be empty.
const nameOne = "name one"

// largest bounds every number: more is a slip of the keyboard, and would only fail much later, for
// want of memory or of digits.
const largest = 100_000_000

// wrong says what is wrong with a field's own value, a sentence each.
func (f *field) wrong(v reflect.Value) []string {
	switch {
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Int:
		return f.wrongNumbers(v)
	case v.Kind() == reflect.Slice && (f.names != nil || f.must != ""):
		return f.wrongNames(v)
	case v.CanInt() && !rules[f.must](float64(v.Int())), v.CanFloat() && !rules[f.must](v.Float()):
		return []string{fmt.Sprintf("is %v, but must be %s", v, f.must)}
	case v.CanInt() && v.Int() > largest, v.CanFloat() && v.Float() > largest:
		return []string{fmt.Sprintf("is %v, but must be %d at most", v, largest)}
	case v.Kind() == reflect.String && f.names != nil && !slices.Contains(f.names, v.String()):
		hint := wording.Choice(f.names) + wording.DidYouMean(v.String(), f.names)
		return []string{fmt.Sprintf("is %q, but must be %s", v, hint)}
	}
	return nil
}

// wrongNames is wrong of a list.
func (f *field) wrongNames(list reflect.Value) (sentences []string) {
	bad := func(format string, args ...any) { sentences = append(sentences, fmt.Sprintf(format, args...)) }
	if list.Len() == 0 && f.must == nameOne {
		sentences = append(sentences, needsOne(f.names))
	}
	seen := map[string]bool{}
	for i := range list.Len() {
		name := list.Index(i).String()
		if !slices.Contains(f.names, name) {
			bad("holds %q, which is none of %s%s", name, wording.Choice(f.names), wording.DidYouMean(name, f.names))
		} else if seen[name] {
			bad("lists %q twice: name each once", name)
		}
		seen[name] = true
	}
	return sentences
}

// wrongNumbers is wrong of a list of whole numbers: the must tag is of each, and there must be one.
func (f *field) wrongNumbers(list reflect.Value) (sentences []string) {
	if list.Len() == 0 {
		sentences = append(sentences, "is an empty list, but must hold at least one number")
	}
	seen := map[int64]bool{}
	for i := range list.Len() {
		n := list.Index(i)
		for _, wrong := range f.wrong(n) {
			sentences = append(sentences, fmt.Sprintf("has an entry (number %d) that %s", i+1, wrong))
		}
		if seen[n.Int()] {
			sentences = append(sentences, fmt.Sprintf("lists %d twice: name each once", n.Int()))
		}
		seen[n.Int()] = true
	}
	return sentences
}

func needsOne[T ~string](names []T) string {
	return "is an empty list, but must name at least one of " + wording.Choice(names)
}

package experiment

import (
	"fmt"
	"slices"
	"strings"
)

// The methods of a search.
const (
	RandomSearch = "random"
	Halving      = "halving"
)

// SelectionMetrics are the numbers of dev outputs that may choose, as the table "selection" calls
// them.
var SelectionMetrics = []string{"TST%", "s-BLEU", "Nat.", "Mean", "PPL", "self-BLEU", "dist-2"}

// SearchSettings draws points from ranges, for each data set, and has a number of dev outputs
// choose one of them. Only that one is measured on the test set. The number is the mean over seeds;
// outputs that have collapsed come after all others, and points that fail last. The ranges are
// those of [search.space], a key each: `{log = [low, high]}`, `{uniform = [low, high]}`, `{int =
// [low, high]}` or `{choice = [value, ...]}`.
type SearchSettings struct {
	// Method is how budgets are spent: "random" trains every point whole; "halving" trains all a
	// little, and goes on with the best.
	Method string `json:"method"`
	// Points is the number of points that are drawn.
	Points int `json:"points" must:"from 2 to 10000"`
	// Seed is what they are drawn from.
	Seed int `json:"seed" default:"1" must:"0 or more"`
	// Maximise is the number whose highest value is best, as the table "selection" calls it. Its
	// TST% and PPL are of the selector and of n-grams, which measure no test output.
	Maximise string `json:"maximise"`
	// Minimise is the number whose lowest value is best; the table has one of the two.
	Minimise string `json:"minimise"`
	// Model is the one by whose outputs is chosen, such as smlm-ft; it may be left out where there
	// is one.
	Model string `json:"model"`
	// Decoding is that of the outputs by which is chosen: copied, predicted or guided; it may be
	// left out where one is asked for.
	Decoding string `json:"decoding"`
	// Eta says how fast halving goes: the best 1/eta of a rung's points go on, with eta times the
	// budget.
	Eta int `json:"eta" default:"3" must:"from 2 to 10"`
	// Budget is what halving spends: a key that takes whole numbers, such as smlm.epochs.
	Budget string `json:"budget"`
	// Min is the least budget of halving: the first rung has it or more.
	Min int `json:"min" must:"from 1 to 10000"`
	// Max is the budget of halving's last rung.
	Max int `json:"max" must:"from 1 to 10000"`
}

// Metric is the number that chooses.
func (s *SearchSettings) Metric() string { return s.Maximise + s.Minimise }

// Wrong says which keys do not go together: the key and a sentence that begins after it. given says
// which keys are there; of one that is not known the answer is false.
func (s *SearchSettings) Wrong(given func(key string) bool, tell func(key, sentence string)) {
	for _, key := range []string{"method", "points"} {
		if !given(key) {
			tell("", fmt.Sprintf("has no %s: set it", key))
		}
	}
	if given("maximise") == given("minimise") {
		tell("", fmt.Sprintf("must have one of maximise and minimise: a number of dev outputs, such as %q", "Mean"))
	}
	var lacking []string
	for _, key := range []string{"eta", "budget", "min", "max"} {
		switch {
		case s.Method == RandomSearch && given(key):
			tell(key, fmt.Sprintf("is of successive halving: take it out, or set search.method = %q", Halving))
		case s.Method == Halving && !given(key) && key != "eta":
			lacking = append(lacking, key)
		}
	}
	if len(lacking) > 0 {
		tell("", fmt.Sprintf("has no %s: halving spends a budget, a key such as smlm.epochs, from min to max",
			strings.Join(lacking, ", ")))
	}
	if given("min") && given("max") && s.Min > s.Max {
		tell("max", fmt.Sprintf("is %d, less than search.min %d: give the largest budget", s.Max, s.Min))
	}
}

// Rungs lays out the rounds of the search, one of a random search. wrong is a sentence as Wrong has
// it, "": there are enough points.
func (s *SearchSettings) Rungs() (rungs []Rung, wrong string) {
	if s.Method == RandomSearch {
		return []Rung{{Points: s.Points}}, ""
	}
	rungs = halvingRungs(s.Points, s.Eta, s.Min, s.Max)
	least := 1
	for range rungs[1:] {
		least *= s.Eta
	}
	if s.Points < least {
		wrong = fmt.Sprintf("is %d, but the %d rungs of %s from %d to %d need %d at least: draw more, or raise search.min",
			s.Points, len(rungs), s.Budget, rungs[0].Budget, s.Max, least)
	}
	return rungs, wrong
}

// Takes is what values a key has.
type takes int

// The kinds of values.
const (
	takesWords takes = iota
	takesNumbers
	takesWholeNumbers
)

// ways are those that draw such values.
func (t takes) ways() []distribution {
	return map[takes][]distribution{
		takesWords: {oneOf}, takesNumbers: {uniform, logUniform, oneOf}, takesWholeNumbers: {wholeNumber, logUniform, oneOf},
	}[t]
}

// Read reads the range of a key, a TOML value such as {log = [1e-4, 1e-2]}, as far as it does not
// depend on what its values may be: how, and the list of bounds or choices. wrong is a sentence as
// Wrong has it.
func readRange(v any, t takes) (how distribution, list []any, wrong string) {
	tree, _ := v.(map[string]any)
	isList := false
	for key, of := range tree {
		how = distribution(key)
		list, isList = of.([]any)
	}
	var forms []string
	for _, way := range t.ways() {
		bounds := "[low, high]"
		if way == oneOf {
			bounds = "[value, ...]"
		}
		forms = append(forms, fmt.Sprintf("{%s = %s}", way, bounds))
	}
	if len(tree) != 1 || !isList || !slices.Contains(t.ways(), how) {
		return how, nil, "is no range of such a key: write " + strings.Join(forms, " or ")
	}
	return how, list, ""
}

// Between sets the bounds of a range, or says what is wrong with them.
func (r *searchRange) Between(bounds []float64) (wrong string) {
	if len(bounds) != 2 {
		return fmt.Sprintf("has %d numbers, but a range has two: the least and the greatest", len(bounds))
	}
	r.Low, r.High = bounds[0], bounds[1]
	switch {
	case r.Low >= r.High:
		return fmt.Sprintf("runs from %v to %v: give the smaller one first", r.Low, r.High)
	case r.How == logUniform && r.Low <= 0:
		return fmt.Sprintf("begins at %v, but a logarithmic range must begin above 0", r.Low)
	}
	return ""
}

package experiment

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// drawnKey is a key of [search.space], and what its values are drawn from.
type drawnKey struct {
	path      string // such as "smlm.lr": with the seed it gives the key's random numbers
	how       distribution
	low, high float64         // the bounds, but of oneOf
	choices   []reflect.Value // of oneOf
	whole     bool            // the key takes whole numbers alone
}

// distribution is what values are drawn from.
type distribution string

// The distributions, as a file names them.
const (
	logUniform  distribution = "log"     // log x is uniform in [log low, log high]
	uniform     distribution = "uniform" // in [low, high]
	wholeNumber distribution = "int"     // whole numbers from low to high, all as likely
	oneOf       distribution = "choice"  // one of the choices, all as likely
)

var errFewPoints = errors.New("the space has too few points")

// drawPoints draws n points that differ (Bergstra and Bengio 2012): a value for each key, of oneOf
// the number of a choice, from 0. They come from the seed alone: the same on every machine, and
// independent of what has run. Values have 3 significant digits. The first points of a longer list
// are those of a shorter one. The error is errFewPoints where a space has fewer than n.
func drawPoints(keys []drawnKey, n int, seed uint64) ([][]float64, error) {
	sources := make([]*rand.Rand, len(keys))
	for i, k := range keys {
		h := fnv.New64a()
		_, _ = h.Write([]byte(k.path))
		sources[i] = rand.New(rand.NewPCG(seed, h.Sum64()))
	}
	var points [][]float64
	seen := map[string]bool{}
	for tries := 0; len(points) < n; tries++ {
		if tries > 1000+20*n { // of n equally likely points one is missed so often once in e^20
			return nil, fmt.Errorf("%w: %d were found", errFewPoints, len(points))
		}
		point := make([]float64, len(keys))
		for i := range keys {
			point[i] = keys[i].draw(sources[i])
		}
		if key := fmt.Sprint(point); !seen[key] {
			seen[key], tries = true, 0
			points = append(points, point)
		}
	}
	return points, nil
}

// draw draws one value, rounded but never out of the range.
func (k *drawnKey) draw(source *rand.Rand) float64 {
	var x float64
	switch k.how {
	case oneOf:
		return float64(source.IntN(len(k.choices)))
	case wholeNumber:
		x = k.low + float64(source.Uint64N(uint64(k.high-k.low)+1))
	case logUniform:
		x = math.Exp(math.Log(k.low) + source.Float64()*(math.Log(k.high)-math.Log(k.low)))
	default:
		x = k.low + source.Float64()*(k.high-k.low)
	}
	if k.whole {
		x = math.Round(x)
	}
	return min(max(rounded(x), k.low), k.high)
}

// rounded has 3 significant digits: enough to choose by, few enough to quote, and the same where
// another machine's logarithm differs in its last bit.
func rounded(x float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	if err != nil {
		return x
	}
	return short
}

// value is a drawn number as a setting.
func (k *drawnKey) value(x float64) reflect.Value {
	switch {
	case k.how == oneOf:
		return k.choices[int(x)]
	case k.whole:
		return reflect.ValueOf(int(x))
	}
	return reflect.ValueOf(x)
}

// space reads [search.space].
func (l *loader) space(s *Search, v any) {
	tree, _ := v.(map[string]any)
	if len(tree) == 0 {
		l.bad("search", "[search.space] is missing or empty: give keys to draw, such as smlm.lr = {log = [1e-4, 1e-2]}")
	}
	for _, table := range l.inOrder("search.space", tree) {
		at := "search.space." + table
		keys, isTable := tree[table].(map[string]any)
		switch {
		case fieldAt(table) != nil:
			l.bad("search.space", "[search.space] has %q in quotes: write %s without quotes", table, table)
			continue
		case !slices.Contains(tables, table):
			l.unknown(at, " in [search.space]", tables)
			continue
		case !isTable:
			l.bad(at, "%s is %s, but must be a key of [%s] with its range", at, describeValue(tree[table]), table)
			continue
		}
		for _, key := range l.inOrder(at, keys) {
			path := table + "." + key
			switch f := fieldAt(path); {
			case f == nil:
				l.unknown(at+"."+key, " in ["+at+"]", keysOf(table))
			case path == s.Budget:
				l.bad(at+"."+key, "%s is already the budget of [search]: remove one of the two", at+"."+key)
			case whyNotDrawn(f) != "":
				l.bad(at+"."+key, "%s %s", at+"."+key, whyNotDrawn(f))
			default:
				l.drawnKey(s, f, at+"."+key, keys[key])
			}
		}
	}
}

// whyNotDrawn says why no points may be drawn of a key, "": they may.
func whyNotDrawn(f *field) string {
	switch {
	case slices.Contains([]string{"vocab", "classifier", "fasttext", "cnn", "mixed", "fluency", "lm", "metrics"}, f.table):
		return "belongs to the models that measure outputs, so that points could not be compared: remove it"
	case !f.sweepable():
		return "cannot be swept: remove it"
	}
	return ""
}

// drawnKey reads what the values of a key are drawn from.
func (l *loader) drawnKey(s *Search, f *field, at string, v any) {
	k := drawnKey{path: f.path, whole: f.typ.Kind() == reflect.Int}
	list, wrong := k.readForm(v, f.typ)
	if wrong != "" {
		l.bad(at, "%s %s", at, wrong)
		return
	}
	values, ok := l.values(at, f, list)
	if !ok {
		return
	}
	if k.how == oneOf {
		k.choices = values
	} else if wrong := k.setBounds(values); wrong != "" {
		l.bad(at, "%s %s", at, wrong)
		return
	}
	for _, value := range values {
		for _, sentence := range f.wrong(value) {
			l.bad(at, "%s %s", at, sentence)
		}
	}
	s.drawn = append(s.drawn, k)
}

// readForm reads how values of a type are drawn, from a TOML value such as {log = [1e-4, 1e-2]},
// and returns the list of bounds or choices. wrong is a sentence that begins after the key.
func (k *drawnKey) readForm(v any, t reflect.Type) (list []any, wrong string) {
	tree, _ := v.(map[string]any)
	isList := false
	for key, of := range tree {
		k.how = distribution(key)
		list, isList = of.([]any)
	}
	known := []distribution{oneOf}
	switch t.Kind() {
	case reflect.Int:
		known = []distribution{wholeNumber, logUniform, oneOf}
	case reflect.Float64:
		known = []distribution{uniform, logUniform, oneOf}
	}
	forms := lists.Map(known, func(how distribution) string {
		if how == oneOf {
			return fmt.Sprintf("{%s = [value, ...]}", how)
		}
		return fmt.Sprintf("{%s = [low, high]}", how)
	})
	if len(tree) != 1 || !isList || !slices.Contains(known, k.how) {
		return nil, "is not a range for this key: write " + strings.Join(forms, " or ")
	}
	return list, ""
}

// setBounds sets the bounds of a range, or says what is wrong with them.
func (k *drawnKey) setBounds(values []reflect.Value) (wrong string) {
	if len(values) != 2 {
		return fmt.Sprintf("has %s, but a range has two: the smallest and the largest", wording.Count(len(values), "number"))
	}
	number := func(v reflect.Value) float64 { return v.Convert(reflect.TypeFor[float64]()).Float() }
	k.low, k.high = number(values[0]), number(values[1])
	switch {
	case k.low >= k.high:
		return fmt.Sprintf("runs from %v to %v: give the smaller one first", k.low, k.high)
	case k.how == logUniform && k.low <= 0:
		return fmt.Sprintf("starts at %v, but a logarithmic range must start above 0", k.low)
	}
	return ""
}

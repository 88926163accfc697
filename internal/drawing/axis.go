package drawing

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// Axis is an axis with its range.
type Axis struct {
	Title string // "" for none
	Range Span
	Most  int       // ticks, at round numbers
	Whole bool      // ticks at whole numbers only
	At    []float64 // ticks here, where they are few and far enough apart to be numbered
}

func (a Axis) ticks() []plot.Tick {
	if ticks := ticksAt(a.At, 8, 0.08); ticks != nil {
		return ticks
	}
	least := 0.0
	if a.Whole {
		least = 1
	}
	return roundTicks(a.Range.Low, a.Range.High, a.Most, least)
}

// Value is one measurement, or the mean of several seeds with their standard deviation (drawn as a
// bar where that is longer than the mark).
type Value struct{ Mean, Deviation float64 }

// Span is the range of the values of an axis.
type Span struct{ Low, High float64 }

// EmptySpan has no value yet.
func EmptySpan() Span { return Span{math.Inf(1), math.Inf(-1)} }

// Empty says whether it has none.
func (s Span) Empty() bool { return s.Low > s.High }

// Add widens the range to a value, with its deviation.
func (s *Span) Add(v Value) {
	s.Low, s.High = math.Min(s.Low, v.Mean-v.Deviation), math.Max(s.High, v.Mean+v.Deviation)
}

// Padded leaves a share of the range free at either end; a single value stands in the middle.
func (s Span) Padded(share float64) Span {
	d := (s.High - s.Low) * share
	if s.High == s.Low {
		d = math.Max(math.Abs(s.High)*0.1, 0.5)
	}
	return Span{s.Low - d, s.High + d}
}

// roundTicks returns ticks at multiples of 1, 2, 2.5 or 5 times a power of ten that is no less than
// least, at most most of them.
func roundTicks(low, high float64, most int, least float64) []plot.Tick {
	power := math.Pow(10, math.Floor(math.Log10((high-low)/float64(most))))
	for ; ; power *= 10 {
		for _, step := range []float64{power, 2 * power, 2.5 * power, 5 * power} {
			first, last := math.Ceil(low/step-1e-9), math.Floor(high/step+1e-9)
			if int(last-first)+1 > most || step < least || least > 0 && step != math.Trunc(step) {
				continue
			}
			var ticks []plot.Tick
			for i := first; i <= last; i++ {
				ticks = append(ticks, plot.Tick{Value: i * step, Label: number(i*step, step)})
			}
			return ticks
		}
	}
}

// ticksAt returns a tick at every value, sorted, each once; nil where there are more than most of
// them or two stand closer than a share of the range that leaves no room for their numbers.
func ticksAt(values []float64, most int, share float64) []plot.Tick {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	if len(values) > most {
		return nil
	}
	var ticks []plot.Tick
	for i, v := range values {
		if i > 0 && v-values[i-1] < share*(values[len(values)-1]-values[0]) {
			return nil
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: minus(strconv.FormatFloat(v, 'g', 4, 64))})
	}
	return ticks
}

// number writes x with as many decimals as step has.
func number(x, step float64) string {
	decimals := 0
	for scaled := step; decimals < 12 && math.Abs(scaled-math.Round(scaled)) > 1e-9*math.Max(1, scaled); scaled *= 10 {
		decimals++
	}
	if math.Abs(x) >= 1e7 || step < 1e-6 {
		return minus(strconv.FormatFloat(x, 'g', 3, 64))
	}
	if math.Abs(x) < step/2 {
		x = 0
	}
	return minus(strconv.FormatFloat(x, 'f', decimals, 64))
}

// minus writes the sign as printers do.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

package figure

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// span is the range of the values of an axis.
type span struct{ low, high float64 }

func emptySpan() span { return span{math.Inf(1), math.Inf(-1)} }

func (s *span) add(x float64) { s.low, s.high = math.Min(s.low, x), math.Max(s.high, x) }

func (s *span) addValue(v *Value) {
	if v != nil {
		s.add(v.Mean - v.Deviation)
		s.add(v.Mean + v.Deviation)
	}
}

// padded leaves a share of the range free at either end; a single value stands in the middle.
func (s span) padded(share float64) span {
	d := (s.high - s.low) * share
	if s.high == s.low {
		d = math.Max(math.Abs(s.high)*0.1, 0.5)
	}
	return span{s.low - d, s.high + d}
}

// set gives the axis its range and its ticks: at most about most of them, at round numbers.
func (s span) set(a *plot.Axis, most int) {
	a.Min, a.Max = s.low, s.high
	a.Tick.Marker = plot.ConstantTicks(roundTicks(s.low, s.high, most, 0))
}

// roundTicks returns ticks at multiples of 1, 2, 2.5 or 5 times a power of ten that is no less than least, at most most of them.
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

// ticksAt returns a tick at every value, sorted, each once; nil where there are more than most of them or two stand closer than a share of
// the range that leaves no room for their numbers.
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

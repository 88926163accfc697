package metrics

import (
	"maps"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// contributions holds the numbers from which the metrics of a system are computed. For each
// direction, it has one row of numbers per output, and the keys whose numbers are known for all
// outputs.
type contributions struct {
	layout
	width         int
	outputsPerRow int // number of outputs whose numbers are summed in one row
	rows          [][]row
	known         []map[string]bool
}

// row holds the numbers of all keys, for one output or summed over several outputs. Integer counts
// are exact. Unknown numbers are 0.
type row []float64

func (r row) add(other row) {
	r = r[:len(other)] // lets the compiler omit bounds checks
	for c, v := range other {
		r[c] += v
	}
}

// layout maps each key to the start and end of its numbers in a row.
type layout map[string][2]int

// totals holds sums over the outputs of one direction.
type totals struct {
	row
	n     int
	known map[string]bool // the keys for which every output has numbers
	layout
}

// numbers returns the sums of a key's numbers.
func (t *totals) numbers(key string) []float64 {
	span := t.layout[key]
	return t.row[span[0]:span[1]]
}

// sum returns the sum of a key with a single number.
func (t *totals) sum(key string) float64 { return t.row[t.layout[key][0]] }

// meanOf is for a key with one number per output. It returns a function that computes the mean of
// this number over the outputs.
func meanOf(key string) func(*totals) float64 {
	return func(t *totals) float64 { return t.sum(key) / float64(t.n) }
}

// canCompute reports whether there is an output and all outputs have the numbers that the metric
// needs.
func (t *totals) canCompute(m *Metric) bool {
	for _, key := range m.needs {
		if !t.known[key] {
			return false
		}
	}
	return t.n > 0
}

// sumAll returns the sums over the outputs of all directions. There must be at least one direction.
// The sums are valid only for keys that are known in every direction.
func sumAll(dirs []totals) *totals {
	sum := dirs[0]
	sum.row = slices.Clone(sum.row)
	for _, other := range dirs[1:] {
		sum.add(other.row)
		sum.n += other.n
	}
	return &sum
}

// contributionsOf returns the contributions of each system, all with the same layout.
func contributionsOf(systems ...[][]Sentence) []*contributions {
	spans, width := layout{}, 0
	for _, records := range systems {
		for _, sentences := range records {
			for i := range sentences {
				for key, numbers := range sentences[i].Numbers {
					if _, known := spans[key]; !known {
						spans[key] = [2]int{width, width + len(numbers)}
						width += len(numbers)
					}
				}
			}
		}
	}
	all := make([]*contributions, len(systems))
	for k, records := range systems {
		all[k] = &contributions{layout: spans, width: width, outputsPerRow: 1}
		for _, sentences := range records {
			all[k].addDirection(sentences)
		}
	}
	return all
}

// sumSystems adds up the rows of several systems with the same sources.
func sumSystems(all []*contributions) *contributions {
	first := all[0]
	sum := &contributions{layout: first.layout, width: first.width, outputsPerRow: len(all)}
	for d := range first.rows {
		rows, known := make([]row, len(first.rows[d])), maps.Clone(first.known[d])
		for i := range rows {
			rows[i] = make(row, sum.width)
			for _, l := range all {
				for c, v := range l.rows[d][i] {
					rows[i][c] += v
				}
			}
		}
		for _, l := range all[1:] {
			maps.DeleteFunc(known, func(key string, _ bool) bool { return !l.known[d][key] })
		}
		sum.rows, sum.known = append(sum.rows, rows), append(sum.known, known)
	}
	return sum
}

// addDirection adds the rows of one direction.
func (l *contributions) addDirection(sentences []Sentence) {
	known := map[string]bool{}
	for key := range l.layout {
		known[key] = true
	}
	rows := make([]row, len(sentences))
	for i := range sentences {
		r := make(row, l.width)
		for key, span := range l.layout {
			if numbers, ok := sentences[i].Numbers[key]; ok {
				copy(r[span[0]:span[1]], numbers)
			} else {
				known[key] = false
			}
		}
		rows[i] = r
	}
	l.rows, l.known = append(l.rows, rows), append(l.known, known)
}

// empty returns the totals of a direction with all sums 0, so that rows can be added.
func (l *contributions) empty(d int) totals {
	return totals{row: make(row, l.width), n: l.outputsPerRow * len(l.rows[d]), known: l.known[d], layout: l.layout}
}

// totals returns the sums of the rows of each direction.
func (l *contributions) totals() []totals {
	sums := make([]totals, len(l.rows))
	for d, rows := range l.rows {
		sums[d] = l.empty(d)
		for _, r := range rows {
			sums[d].add(r)
		}
	}
	return sums
}

// values computes, for one direction, the metrics that are defined on sums, and the metrics that
// are derived from other metrics.
func (t *totals) values(all []*Metric) Values {
	v := Values{}
	for _, m := range all {
		if m.total != nil && t.canCompute(m) {
			v[m.Key] = m.total(t)
		}
	}
	return v.derive(all)
}

// overall computes the metrics over all directions that have outputs. A metric is absent if any of
// these directions lacks it.
func overall(all []*Metric, dirs []totals) Values {
	v := make(Values, len(all))
	dirs = lists.Filter(dirs, func(t totals) bool { return t.n > 0 })
	if len(dirs) == 0 {
		return v
	}
	pooled := sumAll(dirs)
	for _, m := range all {
		switch {
		case m.total == nil || slices.ContainsFunc(dirs, func(t totals) bool { return !t.canCompute(m) }):
		case m.pooled:
			v[m.Key] = m.total(pooled)
		default:
			sum := m.total(&dirs[0])
			for d := range dirs[1:] {
				sum += m.total(&dirs[1+d])
			}
			v[m.Key] = sum / float64(len(dirs))
		}
	}
	return v.derive(all)
}

// derive adds the metrics that are computed from other metrics.
func (v Values) derive(all []*Metric) Values {
	for _, m := range all {
		if m.fromMetrics == nil {
			continue
		}
		if x, known := m.fromMetrics(v); known {
			v[m.Key] = x
		}
	}
	return v
}

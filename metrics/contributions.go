package metrics

import "maps"

// contributions is what every output of a system contributes to its metrics: a row an output in
// both directions, and which keys all outputs of a direction have.
type contributions struct {
	layout
	width int
	each  int // outputs that a row is the sum of
	rows  [2][]row
	known [2]map[string]bool
}

// row holds the numbers of one output, or their sums, key after key; counts are exact in it. What
// is not known is 0.
type row []float64

func (r row) add(other row) {
	r = r[:len(other)] // the compiler then checks no index below
	for c, v := range other {
		r[c] += v
	}
}

// layout says where in a row the numbers of each key are: from and to.
type layout map[string][2]int

// totals are the sums over some outputs of one direction.
type totals struct {
	row
	n     int
	known map[string]bool // the keys that every output has
	layout
}

// of returns the sums of a key's numbers.
func (t *totals) of(key string) []float64 {
	at := t.layout[key]
	return t.row[at[0]:at[1]]
}

// sum returns the sum of a key that has one number.
func (t *totals) sum(key string) float64 { return t.row[t.layout[key][0]] }

// meanOf is the mean of a number over the outputs.
func meanOf(key string) func(*totals) float64 {
	return func(t *totals) float64 { return t.sum(key) / float64(t.n) }
}

// has says whether there is an output and every one has the numbers of a metric.
func (t *totals) has(m *Metric) bool {
	for _, key := range m.needs {
		if !t.known[key] {
			return false
		}
	}
	return t.n > 0
}

// plus returns the sums over the outputs of both, of which only numbers that both know may be
// asked.
func (t *totals) plus(other *totals) *totals {
	sum := *t
	sum.row = append(row(nil), t.row...)
	sum.add(other.row)
	sum.n += other.n
	return &sum
}

// contributionsOf returns those of several systems, all with the same layout.
func contributionsOf(systems ...[2][]Sentence) []*contributions {
	at, width := layout{}, 0
	for _, records := range systems {
		for _, sentences := range records {
			for i := range sentences {
				for key, numbers := range sentences[i].Numbers {
					if _, has := at[key]; !has {
						at[key] = [2]int{width, width + len(numbers)}
						width += len(numbers)
					}
				}
			}
		}
	}
	all := make([]*contributions, len(systems))
	for k, records := range systems {
		all[k] = &contributions{layout: at, width: width, each: 1}
		for d, sentences := range records {
			all[k].direction(d, sentences)
		}
	}
	return all
}

// pooled returns the contributions of several outputs to each source: row by row the sum of theirs,
// each counted so many times.
func pooled(all []*contributions, times int) *contributions {
	sum := *all[0]
	sum.each = times * len(all)
	for d, rows := range sum.rows {
		sum.rows[d], sum.known[d] = make([]row, len(rows)), maps.Clone(sum.known[d])
		for i := range rows {
			sum.rows[d][i] = make(row, sum.width)
			for _, l := range all {
				for c, v := range l.rows[d][i] {
					sum.rows[d][i][c] += float64(times) * v
				}
			}
		}
		for _, l := range all[1:] {
			maps.DeleteFunc(sum.known[d], func(key string, _ bool) bool { return !l.known[d][key] })
		}
	}
	return &sum
}

// direction fills in the rows of one direction.
func (l *contributions) direction(d int, sentences []Sentence) {
	l.known[d] = map[string]bool{}
	for key := range l.layout {
		l.known[d][key] = true
	}
	l.rows[d] = make([]row, len(sentences))
	for i := range sentences {
		r := make(row, l.width)
		for key, at := range l.layout {
			if numbers, has := sentences[i].Numbers[key]; has {
				copy(r[at[0]:at[1]], numbers)
			} else {
				l.known[d][key] = false
			}
		}
		l.rows[d][i] = r
	}
}

// empty are the totals of a direction before any row is added.
func (l *contributions) empty(d int) totals {
	return totals{row: make(row, l.width), n: l.each * len(l.rows[d]), known: l.known[d], layout: l.layout}
}

// totals sums every output once.
func (l *contributions) totals() (both [2]totals) {
	for d, rows := range l.rows {
		both[d] = l.empty(d)
		for _, r := range rows {
			both[d].add(r)
		}
	}
	return both
}

// values computes those of the metrics that are made of sums, for one direction, and what is made
// of these.
func (t *totals) values(all []*Metric) Values {
	v := Values{}
	for _, m := range all {
		if m.total != nil && t.has(m) {
			v[m.Key] = m.total(t)
		}
	}
	return v.derive(all)
}

// overall computes them for both directions; what one direction lacks is absent, but a direction
// without an output does not count.
func overall(all []*Metric, dirs [2]totals) Values {
	for k, other := range []int{1, 0} {
		if dirs[k].n == 0 {
			return dirs[other].values(all)
		}
	}
	v := make(Values, len(all))
	pooled := dirs[0].plus(&dirs[1])
	for _, m := range all {
		switch {
		case m.total == nil || !dirs[0].has(m) || !dirs[1].has(m):
		case m.pooled:
			v[m.Key] = m.total(pooled)
		default:
			v[m.Key] = (m.total(&dirs[0]) + m.total(&dirs[1])) / 2
		}
	}
	return v.derive(all)
}

// derive adds the metrics that are made of others.
func (v Values) derive(all []*Metric) Values {
	for _, m := range all {
		if m.of == nil {
			continue
		}
		if x, known := m.of(v); known {
			v[m.Key] = x
		}
	}
	return v
}

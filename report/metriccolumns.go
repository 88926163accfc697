package report

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// inGroup returns the metrics of a group that tables with a row a system show.
func inGroup(group metrics.Group) []*metrics.Metric {
	return filter(metrics.Columns(), func(m *metrics.Metric) bool { return m.Group == group && !m.Aside })
}

// metricColumn is the head of a metric.
func metricColumn(m *metrics.Metric) Column { return Column{Head: m.Head, Align: Right, key: m.Key} }

// metricCell formats a metric, Absent where it is not known.
func metricCell(m *metrics.Metric, of metrics.Values) Cell {
	v, known := of[m.Key]
	if !known {
		return Cell{Text: Absent}
	}
	return Cell{Text: decimals(v, m.Decimals)}
}

// filter returns the metrics that keep accepts.
func filter(all []*metrics.Metric, keep func(*metrics.Metric) bool) []*metrics.Metric {
	return slices.DeleteFunc(slices.Clone(all), func(m *metrics.Metric) bool { return !keep(m) })
}

// metricText is metricCell of both directions as text.
func metricText(of *metrics.Scores, key string) string {
	return metricCell(metrics.ColumnsOf(key)[0], of.Metrics).Text
}

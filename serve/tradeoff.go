package serve

import (
	"html/template"
	"net/http"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/figure"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// tradeOffData is the page of the figure of one metric over another.
type tradeOffData struct {
	Metrics []choice // of either axis
	X, Y    string
	Systems []systemChoice
	Plots   []plotData
	Notices []string
}

// systemChoice is a system that the page shows or leaves out.
type systemChoice struct {
	Name  string // with how it writes: "SMLM-G, guided"
	Shown bool
}

// plotData is the figure of one data set.
type plotData struct {
	Dataset, XHead, YHead string
	Figure                template.HTML
	Marks                 []string // what each mark is
}

func (s *Server) tradeOffPage(_ http.ResponseWriter, r *http.Request) (*view, error) {
	found, err := s.study.results()
	if err != nil {
		return nil, err
	}
	d := tradeOffData{X: "s_bleu", Y: "tst", Notices: found.notices()}
	rows := found.results.Results
	known := measured(rows)
	for _, m := range known {
		d.Metrics = append(d.Metrics, choice{m.Key, table.Flat(m.Head)})
	}
	query := r.URL.Query()
	for name, into := range map[string]*string{"x": &d.X, "y": &d.Y} {
		given := query.Get(name)
		if given == "" {
			continue
		}
		if !slices.ContainsFunc(known, func(m *metrics.Metric) bool { return m.Key == given }) {
			return nil, userr.New(userr.BadInput, "%s is no metric of a finished system: choose one from the list",
				name)
		}
		*into = given
	}
	names := lists.Map(rows, func(row report.ResultRow) string { return report.SystemOf(&row) })
	systems := lists.AddOnce(nil, names...)
	chosen := query["system"]
	shows := func(system string) bool { return len(chosen) == 0 || slices.Contains(chosen, system) }
	for _, system := range systems {
		d.Systems = append(d.Systems, systemChoice{system, shows(system)})
	}
	x, y := metrics.ColumnsOf(d.X)[0], metrics.ColumnsOf(d.Y)[0]
	datasets := lists.AddOnce(nil, lists.Map(rows, func(row report.ResultRow) string { return row.Dataset })...)
	for _, dataset := range datasets {
		some := lists.Where(rows, func(row report.ResultRow) bool {
			return row.Dataset == dataset && shows(report.SystemOf(&row))
		})
		f, is := figure.TradeOffOf(some, x, y).(figure.TradeOff)
		if !is {
			continue // nothing of it is scored
		}
		f.Size.Width, f.Size.Panel = 11, 8
		if f.Enlarges() {
			f.Size.Width = 18
		}
		p := plotData{Dataset: dataset, XHead: table.Flat(x.Head), YHead: table.Flat(y.Head)}
		f.Panels[0].Title = "" // the page says it
		svg, err := figure.Inline(f)
		if err != nil {
			return nil, err
		}
		p.Figure = template.HTML(svg) //nolint:gosec // figures escape their texts
		p.Marks = lists.Map(f.Panels[0].Points, func(q figure.TradeOffPoint) string { return q.Note })
		d.Plots = append(d.Plots, p)
	}
	return &view{Title: "Trade-off", Page: "tradeoff", Script: "plot.js", Data: d}, nil
}

// measured are the metrics that some row has.
func measured(rows []report.ResultRow) []*metrics.Metric {
	var keys []string
	for i := range rows {
		for key := range rows[i].Metrics.Metrics {
			keys = lists.AddOnce(keys, key)
		}
	}
	return metrics.ColumnsOf(keys...)
}

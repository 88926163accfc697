package serve

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/report"
)

// onePage is how many sentences a page of two systems shows.
const onePage = 25

// pairsData is the page of two systems.
type pairsData struct {
	Systems    []choice // rows of the table of results
	A, B       string   // their numbers
	NameA      string
	NameB      string
	Flaws      []string // of these two, a sentence each
	Directions []string
	Direction  string // "": all
	Search     string
	Differ     bool // only where they do
	Pairs      []pairData
	Total      int // that fit
	Of         int // of all
	From, To   int // of Total, from 1 on
	Previous   string
	Next       string
}

type pairData struct {
	Item, Direction string
	Source          string
	A, B            []wordData
	Same            bool
}

func (s *Server) pairsPage(_ http.ResponseWriter, r *http.Request) (*view, error) {
	found, err := s.study.results()
	if err != nil {
		return nil, err
	}
	query := r.URL.Query()
	d := &pairsData{
		A: query.Get("a"), B: query.Get("b"), Direction: query.Get("direction"), Search: query.Get("q"),
		Differ: query.Get("differ") != "",
	}
	rows := found.results.Results
	several := len(s.study.plan.Experiment.Datasets) > 1
	for i := range rows {
		if !rows[i].Unranked { // people's references are no outputs
			d.Systems = append(d.Systems, choice{strconv.Itoa(i), rowName(&rows[i], several)})
		}
	}
	v := &view{Title: "Two systems", Page: "pairs", Script: "submit.js", Data: d}
	if len(d.Systems) == 0 {
		return v, nil
	}
	a, b, err := d.rows(rows)
	if err != nil {
		return nil, err
	}
	d.NameA, d.NameB = rowName(&rows[a], several), rowName(&rows[b], several)
	d.Flaws = report.FlawNotes([]report.ResultRow{rows[a], rows[b]}, several)
	pairs, err := found.results.Pairs(a, b, s.study.plan.Data[rows[a].Dataset])
	if err != nil {
		return nil, err
	}
	d.Of = len(pairs)
	for _, p := range pairs {
		if !slices.Contains(d.Directions, p.Direction) {
			d.Directions = append(d.Directions, p.Direction)
		}
	}
	if d.Direction != "" && !slices.Contains(d.Directions, d.Direction) {
		d.Direction = "" // of the data set that was shown before
	}
	pairs = slices.DeleteFunc(pairs, func(p human.Pair) bool { return !d.fits(&p) })
	d.Total = len(pairs)
	return v, d.turn(pairs, query)
}

// rows are those asked for, or the first two of one data set.
func (d *pairsData) rows(all []report.ResultRow) (a, b int, err error) {
	for _, of := range []struct {
		given string
		into  *int
	}{{d.A, &a}, {d.B, &b}} {
		if of.given == "" {
			*of.into, _ = strconv.Atoi(d.Systems[0].Value)
			continue
		}
		known := slices.ContainsFunc(d.Systems, func(c choice) bool { return c.Value == of.given })
		if *of.into, err = strconv.Atoi(of.given); err != nil || !known {
			return 0, 0, userr.New(userr.BadInput, "there is no system %q: choose one from the list", of.given)
		}
	}
	if d.B == "" || all[b].Dataset != all[a].Dataset {
		b = a
		for i := range all {
			if i != a && all[i].Dataset == all[a].Dataset && !all[i].Unranked {
				b = i
				break
			}
		}
	}
	d.A, d.B = strconv.Itoa(a), strconv.Itoa(b)
	return a, b, nil
}

// fits says whether a pair is among those asked for.
func (d *pairsData) fits(p *human.Pair) bool {
	if d.Direction != "" && p.Direction != d.Direction || d.Differ && p.A == p.B {
		return false
	}
	wanted := strings.ToLower(strings.TrimSpace(d.Search))
	return wanted == "" || slices.ContainsFunc([]string{p.Source, p.A, p.B}, func(text string) bool {
		return strings.Contains(strings.ToLower(text), wanted)
	})
}

// turn shows the pairs of one page, and where those before and after it are.
func (d *pairsData) turn(pairs []human.Pair, query url.Values) error {
	page := 0
	if given := query.Get("page"); given != "" {
		var err error
		if page, err = strconv.Atoi(given); err != nil || page < 0 {
			return userr.New(userr.BadInput, "the page is %q and must be a number from 0 on", given)
		}
	}
	page = min(page, max(0, len(pairs)-1)/onePage)
	begin, end := page*onePage, min((page+1)*onePage, len(pairs))
	for _, p := range pairs[begin:end] {
		source := strings.Fields(p.Source)
		d.Pairs = append(d.Pairs, pairData{
			Item: p.Item, Direction: p.Direction, Source: p.Source, Same: p.A == p.B,
			A: changes(source, strings.Fields(p.A)), B: changes(source, strings.Fields(p.B)),
		})
	}
	d.From, d.To = min(begin+1, end), end
	to := func(n int) string {
		q := url.Values{"a": {d.A}, "b": {d.B}, "direction": {d.Direction}, "q": {d.Search}, "page": {strconv.Itoa(n)}}
		if d.Differ {
			q.Set("differ", "1")
		}
		return "pairs?" + q.Encode()
	}
	if page > 0 {
		d.Previous = to(page - 1)
	}
	if end < len(pairs) {
		d.Next = to(page + 1)
	}
	return nil
}

// rowName names a row of the table of results, with the signs of its flaws.
func rowName(row *report.ResultRow, several bool) string {
	name := strings.Join(append([]string{row.System}, recipe.AxisWords(row.Axes)...), ", ")
	if !row.Published {
		name += ", seed " + strconv.FormatUint(row.Seed, 10)
	}
	if several {
		name = row.Dataset + ": " + name
	}
	return name + metrics.Signs(row.Metrics.Flaws())
}

// wordData is a word of an output; New where the source has not got it there.
type wordData struct {
	Text string
	New  bool
}

// changes marks the words of an output as the table of examples does.
func changes(source, output []string) []wordData {
	out := make([]wordData, len(output))
	for j, put := range report.Replaced(source, output) {
		out[j] = wordData{output[j], put}
	}
	return out
}

package results

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/masking"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/page"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// WritePage writes one self-contained HTML page with everything that Collect found: tables,
// figures, examples with the scores of their words, settings and signatures. If path is "",
// WritePage writes to the page's usual place in the workspace. It returns the path of the page.
func (r *Results) WritePage(path string) (string, error) {
	own := path == ""
	if own {
		path = r.ws.PagePath(r.plan.Experiment.Name)
	}
	built, err := r.Page()
	if err != nil {
		return "", err
	}
	if own {
		return path, writeFiles(r.ws, filepath.Dir(path), "the report", func(write writeFile) error {
			return write(filepath.Base(path), built.Write)
		})
	}
	if err := files.Update(path, built.Write); err != nil {
		return "", files.NotWritten(path, err)
	}
	return path, nil
}

// Page returns the page that WritePage writes.
func (r *Results) Page() (*page.Page, error) {
	e := r.plan.Experiment
	verdicts, err := Verdicts(r.plan, r.ws)
	if err != nil {
		return nil, err
	}
	out := &page.Page{
		Title: e.Name, Command: e.CommandForOthers(),
		Tables: r.Tables(), Settings: e.Text(), Signatures: r.About.Signatures,
		About: lists.Map(verdicts, func(v Verdict) string { return v.Text }),
	}
	out.About = lists.AddOnce(out.About, r.aboutOf(onPage).Settings()...)
	out.About = lists.AddOnce(out.About, r.allNotes()...)
	figures, err := r.Figures()
	if err != nil {
		return nil, err
	}
	for _, f := range figures {
		var svg bytes.Buffer
		if err := f.Figure.Write(&svg, "svg"); err != nil {
			return nil, err
		}
		out.Figures = append(out.Figures, page.Figure{Title: f.Title, SVG: svg.Bytes()})
	}
	if out.Examples, err = r.heatMaps(); len(out.Examples) > 0 { // the heat maps contain all of the table "examples"
		out.Tables = slices.DeleteFunc(out.Tables, func(t *table.Table) bool { return t.Name == "examples" })
	}
	return out, err
}

// shownExample says where to find the word scores of an example.
type shownExample struct {
	row       int         // index in Results.Examples
	mask      *plan.Stage // stage with the masks; nil if there are none
	transfer  *plan.Stage
	direction int // index among all directions
	from      int // the style of the source
	line      int // index of the source in its file
}

// heatMaps returns the examples with the score of each word, the rule of the masks, and the origins
// of the output's words.
func (r *Results) heatMaps() ([]page.Example, error) {
	files, why := map[*plan.Stage]*masking.ScoreFile{}, originsOf{}
	var out []page.Example
	for _, s := range r.shown {
		row := &r.Examples[s.row]
		e := page.Example{
			Dataset: row.Dataset, System: row.System, Direction: row.From + " to " + row.To,
			Source: strings.Fields(row.Source), Output: strings.Fields(row.Output),
		}
		e.New = report.Replaced(e.Source, e.Output)
		masked := strings.Fields(row.Masked)
		for _, w := range masked {
			e.Masked = append(e.Masked, w == corpus.MaskToken)
		}
		if s.mask != nil && r.ws.Done(s.mask.Inputs["attribution"]) {
			attribution := s.mask.Inputs["attribution"]
			if files[attribution] == nil {
				path, err := r.ws.File(attribution, "scores.jsonl")
				if err != nil {
					return nil, err
				}
				f, err := masking.ReadScores(path)
				if err != nil {
					return nil, err
				}
				files[attribution] = f
			}
			if scores := files[attribution].Rows(corpus.Test.String(), s.from); s.line < len(scores) {
				for _, x := range scores[s.line] {
					e.Scores = append(e.Scores, float64(x))
				}
			}
			if m, ok := s.mask.Settings.(stages.MaskSettings); ok && !m.Random {
				if tune := s.mask.Inputs["tune"]; tune != nil {
					t, err := stages.ReadTuning(r.ws.StageDir(tune))
					if err != nil {
						return nil, err
					}
					m = m.With(t.Choice())
				}
				e.Rule = m.Rule(len(e.Source))
			}
		}
		styles := r.plan.Sets[row.Dataset].Labels
		origins, err := why.read(r.ws, s.transfer, styles)
		if err != nil {
			return nil, err
		}
		if origins != nil {
			of := origins[s.direction][s.line]
			e.Guide, e.Origins = of.Guide, Marks(of, e.Source)
		}
		out = append(out, e)
	}
	return out, nil
}

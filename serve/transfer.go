package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/rewriting"
)

// candidates is how many outputs a sentence gets beside the one that is written.
const candidates = 5

// transferData is the page of transfer.
type transferData struct {
	Missing string // why there are no models
	Models  []modelChoice
	Chosen  string
}

type modelChoice struct {
	choice
	Labels [2]string
}

// transferring is a trained model and its point, as a plan of their own.
type transferring struct {
	plan  *plan.Plan
	model *plan.ModelStages
	of    *plan.PointStages
}

// transferable are the trained models of all points, by the start of their transfer's identity.
func (s *Server) transferable(p *plan.Plan) (names []modelChoice, of map[string]transferring) {
	of = map[string]transferring{}
	for i := range p.Points {
		point := &p.Points[i]
		for k := range point.Models {
			m := &point.Models[k]
			if m.Transfer == nil || of[m.Transfer.ID[:shortID]].plan != nil || !s.study.trained(m.Transfer) {
				continue
			}
			one, at := *p, *point // so that nothing else can be found
			at.Models = point.Models[k : k+1]
			one.Points = []plan.PointStages{at}
			id := m.Transfer.ID[:shortID]
			of[id] = transferring{&one, m, point}
			words := []string{plan.SystemNames[m.Model] + " (" + string(m.Unmasked) + ")"}
			if len(point.Point.Settings.Masking.TrainOn) > 1 {
				words = append(words, "masks by "+string(m.Method))
			}
			names = append(names, modelChoice{
				choice{id, strings.Join(append(words, pointName(p, point, m.Transfer)), ", ")},
				p.Data[point.Point.Dataset].Labels,
			})
		}
	}
	return names, of
}

// trained says whether all that a transfer reads is finished, but for its sentences.
func (s *study) trained(transfer *plan.Stage) bool {
	for name, in := range transfer.Inputs {
		if name != "test" && name != "test-mask" && !s.ws.Done(in) {
			return false
		}
	}
	return true
}

func (s *Server) transferPage(http.ResponseWriter, *http.Request) (*view, error) {
	p, _, err := s.study.stages()
	if err != nil {
		return nil, err
	}
	d := transferData{Missing: s.models.missing()}
	names, of := s.transferable(p)
	d.Models = names
	for _, n := range names { // the one that the command takes
		m := of[n.Value].model
		if d.Chosen == "" || m.Model == "smlm-ft" && of[d.Chosen].model.Model != m.Model ||
			m.Model == of[d.Chosen].model.Model && m.Unmasked == recipe.Helped &&
				of[d.Chosen].model.Unmasked != recipe.Helped {
			d.Chosen = n.Value
		}
	}
	return &view{Title: "Transfer", Page: "transfer", Script: "transfer.js", Data: d}, nil
}

// transferRequest is what the page asks.
type transferRequest struct {
	Model string `json:"model"`
	To    string `json:"to"`
	Text  string `json:"text"`
}

// transferAnswer is a sentence in the other style.
type transferAnswer struct {
	From       string            `json:"from"`
	To         string            `json:"to"`
	Source     []string          `json:"source"`
	Unknown    []bool            `json:"unknown,omitempty"` // words that the vocabulary does not have
	Masked     []string          `json:"masked"`
	Output     []outputWord      `json:"output"`
	Guide      float64           `json:"guide,omitempty"`
	Text       string            `json:"text"` // the output as its user spells
	Candidates []candidateAnswer `json:"candidates"`
	Warning    string            `json:"warning,omitempty"`
}

// outputWord is a word and why it is there.
type outputWord struct {
	Word string `json:"word"`
	How  string `json:"how,omitempty"` // refilled, added, put_back; changed where only that is known
	Note string `json:"note,omitempty"`
}

// candidateAnswer is another output, and what speaks for it.
type candidateAnswer struct {
	Text       string       `json:"text"`
	Words      []outputWord `json:"words"`
	Written    bool         `json:"written"`
	LogQ       float64      `json:"log_q"`
	Guide      float64      `json:"guide"`
	Fluency    float64      `json:"fluency"`
	Similarity float64      `json:"similarity"`
	Total      float64      `json:"total"`
}

func (s *Server) transfer(r *http.Request) (any, error) {
	var q transferRequest
	if err := readJSON(r, &q); err != nil {
		return nil, err
	}
	text, err := cut(q.Text)
	if err != nil {
		return nil, err
	}
	p, _, err := s.study.stages()
	if err != nil {
		return nil, err
	}
	_, of := s.transferable(p)
	asked, known := of[q.Model]
	if !known {
		return nil, userr.New(userr.BadInput, "there is no such model: load the page again")
	}
	labels := p.Data[asked.of.Point.Dataset].Labels
	if !slices.Contains(labels[:], q.To) {
		return nil, userr.New(userr.BadInput, "%s has no style of that name: choose %s or %s", asked.of.Point.Dataset,
			labels[0], labels[1])
	}
	chosen, err := rewriting.Choice{
		Plan: asked.plan, WS: s.study.ws, Model: asked.model.Model, To: q.To, Unmasked: string(asked.model.Unmasked),
	}.Transfer()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, userr.New(userr.BadInput, "a stage of the model is gone: load the page again")
	} else if err != nil {
		return nil, err
	}
	chosen.Request.Why = true
	if chosen.Request.Settings.Unmasked == recipe.Copied {
		chosen.Request.Candidates = candidates
	}
	var done runs.Rewritten
	err = s.models.use(r.Context(), "transfer "+q.Model+" to "+q.To, s.models.rewriting(chosen.Request),
		func(ctx context.Context, m *session) error {
			all, err := m.transfer.Rewrite(ctx, [][]string{text.Words})
			if err == nil {
				done = all[0]
			}
			return err
		})
	if err != nil {
		return nil, err
	}
	a := &transferAnswer{
		From: labels[chosen.Request.From], To: q.To, Source: text.Words, Unknown: done.Unknown, Masked: done.Masked,
		Output: outputOf(text.Words, done.Output, done.Origins), Text: text.Restore(done.Output),
		Warning: warningOf(text.Words, &done), Candidates: []candidateAnswer{},
	}
	if done.Origins != nil {
		a.Guide = done.Origins.Guide
	}
	for _, c := range done.Candidates {
		a.Candidates = append(a.Candidates, candidateAnswer{
			Text: text.Restore(c.Output), Words: outputOf(text.Words, c.Output, c.Origins), Written: c.Written,
			LogQ: c.LogQ, Guide: c.Guide, Fluency: c.Fluency, Similarity: c.Similarity, Total: c.Total,
		})
	}
	return a, nil
}

// outputOf says of every word of an output where it comes from, as far as is known.
func outputOf(source, output []string, origins *kind.Origins) []outputWord {
	out := make([]outputWord, len(output))
	if origins == nil {
		for i, w := range changes(source, output) {
			if out[i].Word = w.Text; w.New {
				out[i].How, out[i].Note = "changed", "not the source's"
			}
		}
		return out
	}
	for i, w := range origins.Words {
		out[i] = outputWord{Word: w.Word}
		switch how := string(w.Origin); {
		case how == "kept":
		case how == "put_back":
			out[i].How, out[i].Note = how, fmt.Sprintf("put back: the guide is %.2f sure", w.Guide)
		default:
			out[i].How, out[i].Note = how, fmt.Sprintf("%s, p %.2f", how, w.P)
		}
	}
	return out
}

// warningOf says where the models know nearly nothing of a sentence.
func warningOf(words []string, done *runs.Rewritten) string {
	known, all, few := done.Familiar(words)
	if !few {
		return ""
	}
	return fmt.Sprintf("The models know %d of the %d words, and copy the others: is it of the language and kind of the "+
		"training text?", known, all)
}

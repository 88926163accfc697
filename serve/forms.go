package serve

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics/human"
)

// forms are those of a human evaluation, filled in one question at a time.
type forms struct {
	dir        string
	annotators []int
	mu         sync.Mutex // of the files
}

// formsData is the list of forms, or of sheets.
type formsData struct {
	About string
	Forms []formData
}

// formData says how far a form or a sheet is filled in.
type formData struct {
	To, Name             string
	Person, Answered, Of int    // a number from 1 on; questions or items
	Elsewhere            string // the file that has the answers in its place, "" for none
}

// questionData is a question of a form.
type questionData struct {
	formData
	human.Question
	Choices        []answerData
	Previous, Next int // 0: there is none
	Over           bool
}

type answerData struct {
	Value, Text, Key string
	Chosen           bool
}

// said is what the answers are called.
var said = map[string]string{
	"1": "The first is better", "2": "The second is better", "both": "Both are good", "neither": "Neither is good",
}

func openForms(dir string) (*forms, error) {
	all, err := human.Forms(dir)
	if err != nil {
		return nil, err
	}
	f := &forms{dir: dir, annotators: all}
	for _, n := range all {
		if _, err := human.OpenForm(dir, n); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (s *Server) formRoutes(mux *http.ServeMux) {
	mux.Handle("GET /{$}", s.page(s.formsPage))
	mux.Handle("GET /form/{annotator}", s.page(s.questionPage))
	mux.Handle("POST /form/{annotator}", s.page(s.answerForm))
}

func (s *Server) formsPage(http.ResponseWriter, *http.Request) (*view, error) {
	s.forms.mu.Lock()
	defer s.forms.mu.Unlock()
	d := formsData{About: "Each annotator fills in one form."}
	for _, n := range s.forms.annotators {
		f, err := human.OpenForm(s.forms.dir, n)
		if err != nil {
			return nil, err
		}
		d.Forms = append(d.Forms, progressOf(n, f))
	}
	return &view{Title: "Forms", Page: "forms", Data: d}, nil
}

func progressOf(annotator int, f *human.Filled) formData {
	d := formData{
		To: fmt.Sprintf("form/%d", annotator), Name: fmt.Sprintf("Form %d", annotator), Person: annotator,
		Of: len(f.Questions),
	}
	for _, a := range f.Answers {
		if a != "" {
			d.Answered++
		}
	}
	return d
}

// open returns the form that a path names.
func (f *forms) open(r *http.Request) (int, *human.Filled, error) {
	annotator, err := strconv.Atoi(r.PathValue("annotator"))
	if err != nil || !slices.Contains(f.annotators, annotator) {
		return 0, nil, errNowhere
	}
	form, err := human.OpenForm(f.dir, annotator)
	return annotator, form, err
}

// questionPage shows the question asked for, or the first without an answer.
func (s *Server) questionPage(_ http.ResponseWriter, r *http.Request) (*view, error) {
	s.forms.mu.Lock()
	defer s.forms.mu.Unlock()
	annotator, form, err := s.forms.open(r)
	if err != nil {
		return nil, err
	}
	d := questionData{formData: progressOf(annotator, form)}
	at := slices.Index(form.Answers, "")
	if given := r.URL.Query().Get("question"); given != "" {
		n, err := strconv.Atoi(given)
		if err != nil || n < 1 || n > len(form.Questions) {
			return nil, userr.New(userr.BadInput, "there is no such question: the form has %d", len(form.Questions))
		}
		at = n - 1
	} else if at < 0 {
		d.Over = true
	}
	if !d.Over {
		d.Question = form.Questions[at]
		d.Previous = at
		if at+1 < len(form.Questions) {
			d.Next = at + 2
		}
		for _, a := range human.Answers() {
			d.Choices = append(d.Choices, answerData{a, said[a], a[:1], form.Answers[at] == a})
		}
	}
	return &view{Title: fmt.Sprintf("Form %d", annotator), Page: "question", Script: "form.js", Data: d}, nil
}

// answerForm writes an answer and goes on to the next question.
func (s *Server) answerForm(w http.ResponseWriter, r *http.Request) (*view, error) {
	s.forms.mu.Lock()
	defer s.forms.mu.Unlock()
	if err := r.ParseForm(); err != nil {
		return nil, userr.New(userr.BadInput, "what was sent is no answer: %w", err)
	}
	number, err := strconv.Atoi(r.PostForm.Get("question"))
	if err != nil {
		return nil, userr.New(userr.BadInput, "what was sent names no question")
	}
	return nil, human.Alone(s.forms.dir, func() error {
		annotator, form, err := s.forms.open(r)
		if err != nil {
			return err
		}
		if err := form.Answer(number, r.PostForm.Get("answer")); err != nil {
			return err
		}
		redirect(w, strconv.Itoa(annotator))
		return nil
	})
}

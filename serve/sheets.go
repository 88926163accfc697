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

// sheets are those of blind readers, filled in one sentence at a time.
type sheets struct {
	dir     string
	readers []human.SheetReader
	mu      sync.Mutex // of the files
}

// itemData is an item of a sheet.
type itemData struct {
	formData
	human.SheetItem
	Rows           []rewriteData
	Scales         []human.Scale
	Rules          []string
	Previous, Next int // 0: there is none
	First          int
	Over           bool
}

// rewriteData is a rewrite with what may be said of it.
type rewriteData struct {
	human.Rewrite
	Key    string // that marks it best
	Groups []scaleData
}

// scaleData is what may be said of a rewrite on one scale.
type scaleData struct {
	Field, Name string
	Choices     []answerData
}

func openSheets(dir string, readers []human.SheetReader) (*sheets, error) {
	for _, r := range readers {
		if _, err := human.OpenSheet(dir, r.Number); err != nil {
			return nil, err
		}
	}
	return &sheets{dir: dir, readers: readers}, nil
}

func (s *Server) sheetRoutes(mux *http.ServeMux) {
	mux.Handle("GET /{$}", s.page(s.sheetsPage))
	mux.Handle("GET /sheet/{reader}", s.page(s.itemPage))
	mux.Handle("POST /sheet/{reader}", s.page(s.rate))
}

func (s *Server) sheetsPage(http.ResponseWriter, *http.Request) (*view, error) {
	s.sheets.mu.Lock()
	defer s.sheets.mu.Unlock()
	d := formsData{About: "Each reader rates one sheet, alone: choose yours."}
	for _, r := range s.sheets.readers {
		sheet, err := human.OpenSheet(s.sheets.dir, r.Number)
		if err != nil {
			return nil, err
		}
		d.Forms = append(d.Forms, ratedOf(r, sheet))
	}
	return &view{Title: "Sheets", Page: "forms", Data: d}, nil
}

// ratedOf says how far a reader is.
func ratedOf(r human.SheetReader, sheet *human.Sheet) formData {
	d := formData{
		To: fmt.Sprintf("sheet/%d", r.Number), Name: r.Name, Person: r.Number, Of: len(sheet.Items), Elsewhere: sheet.Elsewhere,
	}
	for i := range sheet.Items {
		if sheet.Items[i].Rated() {
			d.Answered++
		}
	}
	return d
}

// open returns the sheet that a path names.
func (s *sheets) open(r *http.Request) (reader human.SheetReader, sheet *human.Sheet, err error) {
	number, err := strconv.Atoi(r.PathValue("reader"))
	at := slices.IndexFunc(s.readers, func(one human.SheetReader) bool { return one.Number == number })
	if err != nil || at < 0 {
		return reader, nil, errNowhere
	}
	sheet, err = human.OpenSheet(s.dir, number)
	if err == nil {
		err = sheet.Free()
	}
	return s.readers[at], sheet, err
}

// itemPage shows the item asked for, or the first that is not rated.
func (s *Server) itemPage(_ http.ResponseWriter, r *http.Request) (*view, error) {
	s.sheets.mu.Lock()
	defer s.sheets.mu.Unlock()
	reader, sheet, err := s.sheets.open(r)
	if err != nil {
		return nil, err
	}
	d := itemData{
		formData: ratedOf(reader, sheet), Scales: human.Scales, Rules: human.HowToRate, First: sheet.Items[0].Number,
	}
	at := slices.IndexFunc(sheet.Items, func(i human.SheetItem) bool { return !i.Rated() })
	if given := r.URL.Query().Get("item"); given != "" {
		n, err := strconv.Atoi(given)
		at = slices.IndexFunc(sheet.Items, func(i human.SheetItem) bool { return i.Number == n })
		if err != nil || at < 0 {
			return nil, userr.New(userr.BadInput, "there is no such item: the sheet has %d", len(sheet.Items))
		}
	}
	if d.Over = at < 0; !d.Over {
		d.SheetItem = sheet.Items[at]
		if at > 0 {
			d.Previous = sheet.Items[at-1].Number
		}
		if at+1 < len(sheet.Items) {
			d.Next = sheet.Items[at+1].Number
		}
		for _, rewrite := range d.Rewrites {
			d.Rows = append(d.Rows, rowOf(rewrite))
		}
	}
	return &view{Title: "Sheet of " + reader.Name, Page: "item", Script: "item.js", Data: d}, nil
}

// rowOf is a rewrite with what may be said of it.
func rowOf(r human.Rewrite) rewriteData {
	row := rewriteData{Rewrite: r, Key: string(r.Letter[0] - 'A' + 'a')}
	for k, scale := range human.Scales {
		group := scaleData{Field: fieldOf(scale, r.Letter), Name: scale.Name}
		for score, meaning := range scale.Meaning {
			group.Choices = append(group.Choices, answerData{
				Value: strconv.Itoa(score), Text: meaning, Chosen: r.Scores[k] == score,
			})
		}
		row.Groups = append(row.Groups, group)
	}
	return row
}

// fieldOf is the field of a score.
func fieldOf(scale human.Scale, letter string) string { return scale.Name + "-" + letter }

// rate writes what is said of an item and goes on to the next that is not rated.
func (s *Server) rate(w http.ResponseWriter, r *http.Request) (*view, error) {
	s.sheets.mu.Lock()
	defer s.sheets.mu.Unlock()
	if err := r.ParseForm(); err != nil {
		return nil, userr.New(userr.BadInput, "what was sent is no rating: %w", err)
	}
	item, err := strconv.Atoi(r.PostForm.Get("item"))
	if err != nil {
		return nil, userr.New(userr.BadInput, "what was sent names no item")
	}
	said := human.Judged{Item: item, Scores: map[string][]int{}, Best: r.PostForm["best"]}
	for letter := 'A'; letter < 'A'+human.MostSystems; letter++ {
		scores, given := []int(nil), false
		for _, scale := range human.Scales {
			text := r.PostForm.Get(fieldOf(scale, string(letter)))
			score, err := strconv.Atoi(text)
			if err != nil {
				score = human.Unrated
			}
			scores, given = append(scores, score), given || text != ""
		}
		if given {
			said.Scores[string(letter)] = scores
		}
	}
	return nil, human.Alone(s.sheets.dir, func() error {
		reader, sheet, err := s.sheets.open(r)
		if err != nil {
			return err
		}
		if err := sheet.Rate(said); err != nil {
			return err
		}
		redirect(w, strconv.Itoa(reader.Number))
		return nil
	})
}

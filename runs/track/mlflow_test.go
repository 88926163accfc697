package track

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeMLflow is the part of a server that is asked, as the REST API 2.0 describes it.
type fakeMLflow struct {
	t           *testing.T
	experiments map[string]string
	runs        map[string]*fakeRun
	asked       []string
	fail        string // such a request fails
}

type fakeRun struct {
	identity, name, status string
	params                 map[string]string
	metrics                []string // "key step value"
	last                   map[string]mlflowMetric
}

func newFakeMLflow(t *testing.T) (*fakeMLflow, string) {
	f := &fakeMLflow{t: t, experiments: map[string]string{}, runs: map[string]*fakeRun{}}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return f, server.URL
}

func (f *fakeMLflow) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/api/2.0/mlflow/")
	f.asked = append(f.asked, path)
	refuse := func(status int, code string) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error_code": %q, "message": "no\nmore"}`, code)
	}
	if path == f.fail {
		refuse(http.StatusInternalServerError, "INTERNAL_ERROR")
		return
	}
	var ask struct {
		Name       string         `json:"name"`
		Experiment string         `json:"experiment_id"`
		RunName    string         `json:"run_name"`
		Run        string         `json:"run_id"`
		Status     string         `json:"status"`
		Tags       []pair         `json:"tags"`
		Params     []pair         `json:"params"`
		Metrics    []mlflowMetric `json:"metrics"`
		Page       string         `json:"page_token"`
	}
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
			f.t.Error(err)
		}
	}
	of := f.runs[ask.Run]
	answer := func(v any) { _ = json.NewEncoder(w).Encode(v) }
	switch path {
	case "experiments/get-by-name":
		id, ok := f.experiments[r.URL.Query().Get("experiment_name")]
		if !ok {
			refuse(http.StatusNotFound, "RESOURCE_DOES_NOT_EXIST")
			return
		}
		answer(map[string]any{"experiment": map[string]string{"experiment_id": id}})
	case "experiments/create":
		f.experiments[ask.Name] = fmt.Sprint(len(f.experiments) + 1)
		answer(map[string]string{"experiment_id": f.experiments[ask.Name]})
	case "runs/create":
		id := fmt.Sprint("r", len(f.runs))
		f.runs[id] = &fakeRun{
			identity: ask.Tags[0].Value, name: ask.RunName, status: "RUNNING", params: map[string]string{},
			last: map[string]mlflowMetric{},
		}
		answer(map[string]any{"run": map[string]any{"info": map[string]string{"run_id": id}}})
	case "runs/log-batch":
		if len(ask.Metrics) > 1000 || len(ask.Params) > 100 {
			refuse(http.StatusBadRequest, "INVALID_PARAMETER_VALUE")
			return
		}
		for _, p := range ask.Params {
			of.params[p.Key] = p.Value
		}
		for _, m := range ask.Metrics {
			of.metrics, of.last[m.Key] = append(of.metrics, fmt.Sprintf("%s %d %g", m.Key, m.Step, m.Value)), m
		}
		answer(map[string]any{})
	case "runs/update":
		of.status = ask.Status
		answer(map[string]any{})
	case "runs/search": // one run a page
		page := len(ask.Page)
		var found []any
		if of := f.runs[fmt.Sprint("r", page)]; of != nil {
			var last []mlflowMetric
			for _, m := range of.last {
				last = append(last, m)
			}
			found = append(found, map[string]any{
				"info": map[string]string{"run_id": fmt.Sprint("r", page), "status": of.status},
				"data": map[string]any{
					"metrics": last, "params": pairs(of.params), "tags": []pair{{"other", "x"}, {identityTag, of.identity}},
				},
			})
		}
		next := ""
		if page+1 < len(f.runs) {
			next = ask.Page + "x"
		}
		answer(map[string]any{"runs": found, "next_page_token": next})
	default:
		refuse(http.StatusNotFound, "ENDPOINT_NOT_FOUND")
	}
}

func curve(id string, steps int, over bool) *Run {
	r := &Run{ID: id, Name: "smlm " + id, Params: map[string]string{"smlm.lr": "0.1", "λ (x)": "2"}, Over: over}
	for i := range steps {
		r.Steps = append(r.Steps, Step{
			Step: 10 * (i + 1), Time: time.UnixMilli(int64(1000 * i)),
			Values: map[string]float64{"loss": 1 / float64(i+1)},
		})
	}
	return r
}

// TestMLflow: runs grow as trainings do; a process that comes later finds them again, and sends
// only what is new.
func TestMLflow(t *testing.T) {
	f, address := newFakeMLflow(t)
	send := func(m *mlflow, r *Run) {
		t.Helper()
		if err := m.send(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	one := newMLflow(address+"/", "study")
	send(one, curve("a", 1, false))
	send(one, curve("a", 2, false))
	send(one, curve("b", 1, true))
	two := newMLflow(address, "study") // the next run
	send(two, curve("a", 3, true))
	send(two, curve("b", 1, true))
	if len(f.runs) != 2 || len(f.experiments) != 1 {
		t.Errorf("%d runs, %d experiments", len(f.runs), len(f.experiments))
	}
	a := f.runs["r0"]
	if d := cmp.Diff([]string{"loss 10 1", "loss 20 0.5", "loss 30 0.3333333333333333"}, a.metrics); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]string{"smlm.lr": "0.1", "λ _x_": "2"}, a.params); d != "" {
		t.Error(d)
	}
	if a.status != "FINISHED" || a.name != "smlm a" {
		t.Errorf("%+v", a)
	}
	before := len(f.asked)
	send(two, curve("a", 3, true))
	if len(f.asked) != before {
		t.Errorf("nothing is new, but it asked %v", f.asked[before:])
	}
}

// TestMLflowManyValues: more values than a request may have go in several.
func TestMLflowManyValues(t *testing.T) {
	f, address := newFakeMLflow(t)
	if err := newMLflow(address, "study").send(t.Context(), curve("a", 2500, true)); err != nil {
		t.Fatal(err)
	}
	if n := len(f.runs["r0"].metrics); n != 2500 {
		t.Errorf("%d values", n)
	}
}

// TestMLflowInterrupted: whichever request fails, the next try sends what is missing and nothing
// twice.
func TestMLflowInterrupted(t *testing.T) {
	for _, fail := range []string{
		"experiments/get-by-name", "experiments/create", "runs/search", "runs/create", "runs/log-batch", "runs/update",
	} {
		f, address := newFakeMLflow(t)
		f.fail = fail
		m := newMLflow(address, "study")
		err := m.send(t.Context(), curve("a", 2, true))
		if err == nil || err.Error() != "500 Internal Server Error INTERNAL_ERROR no" {
			t.Errorf("%s: %v", fail, err)
		}
		f.fail = ""
		for _, m := range []*mlflow{m, newMLflow(address, "study")} {
			if err := m.send(t.Context(), curve("a", 2, true)); err != nil {
				t.Errorf("%s: %v", fail, err)
			}
		}
		if d := cmp.Diff([]string{"loss 10 1", "loss 20 0.5"}, f.runs["r0"].metrics); d != "" || len(f.runs) != 1 ||
			f.runs["r0"].status != "FINISHED" || len(f.runs["r0"].params) != 2 {
			t.Errorf("%s: %s %+v", fail, d, f.runs["r0"])
		}
	}
}

// answers is a server that gives the same answer to everything.
type answers struct {
	status int
	body   []byte
	asked  int
}

func (a *answers) RoundTrip(*http.Request) (*http.Response, error) {
	a.asked++
	return &http.Response{
		StatusCode: a.status, Status: strconv.Itoa(a.status), Header: http.Header{},
		Body: io.NopCloser(bytes.NewReader(a.body)),
	}, nil
}

// TestMLflowWithoutEnd: a server that always has more, or says too much, is left alone with a
// sentence.
func TestMLflowWithoutEnd(t *testing.T) {
	for body, want := range map[string]string{
		`{"runs": [{}], "next_page_token": "more"}`:                 "its answers have no end",
		`{"runs": [` + strings.Repeat("{},", mostAnswer/3) + `{}]}`: "has over 8 MB",
	} {
		m := newMLflow("http://127.0.0.1:1", "study")
		m.client.Transport = &answers{status: http.StatusOK, body: []byte(body)}
		if err := m.send(t.Context(), curve("a", 1, true)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", body, err, want)
		}
	}
}

// FuzzMLflow: no answer of a server ends the program, and an error is one line that a terminal
// shows.
func FuzzMLflow(f *testing.F) {
	f.Add(200, []byte(`{"experiment": {"experiment_id": "1"}, "runs": [{"info": {"run_id": "r", "status": "RUNNING"},
		"data": {"metrics": [{"key": "loss", "step": 10}], "tags": [{"key": "smlm_exp.identity", "value": "a"}]}}]}`))
	f.Add(200, []byte(`{"runs": [{"data": {"tags": [{"key": "smlm_exp.identity"}]}}], "next_page_token": "x"}`))
	f.Add(200, []byte(`{"run": {"info": {"run_id": "r"}}, "experiment": null}`))
	f.Add(404, []byte(`{"error_code": "RESOURCE_DOES_NOT_EXIST", "message": "no\nmore\u001b[2J"}`))
	f.Add(293, []byte(`{"error_code": "a\nb\u001b", "message": "x\ny"}`))
	f.Add(500, []byte("<html>"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		m := newMLflow("http://127.0.0.1:1", "study")
		a := &answers{status: status, body: body}
		m.client.Transport = a
		for _, steps := range []int{1, 3} {
			err := m.send(t.Context(), curve("a", steps, steps == 3))
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("it says %q", err)
			}
		}
		if a.asked > 3*mostPages {
			t.Errorf("it is asked %d times", a.asked)
		}
	})
}

package track

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Of the REST API 2.0 of MLflow: identityTag is the tag by which a run is found again.
const (
	identityTag = "smlm_exp.identity"
	atOnce      = 1000 // metrics of one request at most
	runsAtOnce  = 500  // of one answer
	finished    = "FINISHED"

	mostAnswer = 8 << 20 // bytes of an answer
	mostPages  = 1000    // of the runs of an experiment
)

// mlflow logs to an MLflow server.
type mlflow struct {
	base, name string
	client     *http.Client
	experiment string               // its id, "" before the first request
	runs       map[string]*mlflowOf // by identity
}

// mlflowOf is what the server has of a run.
type mlflowOf struct {
	id      string
	last    map[string]int // step of each metric
	params  bool
	stopped bool
}

func newMLflow(address, experiment string) *mlflow {
	return &mlflow{
		base: strings.TrimRight(address, "/") + "/api/2.0/mlflow/", name: experiment,
		client: &http.Client{Timeout: 10 * time.Second},
	}
}

func (m *mlflow) String() string {
	at, err := url.Parse(m.base)
	if err != nil {
		return "MLflow"
	}
	return "MLflow at " + at.Scheme + "://" + at.Host // without a password
}

func (m *mlflow) close() { m.client.CloseIdleConnections() }

// send logs the steps of a run after the last ones that the server has.
func (m *mlflow) send(ctx context.Context, r *Run) error {
	err := m.log(ctx, r)
	if err != nil {
		m.runs = nil // what the server has is not known: it is asked again before more is sent
	}
	return err
}

func (m *mlflow) log(ctx context.Context, r *Run) error {
	if err := m.open(ctx); err != nil {
		return err
	}
	of := m.runs[r.ID]
	if of == nil {
		var err error
		if of, err = m.create(ctx, r); err != nil {
			return err
		}
	}
	var batch []mlflowMetric
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		err := m.call(ctx, "runs/log-batch", map[string]any{"run_id": of.id, "metrics": batch}, nil)
		batch = nil
		return err
	}
	if !of.params {
		err := m.call(ctx, "runs/log-batch", map[string]any{"run_id": of.id, "params": pairs(r.Params)}, nil)
		if err != nil {
			return err
		}
		of.params = true
	}
	for _, s := range r.Steps {
		for _, name := range slices.Sorted(maps.Keys(s.Values)) {
			if last, ok := of.last[name]; ok && last >= s.Step {
				continue
			}
			batch = append(batch, mlflowMetric{name, s.Values[name], s.Time.UnixMilli(), s.Step})
			if len(batch) == atOnce {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	for _, s := range r.Steps {
		for name := range s.Values {
			of.last[name] = s.Step
		}
	}
	if !r.Over || of.stopped {
		return nil
	}
	of.stopped = true
	return m.call(ctx, "runs/update", map[string]any{
		"run_id": of.id, "status": finished, "end_time": r.Steps[len(r.Steps)-1].Time.UnixMilli(),
	}, nil)
}

type mlflowMetric struct {
	Key       string  `json:"key"`
	Value     float64 `json:"value"`
	Timestamp int64   `json:"timestamp"` // ms
	Step      int     `json:"step"`
}

type pair struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// pairs are parameters in order, their names as the server takes them.
func pairs(params map[string]string) (out []pair) {
	for _, key := range slices.Sorted(maps.Keys(params)) {
		name := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-. /", r) {
				return r
			}
			return '_'
		}, key)
		out = append(out, pair{name, wording.Clip(params[key], 250)})
	}
	return out
}

// open finds or makes the experiment, and reads which runs it has.
func (m *mlflow) open(ctx context.Context) error {
	if m.runs != nil {
		return nil
	}
	if err := m.findExperiment(ctx); err != nil {
		return err
	}
	runs, page := map[string]*mlflowOf{}, ""
	for range mostPages {
		var found struct {
			Runs []struct {
				Info struct {
					ID     string `json:"run_id"`
					Status string `json:"status"`
				} `json:"info"`
				Data struct {
					Metrics []mlflowMetric `json:"metrics"`
					Params  []pair         `json:"params"`
					Tags    []pair         `json:"tags"`
				} `json:"data"`
			} `json:"runs"`
			Next string `json:"next_page_token"`
		}
		ask := map[string]any{"experiment_ids": []string{m.experiment}, "max_results": runsAtOnce}
		if page != "" {
			ask["page_token"] = page
		}
		if err := m.call(ctx, "runs/search", ask, &found); err != nil {
			return err
		}
		for _, r := range found.Runs {
			of := &mlflowOf{id: r.Info.ID, last: map[string]int{}, params: len(r.Data.Params) > 0}
			of.stopped = r.Info.Status == finished
			for _, v := range r.Data.Metrics {
				of.last[v.Key] = v.Step
			}
			for _, tag := range r.Data.Tags {
				if tag.Key == identityTag {
					runs[tag.Value] = of
				}
			}
		}
		if page = found.Next; page == "" {
			m.runs = runs
			return nil
		}
	}
	return fmt.Errorf("its answers have no end: %d of them say that there are more runs", mostPages)
}

func (m *mlflow) findExperiment(ctx context.Context) error {
	var found struct {
		Experiment struct {
			ID string `json:"experiment_id"`
		} `json:"experiment"`
	}
	err := m.call(ctx, "experiments/get-by-name?experiment_name="+url.QueryEscape(m.name), nil, &found)
	var refused *refusal
	if errors.As(err, &refused) && refused.Code == "RESOURCE_DOES_NOT_EXIST" {
		err = m.call(ctx, "experiments/create", map[string]any{"name": m.name}, &found.Experiment)
	}
	m.experiment = found.Experiment.ID
	return err
}

func (m *mlflow) create(ctx context.Context, r *Run) (*mlflowOf, error) {
	var made struct {
		Run struct {
			Info struct {
				ID string `json:"run_id"`
			} `json:"info"`
		} `json:"run"`
	}
	err := m.call(ctx, "runs/create", map[string]any{
		"experiment_id": m.experiment, "run_name": wording.Clip(r.Name, 250), "start_time": r.Steps[0].Time.UnixMilli(),
		"tags": []pair{{identityTag, r.ID}},
	}, &made)
	if err != nil {
		return nil, err
	}
	of := &mlflowOf{id: made.Run.Info.ID, last: map[string]int{}}
	m.runs[r.ID] = of
	return of, nil
}

// withoutSecrets is an error whose text has no password or token of an address.
func withoutSecrets(err error) error {
	if shown := wording.WithoutSecrets(err.Error()); shown != err.Error() {
		return errors.New(shown)
	}
	return err
}

// refusal is the answer to a request that the server does not grant.
type refusal struct {
	Status  string `json:"-"`
	Code    string `json:"error_code"`
	Message string `json:"message"`
}

func (r *refusal) Error() string {
	shown := func(text string) string { return wording.Clip(wording.VisibleLine(wording.FirstLine(text)), 200) }
	return strings.TrimSpace(shown(r.Status) + " " + shown(r.Code) + " " + shown(r.Message))
}

// call asks the server, by GET where ask is nil; into may be nil.
func (m *mlflow) call(ctx context.Context, path string, ask, into any) error {
	method, body := http.MethodGet, io.Reader(nil)
	if ask != nil {
		text, err := json.Marshal(ask)
		if err != nil {
			return err
		}
		method, body = http.MethodPost, bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, m.base+path, body)
	if err != nil {
		return errors.New("its address cannot be used") // the error quotes it
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := m.client.Do(request)
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err // the address may have a password
	}
	if err != nil {
		return withoutSecrets(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer+1))
	if err != nil {
		return err
	}
	if len(text) > mostAnswer {
		return fmt.Errorf("the answer to %s has over %d MB", path, mostAnswer>>20)
	}
	if answer.StatusCode != http.StatusOK {
		refused := &refusal{Status: answer.Status}
		_ = json.Unmarshal(text, refused) // a proxy's page is no JSON
		return refused
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("the answer to %s is not one that MLflow gives: %w", path, err)
	}
	return nil
}

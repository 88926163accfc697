package track

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// realPython is an interpreter that has the packages tensorboard and mlflow: make test-trackers
// installs them and names it.
const realPython = "SMLM_EXP_TRACKERS_PYTHON"

// ask runs a program of testdata in that interpreter and decodes what it prints.
func ask(t *testing.T, into any, program string, args ...string) {
	t.Helper()
	c := exec.Command(os.Getenv(realPython), append([]string{filepath.Join("testdata", program)}, args...)...)
	c.Env = append(os.Environ(), "MLFLOW_DISABLE_TELEMETRY=true", "DO_NOT_TRACK=true")
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s\n%s", program, err, said.String(), out)
	}
}

// startMLflow starts a real server on a port of its own that keeps its runs in a database.
func startMLflow(t *testing.T) (address string) {
	t.Helper()
	dir := t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_ = l.Close()
	address = "http://127.0.0.1:" + port
	c := exec.Command(os.Getenv(realPython), "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", port,
		"--workers", "1", "--backend-store-uri", "sqlite:///"+filepath.Join(dir, "mlflow.db"),
		"--artifacts-destination", filepath.Join(dir, "artifacts"))
	c.Env = append(os.Environ(), "MLFLOW_DISABLE_TELEMETRY=true", "DO_NOT_TRACK=true",
		"MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var said strings.Builder
	c.Stdout, c.Stderr = &said, &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // with its workers
		_ = c.Wait()
	})
	for begin := time.Now(); time.Since(begin) < hangs; time.Sleep(200 * time.Millisecond) {
		answer, err := http.Get(address + "/health")
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return address
			}
		}
	}
	t.Fatal("mlflow server does not answer: ", said.String())
	return ""
}

// TestRealTrackers: what TensorBoard's own reader finds in the event files, and a client of MLflow
// at a real server, after a run that was interrupted and went on, is every value of every run once.
func TestRealTrackers(t *testing.T) {
	if os.Getenv(realPython) == "" {
		t.Skip("needs tensorboard and mlflow: `make test-trackers` installs them and runs this test")
	}
	address := startMLflow(t)
	s := newStudy(t, address)
	s.interrupted(t, func(id string) bool {
		m := newMLflow(address, s.exp.Name)
		defer m.close()
		return m.open(t.Context()) == nil && m.runs[id] != nil && m.runs[id].last["dev_loss"] == 20
	})
	for range 2 {
		if lacking, err := s.run(t.Context(), t); err != nil || len(lacking) > 0 {
			t.Fatal(err, lacking)
		}
	}
	var events map[string]map[string]any
	ask(t, &events, "tensorboard_scalars.py", filepath.Join(filepath.Dir(s.exp.Path), "events", s.exp.Name))
	var logged map[string][]struct {
		Status  string
		Params  map[string]string
		Metrics map[string][][2]float64
	}
	ask(t, &logged, "mlflow_metrics.py", address, s.exp.Name)
	if len(events) != len(s.ran) || len(logged) != len(s.ran) {
		t.Errorf("%d runs, %d in event files, %d at the server", len(s.ran), len(events), len(logged))
	}
	for _, r := range s.ran {
		want, inEvents := map[string][][2]float64{}, map[string][][2]float64{}
		for _, step := range r.Steps {
			for name, v := range step.Values {
				want[name] = append(want[name], [2]float64{float64(step.Step), v})
				inEvents[name] = append(inEvents[name], [2]float64{float64(step.Step), float64(float32(v))})
			}
		}
		if of := logged[r.ID]; len(of) != 1 || of[0].Status != finished || of[0].Params["identity"] != r.ID {
			t.Errorf("%s at the server: %+v", r.Name, of)
		} else if d := cmp.Diff(want, of[0].Metrics); d != "" {
			t.Errorf("%s at the server: %s", r.Name, d)
		}
		for folder, tags := range events {
			if !strings.HasPrefix(folder, r.ID[:12]) {
				continue
			}
			if texts, _ := tags["texts"].([]any); !slices.Contains(texts, any("parameters")) {
				t.Errorf("%s has no parameters: %v", folder, texts)
			}
			delete(tags, "texts")
			if got, wanted := fmt.Sprint(tags), fmt.Sprint(inEvents); got != wanted {
				t.Errorf("%s in its event file: %s, want %s", r.Name, got, wanted)
			}
		}
	}
}

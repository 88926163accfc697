package main

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestMain makes the test binary our worker if its first argument is "worker".
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		serve(os.Stdin, os.Stdout)
		return
	}
	os.Exit(m.Run())
}

// TestProgram runs the program with very small models and checks that it prints the rows of a
// section.
func TestProgram(t *testing.T) {
	t.Setenv("OMP_NUM_THREADS", "1") // in models this small, more threads would only wait for each other
	o := options{
		only: "transfer", python: python(t), device: "cpu", sentences: 100, words: 60,
		alternations: 2, quick: true,
	}
	var out bytes.Buffer
	if err := run(t.Context(), o, &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, what := range []string{"| smlm, copied: plain fp32 ", "| smlm-g, greedy: ours fp32 "} {
		if !strings.Contains(out.String(), what) {
			t.Errorf("the output lacks %q:\n%s", what, &out)
		}
	}
}

// TestRatios checks that the function ratios divides times with the same index, so that a machine
// that is slow for a while does not change the ratio.
func TestRatios(t *testing.T) {
	got := ratios([]float64{2, 20, 2.2}, []float64{1, 10, 1})
	if !slices.Equal(got, []float64{2, 2, 2.2}) {
		t.Errorf("ratios %v", got)
	}
	if s := spread("%.1f", got); s != "2.0 (2.0–2.2)" {
		t.Errorf("a spread of %s", s)
	}
}

// TestErrors checks that the program and both workers report errors.
func TestErrors(t *testing.T) {
	for want, o := range map[string]options{
		`"lunch"`:        {only: "step,lunch"},
		"--alternations": {only: "step", sentences: 100, words: 60},
		"/nowhere/python": {
			only: "step", python: "/nowhere/python", device: "cpu", sentences: 100, words: 60, alternations: 1,
		},
	} {
		if err := run(t.Context(), o, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	p, err := startProcess(t.Context(), "it", "sh", "-c", "read line; echo last words >&2")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = p.ask(request{Do: "run"}); err == nil || !strings.Contains(err.Error(), "last words") {
		t.Errorf("of a worker that ends: %v", err)
	}
	var out bytes.Buffer
	serve(strings.NewReader(`{"do":"prepare","case":{"data":"/nowhere"}}`+"\n{\"do\":\"eat\"}\n"), &out)
	if lines := strings.Split(out.String(), "\n"); len(lines) != 3 || !strings.Contains(lines[0], "/nowhere") ||
		!strings.Contains(lines[1], "eat") {
		t.Errorf("answers %s", &out)
	}
}

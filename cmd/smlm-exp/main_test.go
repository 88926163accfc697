package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/masking"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestMain lets the test binary act as the program, so that tests see the signals and exit codes
// that a user sees.
func TestMain(m *testing.M) {
	if os.Getenv("SMLM_EXP_TEST_MAIN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// The text small is an experiment file of a complete study on 300 sentences of the demo corpus. The
// models of this study train in seconds.
const small = `
name = "small"
threads = 1 # more would wait for each other in models this small
[datasets.demo]
builtin = "demo"
max_train = 300
[classifier]
epochs = 2
embedding = 16
hidden = 16
[fasttext]
buckets = 1000
[lm]
embedding = 16
hidden = 16
[divlstm]
epochs = 2
embedding = 16
hidden = 16
attention = 16
lambda_con = 0.5
[masking]
methods = ["explainable_attention", "random"]
lambda_eps = "auto"
[guided]
style = "auto"
[smlm]
decoding = ["copied", "predicted", "guided"]
epochs = EPOCHS
dim = 16
ff = 32
heads = 2
layers = 1
batch_tokens = 300
[decoder]
epochs = 1
layers = 1
[finetune]
max_steps = 5
`

func experiment(t *testing.T, dir, epochs string) string {
	t.Helper()
	path := filepath.Join(dir, "small.toml")
	if err := os.WriteFile(path, []byte(strings.Replace(small, "EPOCHS", epochs, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func program(t *testing.T, stdin string, args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "SMLM_EXP_TEST_MAIN=1")
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	return cmd, &out, &errs
}

// run runs the program until it exits. If the exit code differs from the parameter "code", it fails
// the test.
func run(t *testing.T, code int, stdin string, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd, out, errs := program(t, stdin, args...)
	_ = cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("%v: exit code %d, want %d\n%s%s", args, got, code, out, errs)
	}
	return out.String(), errs.String()
}

func weights(t *testing.T, dir, stage string) []byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "workspace", "stages", stage, "*", "model.safetensors"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %d trained models, want 1 (%v)", stage, len(files), err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestWholeStudy runs every stage with libtorch. Then it checks that a second run takes all stages
// from the cache, and that the commands that use the trained models work.
func TestWholeStudy(t *testing.T) {
	dir := t.TempDir()
	file := experiment(t, dir, "2")
	out, _ := run(t, 0, "", "run", file)
	for _, system := range []string{"│ SMLM", "SMLM-G", "SMLM-FT", "references"} {
		if !strings.Contains(out, system) {
			t.Errorf("the table has no row %q:\n%s", system, out)
		}
	}
	again, errs := run(t, 0, "", "run", file)
	if strings.Contains(errs, "started") {
		t.Errorf("the second run redid stages:\n%s", errs)
	}
	if table(again) != table(out) {
		t.Errorf("the second run prints another table:\n%s\nwant\n%s", again, out)
	}
	for _, model := range []string{"smlm", "smlm-g", "smlm-ft"} {
		transfers(t, "transfer", "--experiment", file, "--model", model, "--to", "cheerful", "--json")
	}
	packs(t, dir, file)
	explains(t, dir, file)
	out, _ = run(t, 0, "", "doctor")
	for _, line := range []string{
		`(?m)^libtorch +2\.[0-9.]+ \(/`, `(?m)^CUDA +\S`, `(?m)^cpu +\S.* threads? of libtorch.* GB, precision = "auto" is (float32|bfloat16)`,
		`(?m)^workspace +".*" .*can be written`,
	} {
		if !regexp.MustCompile(line).MatchString(out) {
			t.Errorf("doctor says nothing like %s:\n%s", line, out)
		}
	}
	record := filepath.Join(dir, "workspace", "stages", "smlm", "*", "stage.json")
	if files, _ := filepath.Glob(record); len(files) != 1 {
		t.Errorf("%d records of smlm", len(files))
	} else if text, err := os.ReadFile(files[0]); err != nil || !regexp.MustCompile(
		`"device": "(cpu|cuda:0)"(?s:.*)"precision": "fp32"`,
	).Match(text) {
		t.Errorf("the record of smlm does not say where and how it was trained (%v):\n%s", err, text)
	}
	judges(t, dir, file) // comes last because it damages a model
}

// testTransfers returns the folders in a workspace that have outputs for test sentences.
func testTransfers(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "workspace", "stages", "transfer", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(folder string) bool {
		record, err := os.ReadFile(filepath.Join(folder, "stage.json"))
		return err != nil || strings.Contains(string(record), `"dev": true`)
	})
}

// judges checks that `score --experiment` uses the trained classifier, and that it refuses the
// classifier after one weight was changed.
func judges(t *testing.T, dir, file string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "workspace", "stages", "classifier", "*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("classifiers %v, %v", found, err)
	}
	var outputs []string
	for _, folder := range testTransfers(t, dir) {
		outputs = append(outputs, filepath.Join(folder, "output.0.txt"), filepath.Join(folder, "output.1.txt"))
	}
	score := func(status int, outputs ...string) (out, errs string) {
		return run(t, status, "", "score", "--experiment", file, "--output", outputs[0], "--output", outputs[1])
	}
	if out, _ := score(0, outputs...); !strings.Contains(out, "TST%") || strings.Contains(out, "SMLM") {
		t.Errorf("there is no TST%%, or models are described that wrote no output:\n%s", out)
	}
	path := filepath.Join(found[0], "model.safetensors")
	weights, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	weights[len(weights)-1] ^= 0x80 // flips the sign of a weight
	testkit.WriteFile(t, path, string(weights))
	// Other outputs, because the scores of the first ones are in the workspace.
	if _, errs := score(1, outputs[1], outputs[0]); !strings.Contains(errs, path) || strings.Count(errs, "\n") != 1 {
		t.Errorf("not one sentence on %s: %s", path, errs)
	}
}

// packs checks that a packed model gives the same outputs and candidates as the workspace's models.
// It also checks `serve` with the packed model.
func packs(t *testing.T, dir, file string) {
	t.Helper()
	const text = "The soup was bland and the waiter was surly.\nIt's a Zorblax!\n"
	packed := filepath.Join(dir, "m.smlm")
	guided := []string{"--experiment", file, "--model", "smlm", "--decoding", "guided"} // only this decoding has candidates
	run(t, 0, "", append([]string{"pack", "--output", packed}, guided...)...)
	for _, flags := range [][]string{{}, {"--json", "--candidates", "3"}} {
		here, _ := run(t, 0, text, append(append([]string{"transfer", "--to", "cheerful"}, guided...), flags...)...)
		there, _ := run(t, 0, text, append([]string{"transfer", "--packed", packed, "--to", "cheerful"}, flags...)...)
		if rounded(here) != rounded(there) || strings.Count(here, "\n") != 2 {
			t.Errorf("%v: the workspace's models write\n%sand the packed ones\n%s", flags, here, there)
		}
	}
	line, _, _ := strings.Cut(text, "\n")
	serves(t, packed, line, "gloomy", "cheerful")
	if _, errs := run(t, 2, "", "serve", packed, "--dataset", "demo"); !strings.Contains(errs, "does not take --dataset") {
		t.Errorf("not one sentence: %q", errs)
	}
}

// explains checks that `mask explain` gives test sentences the same scores and masks as the study.
func explains(t *testing.T, dir, file string) {
	t.Helper()
	tests, err := filepath.Glob(filepath.Join(dir, "workspace", "stages", string(stages.TestSet), "*", "test.1.txt"))
	if err != nil || len(tests) != 1 {
		t.Fatalf("test sentences %v, %v", tests, err)
	}
	text, err := os.ReadFile(tests[0])
	if err != nil {
		t.Fatal(err)
	}
	test := strings.Split(string(text), "\n")
	out, _ := run(t, 0, test[0]+"\n"+test[6]+"\n", "mask", "explain", "--experiment", file, "--from", "cheerful",
		"--format", "json")
	tunings, _ := filepath.Glob(filepath.Join(dir, "workspace", "stages", "tune", "*"))
	if len(tunings) != 1 {
		t.Fatalf("settings were chosen %d times, want once", len(tunings))
	}
	tuning, err := stages.ReadTuning(tunings[0])
	if err != nil {
		t.Fatal(err)
	}
	found, _ := filepath.Glob(filepath.Join(dir, "workspace", "stages", "attribution", "*", "scores.jsonl"))
	for _, path := range found {
		scores, err := masking.ReadScores(path)
		if err != nil {
			t.Fatal(err)
		}
		rows := scores.Rows("test", 1)
		if rows == nil {
			continue
		}
		for i, line := range strings.Split(strings.TrimSpace(out), "\n") {
			var got struct {
				Methods []struct {
					Scores []float64
					Masked []bool
				}
			}
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				t.Fatal(err)
			}
			want := rows[[]int{0, 6}[i]]
			masked := tuning.Choice().Mask.Mask(want)
			m := got.Methods[0]
			if len(m.Scores) != len(want) || !slices.Equal(m.Masked, masked) {
				t.Fatalf("%s\nwant the scores %v and the mask %v", line, want, masked)
			}
			for k, v := range m.Scores {
				if math.Abs(v-float64(want[k])) > 1e-5 { // rounding depends on the batch size
					t.Errorf("word %d has the score %v, in the study %v", k, v, want[k])
				}
			}
		}
		return
	}
	t.Error("no file of scores has test sentences")
}

// TestMissingDevice checks that a run on a missing device ends before any stage, with one sentence
// and status 3.
func TestMissingDevice(t *testing.T) {
	dir := t.TempDir()
	_, errs := run(t, 3, "", "run", experiment(t, dir, "1"), "--devices", "cuda:63")
	if !regexp.MustCompile(`^smlm-exp: devices is "cuda:63", but [^\n]+\n$`).MatchString(errs) {
		t.Errorf("not one sentence: %q", errs)
	}
	if done, _ := filepath.Glob(filepath.Join(dir, "workspace", "stages", "*")); len(done) > 0 {
		t.Errorf("stages ran: %v", done)
	}
}

// transfers checks that `transfer` answers each line while its input stays open, and that it gives
// the same answers for a file with these lines.
func transfers(t *testing.T, args ...string) {
	t.Helper()
	lines := []string{
		"The soup was bland and the waiter was surly.", "", "The waiter was surly and the soup was bland and cold.",
		"The soup was cold.",
	}
	cmd, _, errs := program(t, "", args...)
	cmd.Stdin, cmd.Stdout = nil, nil
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, said := testkit.Started(t, cmd), ""
	for _, line := range lines {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := answers.ReadString('\n')
		if err != nil || strings.Contains(answer, `"output":""`) != (line == "") {
			t.Fatalf("%v: %q is answered with %q (%v)\n%s", args, line, answer, err, errs)
		}
		said += answer
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, errs)
	}
	path := filepath.Join(t.TempDir(), "lines.txt")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	if all, _ := run(t, 0, "", append(args, path)...); rounded(all) != rounded(said) {
		t.Errorf("%v: one by one the answers are\n%sand of a file\n%s", args, said, all)
	}
}

// The function rounded rounds all numbers in answers to four digits, because the last digits depend
// on the batch size.
func rounded(answers string) string {
	return regexp.MustCompile(`-?[0-9]+\.[0-9]+(e-?[0-9]+)?`).ReplaceAllStringFunc(answers, func(number string) string {
		x, _ := strconv.ParseFloat(number, 64) // cannot fail: the expression matches only numbers
		return fmt.Sprintf("%.4f", x)
	})
}

// TestAllMethods runs the study with all attribution methods, the policy top_share and the reading
// "minmax". It checks that the run succeeds, and that the tables have rows of several methods and
// of both decodings.
func TestAllMethods(t *testing.T) {
	dir := t.TempDir()
	file := experiment(t, dir, "1")
	set := []string{
		"finetune.reading=minmax", "smlm.decoding=['copied', 'predicted']",
		"masking.policy=top_share", "datasets.demo.max_train=60", "datasets.demo.unseen='none'", "report.figures=[]",
		"masking.methods=['explainable_attention','vanilla_attention','attention_x_input','gradients','gradients_x_input','integrated_gradients','random','none']",
	}
	var flags []string
	for _, s := range set {
		flags = append(flags, "--set", s)
	}
	run(t, 0, "", append([]string{"run", file}, flags...)...)
	out, _ := run(
		t, 0, "",
		append(
			[]string{"tables", file, "--format", "csv", "--table", "attribution", "--table", "results"}, flags...,
		)...,
	)
	for _, cell := range []string{"Integrated Gradients", "No Masking", "SMLM-G,copied", "SMLM-FT,predicted"} {
		if !strings.Contains(out, cell) {
			t.Errorf("the tables do not have %q:\n%s", cell, out)
		}
	}
}

// The function table returns the part of the output before the line that says how long the run
// took.
func table(out string) string {
	return regexp.MustCompile(`(?s)\n[^\n]* in [0-9.hm]+s.*`).ReplaceAllString(out, "")
}

// TestInterrupt stops a run with Ctrl-C in the middle of a training and repeats the command. It
// checks that finished stages are not run again, and that the model is bit-identical to one trained
// without interruption.
func TestInterrupt(t *testing.T) {
	const epochs = "16"
	dir, whole := t.TempDir(), t.TempDir()
	file := experiment(t, dir, epochs)
	cmd, out, errs := program(t, "", "run", "--threads", "1", "--only", "smlm", file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	scratch := filepath.Join(dir, "workspace", "scratch", "smlm", "*")
	for deadline := time.Now().Add(testkit.Hangs); ; time.Sleep(20 * time.Millisecond) {
		if found, _ := filepath.Glob(scratch); len(found) > 0 {
			break
		}
		if time.Now().After(deadline) {
			_ = cmd.Process.Kill()
			t.Fatalf("no training of smlm began:\n%s%s", out, errs)
		}
	}
	used := func() time.Duration {
		d, err := testkit.ProcessorTime(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for began := used(); used() < began+300*time.Millisecond; {
		time.Sleep(10 * time.Millisecond) // wait for processor time, because a busy machine trains slowly
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Fatalf("exit code %d after Ctrl-C, want 130:\n%s%s", code, out, errs)
	}
	if found, _ := filepath.Glob(filepath.Join(scratch, "checkpoint.json")); len(found) != 1 {
		t.Fatalf("Ctrl-C left no checkpoint:\n%s", errs)
	}
	_, resumed := run(t, 0, "", "run", "--threads", "1", "--only", "smlm", file)
	if strings.Contains(resumed, "classifier") || strings.Contains(resumed, "divlstm ") || strings.Contains(resumed,
		"prepare") {
		t.Errorf("finished stages were redone:\n%s", resumed)
	}
	run(t, 0, "", "run", "--threads", "1", "--only", "smlm", experiment(t, whole, epochs))
	if !bytes.Equal(weights(t, dir, "smlm"), weights(t, whole, "smlm")) {
		t.Error("the resumed model differs from one trained without a break")
	}
}

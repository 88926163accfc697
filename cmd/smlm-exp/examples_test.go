package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// A recorded example is a file in docs/examples. Those of the demo have a command after "$ ", and
// then its output. Those of the tutorial have the output alone. A document shows an example in a
// block of text below the line <!-- example: FOLDER/NAME -->. `make examples` trains the models of
// the demo and of the tutorial, records all examples again, and updates these blocks.
const (
	repository = "../.."
	examples   = repository + "/docs/examples"
)

var exampleBlock = regexp.MustCompile("(?s)<!-- example: ([a-z/-]+) -->\n```text\n(.*?)```\n")

// TestExamplesOfDemo runs the recorded commands and compares what they print with the recorded
// examples. With -update it records the examples instead. It needs a finished demo in the
// repository's workspace, trained with the present code. On another CPU, training gives other
// weights, and so other words. In this case, the test compares only the numbers of lines.
func TestExamplesOfDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("runs what is recorded of the demo")
	}
	s := newShell(t)
	s.dir = repository
	weights, finished := s.demoWeights()
	if !finished {
		if testkit.Updating() {
			t.Fatal("the demo is not finished: make examples runs it first")
		}
		t.Skip("the demo of this code is not finished in the workspace: make demo runs it")
	}
	recorded := examples + "/demo-weights.sha256"
	if testkit.Updating() {
		testkit.WriteFile(t, recorded, weights)
	}
	s.demo(weights == s.read(recorded))
}

// tutorialBlock is a block of commands in the tutorial, with the example below it, if there is one.
var tutorialBlock = regexp.MustCompile("(?s)```sh\n(.*?)```\n(?:\n<!-- example: (tutorial/[a-z]+) -->)?")

// TestExamplesOfTutorial runs the tutorial's commands and records what they print, and two figures.
// It runs only with -update. Without it, TestTutorial runs the same commands on fewer sentences.
func TestExamplesOfTutorial(t *testing.T) {
	if !testkit.Updating() {
		t.Skip("trains for minutes: make examples runs it")
	}
	s := newShell(t)
	for _, block := range tutorialBlock.FindAllStringSubmatch(s.read("../../docs/tutorial.md"), -1) {
		printed := s.output(block[1])
		if name := block[2]; name != "" {
			testkit.WriteFile(t, filepath.Join(examples, name+".txt"), mainPart(printed))
		}
		if !strings.Contains(block[1], "lambda_eps = [") {
			continue
		}
		for _, figure := range []string{"lambda_eps.svg", "tradeoff.svg"} { // copied now: a later run draws them again, with fewer points
			drawn := s.read(filepath.Join(s.dir, "workspace", "figures", "mine", figure))
			testkit.WriteFile(t, filepath.Join(examples, "tutorial", figure), drawn)
		}
	}
}

// shownParts matches what the tutorial shows of an output with tables: the tables and the verdict.
var shownParts = regexp.MustCompile("(?ms)^┌.*?^└.*?\n|^[0-9]+ of 100 [^\n]*\n")

// mainPart returns the part of a command's output that the tutorial shows: all of it, or the tables
// and the verdict if there are tables.
func mainPart(printed string) string {
	parts := shownParts.FindAllString(printed, -1)
	if parts == nil {
		return printed
	}
	for i, part := range parts {
		if !strings.HasPrefix(part, "┌") {
			parts[i] = testkit.Wrapped("", part) + "\n"
		}
	}
	return strings.Join(parts, "")
}

// TestExamplesInDocs checks that every example in a document equals the recorded one. With -update
// it updates the document instead, from what the tests above have recorded.
func TestExamplesInDocs(t *testing.T) {
	docs, err := filepath.Glob(repository + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	shown, s := 0, shell{T: t}
	for _, doc := range append(docs, repository+"/README.md") {
		text := s.read(doc)
		blocks := exampleBlock.FindAllStringSubmatch(text, -1)
		if n := strings.Count(text, "<!-- example:"); n != len(blocks) {
			t.Errorf("%s: %d marks of examples, but %d have a block ```text on the next line", doc, n, len(blocks))
		}
		want := exampleBlock.ReplaceAllStringFunc(text, func(block string) string {
			name := exampleBlock.FindStringSubmatch(block)[1]
			return "<!-- example: " + name + " -->\n```text\n" + s.read(filepath.Join(examples, name+".txt")) + "```\n"
		})
		shown += len(blocks)
		switch {
		case want == text:
		case testkit.Updating():
			testkit.WriteFile(t, doc, want)
		default:
			t.Errorf("%s shows examples other than those of docs/examples: run make examples, or "+
				"go test ./cmd/smlm-exp -run ExamplesInDocs -update for the blocks alone", doc)
		}
	}
	if shown == 0 {
		t.Error("no document shows an example")
	}
}

// demo runs the recorded commands of the demo. If same is set, the outputs must equal the recorded
// ones. Otherwise the models have other weights, and only the number of lines must be equal.
func (s shell) demo(same bool) {
	s.Helper()
	files, err := filepath.Glob(filepath.Join(examples, "demo", "*.txt"))
	if err != nil || len(files) == 0 {
		s.Fatalf("no recorded examples: %v", err)
	}
	for _, file := range files {
		recorded := s.read(file)
		line, _, _ := strings.Cut(recorded, "\n")
		command, isCommand := strings.CutPrefix(line, "$ ")
		if !isCommand {
			s.Fatalf("%s does not begin with a command", file)
		}
		got := line + "\n" + s.output(command+filterOf(command))
		switch {
		case testkit.Updating():
			testkit.WriteFile(s.T, file, got)
		case same && got != recorded:
			s.Errorf("%s is recorded as\n%sand is\n%s", file, recorded, got)
		case strings.Count(got, "\n") != strings.Count(recorded, "\n"):
			s.Errorf("%s has %d lines, of other weights %d:\n%s", file, strings.Count(recorded, "\n"),
				strings.Count(got, "\n"), got)
		}
	}
}

// output returns what a script prints on standard output.
func (s shell) output(script string) string {
	s.Helper()
	cmd := exec.CommandContext(s.Context(), "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "PATH="+s.bin+":"+os.Getenv("PATH"))
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		s.Fatalf("%s: %v:\n%s", script, err, said.String())
	}
	return string(out)
}

// filterOf returns a shell filter for the part of a command's output that the documents show: of a
// run, the sentences after the table; of other commands, everything.
func filterOf(command string) string {
	if strings.HasPrefix(command, "smlm-exp run ") {
		return " | sed -n '/^Test sentences/,$p' | sed -n 1,8p"
	}
	return ""
}

// demoWeights returns the checksums of the demo's first SMLM and first guide, which write the
// outputs in the examples. finished is false if any stage of the demo is not finished.
func (s shell) demoWeights() (sums string, finished bool) {
	s.Helper()
	listing := s.output("smlm-exp plan experiments.toml")
	if !strings.Contains(listing, " done, 0 to run") {
		return "", false
	}
	for _, name := range []string{"guide", "smlm"} {
		first := regexp.MustCompile("(?m)^" + name + " ([0-9a-f]+)").FindStringSubmatch(listing)
		if first == nil {
			return "", false
		}
		records, err := filepath.Glob(filepath.Join(s.dir, "workspace", "stages", name, first[1]+"*", "stage.json"))
		if err != nil || len(records) != 1 {
			s.Fatalf("%s %s: %v, %v", name, first[1], records, err)
		}
		var record struct {
			Files map[string]struct{ SHA256 string }
		}
		if err := json.Unmarshal([]byte(s.read(records[0])), &record); err != nil {
			s.Fatal(err)
		}
		sums += record.Files["model.safetensors"].SHA256 + "  " + name + "\n"
	}
	return sums, true
}

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// TestPandas runs the Python code of docs/transfer.md on files that the commands write.
func TestPandas(t *testing.T) {
	python := os.Getenv("PANDAS_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import pandas").Run(); err != nil {
		t.Skip("no pandas here: name a Python that has it with PANDAS_PYTHON")
	}
	doc, err := os.ReadFile("../docs/transfer.md")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(doc)
	if code == nil {
		t.Fatal("docs/transfer.md has no lines of Python")
	}
	t.Chdir(t.TempDir())
	const experiment = "name = \"demo\"\n[datasets.demo]\nbuiltin = \"demo\"\n"
	const text = "The \"soup\" was fax, they said.\nWe liked it.\n"
	for name, text := range map[string]string{"experiments.toml": experiment, "in.txt": text} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	call := func(out string, args ...string) {
		var stdout, stderr bytes.Buffer
		code := Main(t.Context(), append([]string{"smlm-exp"}, args...), fakeTorch{}, strings.NewReader(""), &stdout, &stderr)
		if code != 0 {
			t.Fatalf("%v: %d\n%s", args, code, &stderr)
		}
		if err := os.WriteFile(out, stdout.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	call("run.out", "run", "experiments.toml", "--quiet")
	call("answers.jsonl", "transfer", "--to", "cheerful", "--json", "in.txt")
	call("candidates.tsv", "transfer", "--to", "cheerful", "--candidates", "2", "in.txt")
	script := string(code[1])
	for _, name := range []stage.Name{stages.Attribution, stages.Score, stages.Transfer} {
		found, _ := filepath.Glob(filepath.Join("workspace", "stages", string(name), "*"))
		if len(found) == 0 {
			t.Fatalf("there is no stage %s", name)
		}
		dir := found[0]
		for _, d := range found { // if possible, use a folder that has scores of single sentences
			if _, err := os.Stat(filepath.Join(d, "sentences.jsonl")); err == nil {
				dir = d
			}
		}
		script = strings.Replace(script, "stages/"+string(name)+"/ID", "stages/"+string(name)+"/"+filepath.Base(dir), 1)
		if name == stages.Transfer { // the fake backend does not write where words come from
			words := []stages.Word{{Word: "a", Origin: guided.Kept}}
			if err := stages.WriteOrigins(dir, []*stages.Origins{{Guide: .5, Words: words}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	script += `
assert scores["scores"][0][-1] == 0.75 and abs(sum(scores["scores"][0]) - 1) < 1e-6, scores
assert marks["right"].any() and "s_bleu" in marks, marks
assert origins["guide"][0] == 0.5 and origins["words"][0][0]["word"] == "a", origins
assert len(table) > 2, table
assert answers["text"][1] == "We LIKED it." and answers["unknown"][0] == ["fax"], answers
assert candidates["text"][0] == 'The "soup" was FAX, THEY said.' and candidates["rank"].tolist() == [1, 2, 1, 2], candidates
`
	if out, err := exec.Command(python, "-c", script).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, script, out)
	}
}

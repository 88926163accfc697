package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// tiny is a complete study with 100 training sentences of each style of the demo corpus.
const tiny = `
name = "tiny"
wordnet = "none"
threads = 1
[datasets.demo]
builtin = "demo"
max_train = 100
[classifier]
epochs = 1
embedding = 8
hidden = 8
[fasttext]
buckets = 1000
[divlstm]
epochs = 1
embedding = 8
hidden = 8
attention = 8
[smlm]
models = ["smlm"]
decoding = ["copied"]
epochs = 1
dim = 8
ff = 8
heads = 1
layers = 1
[metrics]
perplexity = false
[report]
tables = ["results"]
figures = []
`

// TestLibrary runs the program and checks that it prints rows for systems.
func TestLibrary(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "experiments.toml", tiny)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = write
	main()
	os.Stdout = stdout
	_ = write.Close()
	text, err := io.ReadAll(read)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"SMLM (seed 1) ", "references "} {
		if !strings.Contains(string(text), row) {
			t.Errorf("it printed no row of %q:\n%s", row, text)
		}
	}
}

package testkit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// WriteData writes a tiny data set of two styles to dir, including references. Each file has n
// sentences.
func WriteData(t testing.TB, dir string, n int) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"train", "dev", "test", "reference"} {
		for style := range 2 {
			WriteLines(
				t, filepath.Join(dir, fmt.Sprintf("%s.%d.txt", part, style)), n,
				fmt.Sprintf("%s words of style %d", part, style),
			)
		}
	}
}

// WriteThree does the same as WriteData, for three styles, with references from each style to each
// other style.
func WriteThree(t testing.TB, dir string, n int) {
	t.Helper()
	parts := strings.Fields("train.0 train.1 train.2 dev.0 dev.1 dev.2 test.0 test.1 test.2 " +
		"reference.0-1 reference.0-2 reference.1-0 reference.1-2 reference.2-0 reference.2-1")
	for _, part := range parts {
		WriteLines(t, filepath.Join(dir, part+".txt"), n, part+" has words")
	}
}

// WriteLines writes a file of n lines. Each line has the text and the number of the line.
func WriteLines(t testing.TB, path string, n int, text string) {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s number %d\n", text, i)
	}
	WriteFile(t, path, b.String())
}

// WriteFile writes a file and creates its folder.
func WriteFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// SmallStudy is the text of an experiment file. The folder "data" next to this file must contain
// the data set of WriteData.
const SmallStudy = `name = "small"
wordnet = "none" # whether this machine has WordNet must not matter
[datasets.tiny]
dir = "data"
[masking]
lambda_eps = [0.15, 0.5]
[smlm]
decoding = ["copied"]
`

// SweptStudy is the text of an experiment file that sweeps over two keys and two seeds. It has
// several masking methods and models, and reads published outputs from the folder "systems".
const SweptStudy = `name = "small"
wordnet = "none"
seeds = [1, 2]
[datasets.tiny]
dir = "data"
outputs = "systems"
[divlstm]
lambda_con = [0.5, 5.0]
[masking]
methods = ["explainable_attention", "vanilla_attention", "random"]
lambda_eps = [0.15, 0.5]
[smlm]
models = ["smlm", "smlm-ft"]
`

// VariantsStudy is the text of an experiment file with four variants: "plain" keeps the data set's
// own settings, "one-code" has other settings, "swept" has a sweep, and "last" sets keys of
// several tables.
const VariantsStudy = `[datasets.tiny]
dir = "data"
[datasets.tiny.masking]
lambda_eps = 0.4
[divlstm]
attention = 7
[variants.plain]
[variants.one-code.smlm]
source_token = false
[variants.swept.masking]
lambda_eps = [0.1, 0.2]
[variants.last.divlstm]
hidden = 9
[variants.last.smlm]
source_token = false
[variants.last.finetune]
lambda_sta = 3.0
`

// WantError checks that err has the given exit code, and that its text contains every one of parts.
func WantError(t testing.TB, err error, code userr.Code, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	if userr.CodeOf(err) != code {
		t.Errorf("exit code %d, want %d: %v", userr.CodeOf(err), code, err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}

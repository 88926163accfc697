package runs

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOverrides checks the note below a table. The note names the profile (a set of default
// settings) and the keys whose values differ from the profile. It leaves out swept keys and keys of
// variants.
func TestOverrides(t *testing.T) {
	l := newLabOf(t, `wordnet = "none"
[datasets.tiny]
dir = "data"
[datasets.other]
dir = "data"
[datasets.other.divlstm]
attention = 4
[vocab]
size = 77
[classifier]
hidden = 8
epochs = 5            # the profile's
[fasttext]
buckets = 5
[divlstm]
lambda_con = 3.0
dropout = 0.1
[masking]
policy = ["surplus", "top_share"]
lambda_eps = 0.3
top_share = 0.5
lambda_eps_gradients = 0.7
[smlm]
models = ["smlm", "smlm-ft"]
decoding = ["copied"]
dim = 64
epochs = [2, 3]
[decoder]
layers = 9  
[finetune]
lambda_sta = 2.0
[guided]
fluency = 0.1
[variants.plain]
[variants.wide.smlm]
ff = 99
`)
	r := l.finished()
	got := map[string]string{}
	compared := r.Compared(nil, r.Systems, nil)
	if slices.ContainsFunc(compared.Under(), func(n string) bool { return strings.Contains(n, "Examples") }) {
		t.Errorf("compare speaks of examples, which it has none of: %q", compared.Notes)
	}
	for _, table := range append(r.Tables(), compared) {
		for _, note := range table.Under() {
			if _, list, found := strings.Cut(note, "Profile: paper"); found {
				got[table.Name] = list
			}
		}
	}
	list := ", but vocab.size 77; classifier.hidden 8; fasttext.buckets 5; divlstm.dropout 0.1, lambda_con 3; " +
		"masking.lambda_eps 0.3, top_share 0.5, lambda_eps_gradients 0.7; smlm.decoding copied, dim 64; decoder.layers 9; " +
		"finetune.lambda_sta 2; guided.fluency 0.1; on other: divlstm.attention 4."
	want := map[string]string{}
	for _, name := range []string{"classifier", "divlstm", "attribution", "examples", "results", "selection", "main"} {
		want[name] = list
	}
	for _, name := range []string{"content", "intervals", "significance"} {
		if _, has := got[name]; has {
			want[name] = list
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("overrides (-want +got):\n%s", d)
	}
}

// TestNoOverrides checks that the notes name the profile and no keys if the file sets only two
// kinds of keys: keys with the profile's own value, and keys that choose which outputs are made.
func TestNoOverrides(t *testing.T) {
	l := newLab(t, "divlstm.lambda_con=0.5", "smlm.models=['smlm']", "smlm.decoding=['copied', 'predicted']")
	r := l.finished()
	for _, table := range r.Tables() {
		if text := strings.Join(table.Under(), "\n"); strings.Contains(text, "Profile") &&
			!strings.Contains(text, "Profile: paper.") {
			t.Errorf("under %s: %s", table.Name, text)
		}
	}
}

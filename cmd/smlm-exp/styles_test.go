package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// ofStyles is an experiment file for the data set in the folder "data". In each sentence, one word
// shows the style.
const ofStyles = `
name = "styles"
wordnet = "none"
threads = 1
[datasets.shades]
dir = "data"
labels = ["LABELS"]
unseen = "none"
[classifier]
epochs = 15
embedding = 16
hidden = 16
lr = 1e-2
[divlstm]
epochs = 40
embedding = 16
hidden = 16
attention = 16
bidirectional = true
batch_tokens = 300
lambda_con = 0.5
lr = 5e-3
[fasttext]
buckets = 1000
[lm]
epochs = 1
embedding = 8
hidden = 8
[masking]
methods = ["gradients_x_input"]
train_on = ["gradients_x_input"]
policy = "top_share"
top_share = 0.1
[smlm]
models = ["smlm", "smlm-ft"]
decoding = ["copied", "guided"]
epochs = 60
dim = 32
ff = 64
heads = 2
layers = 1
lr = 3e-3
warmup = 50
dropout = 0
batch_tokens = 300
loss = "masked"
random_masks = 0.3
source_token = false
[finetune]
max_steps = 5
[guide]
epochs = 30
embedding = 16
batch_tokens = 300
[report]
tables = ["main"]
figures = []
`

// shades are the styles' names. Each name is also the word that marks the style in a sentence.
var shades = []string{"crimson", "azure", "olive", "amber"}

// writeShades writes data in which every sentence says what colour a thing has. The colour is the
// name of the sentence's style. Each style has one file per split.
func writeShades(t *testing.T, dir string, styles []string) {
	t.Helper()
	things := strings.Fields("gate roof chair lamp boat shelf coat fence")
	ends := []string{"again", "this morning", "after the rain", "for a week", "in the yard"}
	for style, shade := range styles {
		var all []string
		for i, thing := range things {
			for k, end := range ends {
				all = append(all, fmt.Sprintf("%s %s looked %s %s .", []string{"the", "a", "our"}[(i+k)%3], thing, shade, end))
				all = append(all, fmt.Sprintf("we painted a %s %s %s .", shade, thing, end))
			}
		}
		for i, split := range []string{"train", "dev", "test"} {
			var some []string
			for k, line := range all {
				if part := k % 8; part > 1 && i == 0 || part == i-1 {
					some = append(some, line)
				}
			}
			path := filepath.Join(dir, fmt.Sprintf("%s.%d.txt", split, style))
			testkit.WriteFile(t, path, strings.Join(some, "\n")+"\n")
		}
	}
}

// TestStylesExchanged runs a study of two styles and one of four. It checks that a masked style
// word becomes the word of the target style and that nothing else changes, in every direction.
func TestStylesExchanged(t *testing.T) {
	if testing.Short() {
		t.Skip("runs two studies")
	}
	for _, n := range []int{2, 4} {
		labels := shades[:n]
		t.Run(strings.Join(labels, " "), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeShades(t, filepath.Join(dir, "data"), labels)
			file := filepath.Join(dir, "styles.toml")
			testkit.WriteFile(t, file, strings.Replace(ofStyles, "LABELS", strings.Join(labels, `", "`), 1))
			out, _ := run(t, 0, "", "run", file, "--quiet")
			transfers := testTransfers(t, dir)
			if len(transfers) != 4 {
				t.Fatalf("%d transfers\n%s", len(transfers), out)
			}
			for _, transfer := range transfers {
				exchanged(t, filepath.Join(dir, "data"), transfer, labels)
			}
			packed := filepath.Join(dir, "shades.smlm")
			run(t, 0, "", "pack", "--experiment", file, "--output", packed)
			serves(t, packed, "Our fence looked crimson for a week.", labels...)
		})
	}
}

// The function exchanged checks the outputs of one transfer stage. The word of the target style
// must replace the style word, unless another word was masked. A third of all outputs must be
// right.
func exchanged(t *testing.T, data, transfer string, styles []string) {
	t.Helper()
	_, err := os.Stat(filepath.Join(transfer, "origins.jsonl"))
	guided, all, right := err == nil, 0, 0 // guided decoding may change other words too
	for k := range len(styles) * len(styles) {
		from, to := k/len(styles), k%len(styles)
		if from == to {
			continue
		}
		mark := fmt.Sprintf("%d-%d", from, to)
		if len(styles) == 2 {
			mark = fmt.Sprint(from)
		}
		read := func(folder, name string) [][]string { return testkit.Words(t, filepath.Join(folder, name+".txt")) }
		masked, outputs := read(transfer, "masked."+mark), read(transfer, "output."+mark)
		for i, words := range read(data, fmt.Sprintf("test.%d", from)) {
			source, output := strings.Join(words, " "), strings.Join(outputs[i], " ")
			want := strings.ReplaceAll(source, styles[from], styles[to])
			all++
			switch mask := slices.Index(masked[i], "<mask>"); {
			case output == want:
				right++
			case guided || mask >= 0 && words[mask] != styles[from]:
			default:
				t.Errorf("%s to %s: %q became %q in %s", styles[from], styles[to], source, output, transfer)
			}
		}
	}
	if 3*right < all { // not more, because a method may mask other words than the style word
		t.Errorf("%d of %d outputs are right in %s", right, all, transfer)
	}
}

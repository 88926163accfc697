package workspace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// node is a stage, planned or on disk, with what its time, memory and disk depend on.
type node struct {
	kind   stage.Kind
	id     string
	size   string // by its own settings, "" where it trains nothing
	epochs int
	inputs map[string]*node
	known  timingKey // see key
}

// passes is how often a stage goes through its data.
func (n *node) passes() int { return max(n.epochs, 1) }

// key is where the node counts beside its identity: with its kind on the same data, test or
// prepare, and vocabulary, where it and the models that it reads are as large. A mask has its
// attribution's data.
func (n *node) key() timingKey {
	if n.known.of != "" {
		return n.known
	}
	on := n
	if in := n.inputs["attribution"]; in != nil {
		on = in
	}
	id := func(name string) string {
		if in := on.inputs[name]; in != nil {
			return in.id
		}
		return ""
	}
	size := n.size
	for _, name := range slices.Sorted(maps.Keys(n.inputs)) {
		if in := n.inputs[name]; in.size != "" {
			size += name + ": " + in.size
		}
	}
	n.known = timingKey{string(n.kind), cmp.Or(id("test"), id("prepare")) + id("vocab"), size}
	return n.known
}

// sizes are the settings of a training by which a step takes longer or more memory.
var sizes = []string{
	"accumulate", "attention", "batch_tokens", "bidirectional", "dim", "embedding", "ff", "filters", "head_layers", "heads",
	"hidden", "judge", "latent", "layers", "max_steps", "precision", "widths",
}

// trainingSize finds in the JSON of a training's settings how large it is, and its epochs.
func trainingSize(settings []byte) (size string, epochs int) {
	all := map[string]any{}
	if !bytes.Contains(settings, []byte(`"precision"`)) || json.Unmarshal(settings, &all) != nil {
		return "", 0
	}
	var out strings.Builder
	var find func(in map[string]any)
	find = func(in map[string]any) {
		for _, key := range slices.Sorted(maps.Keys(in)) {
			if group, ok := in[key].(map[string]any); ok { // SMLM-G's encoder and decoder
				find(group)
				continue
			}
			if n, ok := in[key].(float64); ok && key == "epochs" {
				epochs = max(epochs, int(n))
			}
			if slices.Contains(sizes, key) {
				fmt.Fprintf(&out, "%s %v; ", key, in[key])
			}
		}
	}
	find(all)
	return out.String(), epochs
}

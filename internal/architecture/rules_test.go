package architecture

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

const (
	module = "github.com/smlm-exp/smlm-exp"
	gotch  = "github.com/sugarme/gotch"
	// owner is the only package that may import gotch.
	owner = "internal/torch"
)

// leaves are small packages that every package may import. They import only each other.
var leaves = []string{
	"internal/userr", "internal/files", "internal/machine", "internal/wording", "internal/lists", "internal/recipe",
	"internal/need", "internal/testkit",
}

// below lists, for each package, the packages that it may import besides the leaves and itself. The
// list goes from the top layer to the bottom one. The models do not import each other, except that
// masking imports divlstm, because it explains the predictions of the Diversity-LSTM. In
// particular, smlm does not import classifier, because the evaluation classifier must neither train
// nor rank what it judges.
var below = map[string][]string{
	"cmd/smlm-exp": {"cli", "runs/stages", "masking", "masking/policy"}, // only a test imports masking, to read scores
	"docs/library": {"runs"},                                            // the program that docs/library.md names
	"cli": {
		"serve", "runs", "runs/slurm", "runs/track", "runs/results", "runs/rewrite", "runs/workspace",
		"runs/plan", "runs/data", "runs/stages", "runs/stage", "runs/experiment", "runs/doctor", "report", "report/table",
		"metrics", "metrics/embedding", "metrics/human", "metrics/meteor", "metrics/naturalness", "smlm/guided", "masking",
		"corpus", "corpus/intake", "corpus/fetch", "pretrained/folder", "internal/testkit/fakebackend",
	},
	"serve": {
		"runs", "runs/results", "runs/rewrite", "runs/workspace", "runs/plan", "runs/data", "runs/stages", "runs/stage",
		"runs/experiment", "report", "report/page", "masking/policy", "corpus", "internal/testkit/fakebackend",
	},
	"runs/slurm": {
		"runs/workspace", "runs/plan", "runs/stages", "runs/stage", "runs/experiment", "internal/testkit/fakebackend",
	},
	"runs/track": {
		"runs/workspace", "runs/plan", "runs/stages", "runs/stage", "runs/experiment", "metrics", "corpus",
		"internal/testkit/fakebackend",
	},
	"runs": {
		"runs/slurm", "runs/track", "runs/results", "runs/workspace", "runs/plan", "runs/data", "runs/stages", "runs/stage", "runs/experiment",
		"report", "metrics", "masking/policy", "smlm/guided", "internal/testkit/fakebackend",
	},
	"runs/results": {
		"runs/workspace", "runs/plan", "runs/data", "runs/stages", "runs/stage", "runs/experiment", "report",
		"report/figure", "report/page", "report/paper", "report/table", "metrics", "metrics/human", "masking",
		"masking/policy", "corpus",
	},
	"runs/rewrite": {
		"runs/results", "runs/workspace", "runs/plan", "runs/stages", "runs/stage", "runs/experiment", "report",
		"report/table", "masking/policy", "corpus",
	},
	"runs/workspace": {"runs/plan", "runs/stages", "runs/stage", "runs/experiment"},
	"runs/plan": {
		"runs/stages", "runs/stage", "runs/data", "runs/experiment", "report",
		"corpus", "masking/policy", // only a test imports masking/policy
	},
	"runs/stages": {
		"runs/stage", "runs/data", "runs/experiment", "smlm", "smlm/guided", "divlstm", "classifier", "lm", "lm/ngram",
		"pretrained", "pretrained/folder",
		"masking", "masking/policy", "metrics", "metrics/bertscore", "metrics/meteor", "metrics/embedding",
		"metrics/naturalness", "corpus", "internal/nn", "internal/torch", "internal/testkit/torchtest", "report", "report/paper",
		"report/table",
	},
	"runs/doctor": {"metrics/meteor", "internal/torch"},
	"runs/stage":  {"runs/data", "runs/experiment", "report", "masking/policy", "corpus"},
	"runs/data": {
		"runs/experiment", "smlm/guided", "pretrained/folder", "metrics", "metrics/embedding", "metrics/meteor",
		"metrics/naturalness", "corpus",
	},
	"runs/experiment": {"report", "masking/policy", "corpus"},

	"masking": {
		"masking/policy", "divlstm", "corpus", "internal/nn", "internal/torch", "internal/testkit/parity",
		"internal/testkit/torchtest",
	},
	"divlstm":    {"corpus", "internal/nn", "internal/torch", "internal/testkit/parity", "internal/testkit/torchtest"},
	"classifier": {"corpus", "internal/nn", "internal/torch", "internal/testkit/parity", "internal/testkit/torchtest"},
	"smlm": {
		"smlm/guided", "masking/policy", "pretrained", "pretrained/folder", "corpus", "internal/nn", "internal/torch", "internal/testkit/parity", "internal/testkit/torchtest",
	},
	"lm": {"corpus", "internal/nn", "internal/torch", "internal/testkit/parity", "internal/testkit/torchtest"},

	// A pretrained encoder initialises models and computes a metric.
	"pretrained":        {"pretrained/folder", "metrics/bertscore", "corpus", "internal/nn", "internal/torch", "internal/testkit/parity", "internal/testkit/torchtest"},
	"pretrained/folder": {},

	"lm/ngram":       {"corpus"},
	"smlm/guided":    {"corpus"},
	"masking/policy": {"corpus"},

	"report/figure": {"report", "report/paper", "report/table", "masking/policy", "metrics", "internal/palette"},
	"report/page":   {"report/table", "internal/palette"},
	"report": {
		"report/paper", "report/table", "internal/palette", "masking/policy", "metrics", "metrics/human", "corpus",
		"metrics/meteor", // only a test imports metrics/meteor
	},
	"report/paper": {"report/table", "corpus"}, // only a test imports corpus
	"report/table": {},

	"metrics/meteor":      {"metrics"}, // meteor and embedding import metrics only in tests
	"metrics/embedding":   {"metrics"},
	"metrics":             {"metrics/bertscore", "metrics/naturalness"}, // only a test imports metrics/naturalness
	"metrics/naturalness": {},
	"metrics/bertscore":   {},
	"metrics/human":       {},

	"corpus/intake": {"corpus"},
	"corpus/fetch":  {},
	"corpus":        {"corpus/demo"},
	"corpus/demo":   {},

	"internal/nn":      {"internal/torch", "internal/testkit/torchtest", "corpus"},
	"internal/torch":   {"internal/kernels"},
	"internal/kernels": {}, // C++ code that is faster than libtorch's
	"internal/palette": {},

	// These packages are not part of the product: the benchmark (a separate module), code that
	// tests share, and tests of the source tree and of the scripts.
	"bench":                      {"smlm", "divlstm", "classifier", "lm", "corpus", "internal/nn", "internal/torch"},
	"internal/testkit/parity":    {"corpus", "internal/nn", "internal/torch"}, // for the models' tests
	"internal/testkit/torchtest": {"internal/torch"},                          // for tests on a GPU
	"internal/testkit/fakebackend": { // for tests of packages above the stages
		"runs/stages", "runs/stage", "masking", "metrics", "metrics/bertscore", "smlm/guided", "corpus",
	},
	"internal/architecture": {},
	"scripts":               {},
}

// testedFromAbove are the packages whose external tests run whole studies or export models, and
// therefore import packages of higher layers.
var testedFromAbove = []string{"runs/stages", "runs/slurm", "runs/track"}

// reachesTorch reports whether a package may import internal/torch, directly or through other
// packages. All other packages must build and pass their tests on a machine without libtorch.
func reachesTorch(pkg string) bool {
	return pkg == owner || slices.ContainsFunc(below[pkg], reachesTorch)
}

// imports maps the folder of a package to the full paths of its imports, including those of test
// files.
type imports map[string][]string

// wrongArrows returns a message for each import that the rules forbid and for each package that the
// rules do not list. The messages are sorted.
func wrongArrows(graph imports) []string {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for pkg, paths := range graph {
		allowed, known := below[pkg]
		if !known && !slices.Contains(leaves, pkg) {
			say("%s has no layer: give it one in internal/architecture/rules_test.go", pkg)
			continue
		}
		for _, path := range paths {
			if path == gotch || strings.HasPrefix(path, gotch+"/") {
				if pkg != owner {
					say("%s imports %s: only %s may", pkg, path, owner)
				}
				continue
			}
			to, ours := strings.CutPrefix(path, module+"/")
			if !ours || to == pkg || slices.Contains(leaves, to) || slices.Contains(allowed, to) {
				continue
			}
			say("%s imports %s, which is not below it", pkg, to)
		}
	}
	sort.Strings(wrong)
	return slices.Compact(wrong)
}

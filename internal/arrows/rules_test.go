package arrows

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

const (
	module = "github.com/smlm-exp/smlm-exp"
	gotch  = "github.com/sugarme/gotch"
	// owner is the one package that may import gotch.
	owner = "internal/torch"
)

// leaves are small packages that know nothing of the project: all may import them, and they import
// only each other.
var leaves = []string{
	"internal/userr", "internal/atomicfile", "internal/testdata", "internal/need", "internal/device",
	"internal/buildinfo", "internal/plainfile", "internal/remember", "internal/rounding", "internal/wording",
	"internal/recipe", "internal/keylines", "internal/tomlvalue", "internal/cores", "internal/lists",
	"internal/filelock",
}

// below lists what each package may import, beside the leaves and itself, from the top layer to the
// bottom one. The models do not see each other, except that masking explains the Diversity-LSTM.
// smlm in particular does not see classifier: the evaluation classifier must neither train nor rank
// what it will judge.
var below = map[string][]string{
	// It hands the stages to cli, which itself tests without libtorch; its own test reads scores.
	"cmd/smlm-exp":      {"cli", "runs/stages", "masking/policy", "masking/scorefile"},
	"cmd/smlm-exp-lean": {"cli"}, // the same without tensors
	"bench": {
		"bench/process", "bench/models", "bench/tasks", "bench/workload",
		"internal/precision", "internal/nn", "internal/kernels", "internal/torch", "runs/experiment", // precision, experiment in tests
	},
	"bench/process": {"bench/tasks", "bench/workload"},
	"bench/models": {
		"bench/workload", "classifier", "divlstm", "smlm", "smlm/guided", "lm", "lm/ngram", "corpus", "internal/nn",
		"internal/torch",
	},
	"bench/tasks": {
		"bench/models", "bench/workload", "classifier", "lm", "metrics", "metrics/meteor", "metrics/naturalness", "corpus",
		"internal/precision", "internal/torch",
	},
	"bench/workload": {"smlm", "corpus", "metrics/meteor", "internal/nn"},
	"cli": {
		"cli/manual", "cli/house", "cli/show", "cli/measure", "cli/rewrite", "cli/data", "cli/people", "cli/serve", "cli/call",
		"runs", "runs/slurm",
		"runs/search", "runs/track", "runs/workspace", "runs/experiment", "runs/plan", "runs/kind", "metrics", "metrics/meteor",
		"report", "corpus",
		"masking/scorefile", "smlm/guided", // of its tests' fake stages
	},
	"cli/house":  {"cli/call", "runs/workspace", "runs/plan", "runs/kind", "runs/experiment"},
	"cli/show":   {"cli/call", "runs/card", "runs/results", "runs/experiment", "report", "report/figure", "report/table"},
	"cli/data":   {"cli/call", "report", "metrics/naturalness", "corpus", "corpus/intake", "corpus/fetch"},
	"cli/manual": {"cli/call"},
	"cli/serve":  {"cli/call", "runs/packing", "runs/rewriting", "serve"},
	// It is handed the models, as cli is.
	"serve": {
		"runs", "runs/results", "runs/packing", "runs/rewriting", "runs/search", "runs/track", "runs/workspace", "runs/plan", "runs/kind",
		"report", "report/heat", "report/table", "masking/policy", "metrics", "metrics/human", "corpus",
		"runs/experiment", "smlm/guided", // in tests
	},
	"cli/people": {"cli/call", "runs/results", "metrics/human", "report"},
	"cli/measure": {
		"cli/call", "runs", "runs/results", "runs/workspace", "runs/kind", "metrics", "metrics/meteor", "metrics/embedding",
		"metrics/habits", "metrics/naturalness", "report", "report/table", "corpus",
	},
	"cli/rewrite": {
		"cli/call", "cli/stream", "runs", "runs/packing", "runs/rewriting", "runs/workspace", "runs/plan", "runs/kind",
		"runs/experiment", "masking/policy", "report/heat", "corpus",
	},
	"cli/call": {
		"report/table", "runs", "runs/slurm", "runs/search", "runs/results", "runs/workspace", "runs/plan", "runs/kind",
		"runs/experiment", "metrics",
	},
	"cli/stream":           {"runs", "runs/kind", "smlm/guided", "corpus"},
	"runs/stages/attended": {"classifier", "divlstm", "internal/nn", "runs/kind"},
	"runs/stages/rewriter": {"runs", "runs/kind", "smlm", "smlm/guided", "internal/nn", "corpus"},
	"runs/stages": {
		"runs/stages/attended", "runs/stages/rewriter", "runs/rewriting", "runs/packing",
		"runs", "runs/doctor", "runs/results", "runs/workspace", "runs/plan", "runs/kind", "runs/experiment", "divlstm",
		"classifier", "lm", "lm/ngram", "masking", "masking/policy", "masking/scorefile", "smlm", "smlm/guided",
		"metrics", "metrics/charbleu", "metrics/meteor",
		"metrics/embedding", "metrics/naturalness", "report", "corpus", "internal/precision", "internal/nn", "internal/torch",
		"internal/torchtest",
	},
	// Its tests run whole studies.
	"runs/track": {"runs", "runs/workspace", "runs/plan", "runs/kind", "runs/experiment", "metrics"},
	// Its tests run whole studies, and look at what the results make of them.
	"runs": {
		"runs/card", "runs/search",
		"runs/results", "runs/workspace", "runs/plan", "runs/kind", "runs/experiment", "report", "masking/policy",
		"metrics", "smlm/guided",
	},
	"runs/packing": {"runs", "runs/rewriting", "runs/workspace", "runs/plan", "runs/kind", "masking/policy", "corpus"},
	"runs/rewriting": {
		"runs", "runs/workspace", "runs/plan", "runs/kind", "runs/experiment", "masking/policy", "smlm/guided", "report/heat",
		"corpus",
	},
	"runs/slurm": {"runs", "runs/workspace", "runs/plan", "runs/kind", "runs/experiment"},
	"runs/results": {
		"runs/card", "runs/choice", "runs/overrides", "runs/search",
		"runs/workspace", "runs/plan", "runs/kind", "runs/experiment", "report", "report/series", "report/figure", "report/page",
		"report/paper", "report/table", "masking/policy", "masking/scorefile", "smlm/guided", "metrics", "metrics/beside",
		"metrics/meteor", "metrics/human", "corpus",
	},
	"runs/search":    {"runs/search/space", "runs/workspace", "runs/plan", "runs/experiment", "metrics"},
	"runs/card":      {"runs/workspace", "runs/plan", "runs/kind"},
	"runs/choice":    {"runs/plan", "runs/experiment", "metrics"}, // experiment in a test
	"runs/overrides": {"runs/plan", "runs/experiment", "report"},
	"runs/doctor":    {"metrics/meteor", "internal/precision", "internal/nn", "internal/torch"},
	"runs/workspace": {"runs/plan", "runs/kind", "runs/experiment", "corpus"},
	"runs/plan": {
		"runs/kind", "runs/experiment", "masking/policy", "metrics/embedding", "metrics/habits", "metrics/human",
		"metrics/meteor", "metrics/naturalness", "corpus",
	},
	"runs/kind":         {"runs/experiment", "masking/policy", "smlm/guided", "corpus"},
	"runs/experiment":   {"runs/search/space", "masking/policy"},
	"runs/search/space": {},

	"masking":    {"masking/policy", "divlstm", "corpus", "internal/nn", "internal/parity", "internal/torch", "internal/torchtest"},
	"divlstm":    {"corpus", "internal/nn", "internal/parity", "internal/torch", "internal/torchtest"},
	"classifier": {"corpus", "internal/nn", "internal/parity", "internal/torch", "internal/torchtest"},
	"smlm":       {"smlm/guided", "corpus", "internal/nn", "internal/parity", "internal/torch", "internal/torchtest"},
	"lm":         {"corpus", "internal/nn", "internal/parity", "internal/torch", "internal/torchtest"},
	"lm/ngram":   {"corpus"},

	"smlm/guided":       {"corpus"},
	"masking/scorefile": {},
	"masking/policy":    {"corpus"},

	"report/series": {"report", "report/figure", "report/paper", "masking/policy", "metrics"}, // metrics in a test
	"report/figure": {"internal/drawing"},
	"report/page":   {"report/table"},
	"report/heat":   {"report/table"},
	"report": {
		"report/paper", "report/table", "masking/policy", "metrics", "metrics/charbleu",
		"metrics/meteor", "corpus", // in tests
	},
	"report/paper": {"report/table", "corpus"}, // corpus in a test
	"report/table": {},

	"metrics/beside":      {"metrics"},
	"metrics/meteor":      {"metrics"}, // and embedding: their tests compare with its interfaces
	"metrics/embedding":   {"metrics"},
	"metrics":             {"metrics/ngram", "metrics/naturalness"}, // the latter in a test
	"metrics/charbleu":    {"metrics/ngram"},
	"metrics/naturalness": {},
	"metrics/habits":      {},
	"metrics/ngram":       {},
	"metrics/human":       {},

	"corpus/intake": {"corpus"},
	"corpus/fetch":  {},
	"corpus":        {"corpus/demo"},
	"corpus/demo":   {},

	"internal/precision": {"internal/nn", "internal/torch", "internal/torchtest"},
	"internal/nn":        {"internal/torch", "internal/torchtest", "corpus"},
	"internal/torch":     {"internal/kernels"},
	"internal/kernels":   {}, // the C++ that makes steps faster; bench imports it for its switches alone
	"internal/drawing":   {},
	"internal/parity":    {"corpus", "internal/nn", "internal/torch"}, // for the models' tests
	"internal/torchtest": {"internal/torch"},                          // for tests on a GPU

	// Packages of tests alone.
	"internal/arrows": {},
	"scripts":         {},
}

// reachesTorch says whether a package may import libtorch's owner, itself or by what it imports.
// The others must build and test on a machine that has no libtorch.
func reachesTorch(pkg string) bool {
	return pkg == owner || slices.ContainsFunc(below[pkg], reachesTorch)
}

// imports maps a package, named by its folder, to what it imports by full path, test files
// included.
type imports map[string][]string

// wrongArrows returns a sentence for each import that the rules forbid, in order.
func wrongArrows(graph imports) []string {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for pkg, paths := range graph {
		allowed, known := below[pkg]
		if !known && !slices.Contains(leaves, pkg) {
			say("%s has no layer: give it one in internal/arrows/rules_test.go", pkg)
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

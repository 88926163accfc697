package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

func BenchmarkPlan500(b *testing.B) { benchmarkPlan(b, 5, 10, 10, 4211) }

func BenchmarkPlan10000(b *testing.B) { benchmarkPlan(b, 20, 50, 10, 100816) }

// benchmarkPlan reads an experiment file that sweeps one model on the demo's sentences, and plans
// it. It checks the number of stages.
func benchmarkPlan(b *testing.B, lambdasCon, lambdasEps, seeds, stages int) {
	list := func(n int, from, step float64) string {
		values := make([]string, n)
		for i := range values {
			values[i] = fmt.Sprintf("%.3f", from+step*float64(i))
		}
		return strings.Join(values, ", ")
	}
	file := b.TempDir() + "/e.toml"
	testkit.WriteFile(b, file, fmt.Sprintf(`
		seeds = [%s]
		[datasets.demo]
		builtin = "demo"
		[divlstm]
		lambda_con = [%s]
		[masking]
		methods = ["explainable_attention"]
		lambda_eps = [%s]
		[smlm]
		models = ["smlm"]`,
		strings.ReplaceAll(list(seeds, 1, 1), ".000", ""), list(lambdasCon, 0.5, 0.01), list(lambdasEps, 0.1, 0.01)))
	for b.Loop() {
		e, err := experiment.Load(file, nil)
		if err != nil {
			b.Fatal(err)
		}
		p, err := New(e)
		if err != nil {
			b.Fatal(err)
		}
		if len(p.Points) != lambdasCon*lambdasEps*seeds || len(p.Stages) != stages {
			b.Fatalf("%d points with %d stages, want %d with %d", len(p.Points), len(p.Stages), lambdasCon*lambdasEps*seeds,
				stages)
		}
	}
}

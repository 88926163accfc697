package workspace

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// BenchmarkListing10000 lists the stages of 10,000 sweep points, none of which has run. The command
// "plan" prints this list. BenchmarkPlan10000 measures the planning itself.
func BenchmarkListing10000(b *testing.B) {
	values := make([]string, 1000)
	for i := range values {
		values[i] = fmt.Sprintf("%.3f", 0.1+0.01*float64(i))
	}
	file := b.TempDir() + "/e.toml"
	testkit.WriteFile(b, file, `
		seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
		[datasets.demo]
		builtin = "demo"
		[masking]
		methods = ["explainable_attention"]
		lambda_eps = [`+strings.Join(values, ", ")+`]
		[smlm]
		models = ["smlm"]`)
	e, err := experiment.Load(file, nil)
	if err != nil {
		b.Fatal(err)
	}
	p, err := plan.New(e)
	if err != nil {
		b.Fatal(err)
	}
	ws, err := Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := ws.WriteListing(io.Discard, p); err != nil {
			b.Fatal(err)
		}
	}
}

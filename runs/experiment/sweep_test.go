package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPointsOrder(t *testing.T) {
	e := load(t, `seeds = [7, 3]
[smlm]
dropout = [0.1, 0.2]
[datasets.b]
dir = "data"
[datasets.a]
dir = "data"
[datasets.a.smlm]
dropout = 0.5
[datasets.a.finetune]
lambda_sta = [0.0, 0.25]
[masking]
lambda_eps = [0.5, 3e-1]
`)
	var got []string
	for _, p := range e.Points() {
		var axes []string
		for _, a := range p.Axes {
			axes = append(axes, a.Key+"="+a.Value)
		}
		got = append(got, fmt.Sprintf("%s %s seed=%d", p.Dataset, strings.Join(axes, " "), p.Seed))
	}
	var want []string
	for _, d := range []string{"0.1", "0.2"} {
		for _, l := range []string{"0.5", "0.3"} {
			for _, s := range []string{"7", "3"} {
				want = append(want, "b smlm.dropout="+d+" lambda_eps="+l+" seed="+s)
			}
		}
	}
	for _, d := range []string{"0", "0.25"} {
		for _, l := range []string{"0.5", "0.3"} {
			for _, s := range []string{"7", "3"} {
				want = append(want, "a lambda_sta="+d+" lambda_eps="+l+" seed="+s)
			}
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("points (-want +got):\n%s", d)
	}
	if s := e.Points()[8].Settings; s.SMLM.Dropout != 0.5 || s.Finetune.LambdaSta != 0 || s.Masking.LambdaEps != 0.5 {
		t.Errorf("the data set's own settings do not win: %+v", s)
	}
}

// TestPointCount: the number of Points is the product of the lengths of the axes and of the seeds,
// and no two Points are equal.
func TestPointCount(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		axes := map[string]string{
			"masking.lambda_eps": "0.%d1", "divlstm.lambda_con": "%d.5", "smlm.ff": "%d2", "finetune.lambda_rec": "%d",
			"vocab.size": "%d3",
		}
		text, want := "[datasets.a]\nbuiltin = \"demo\"\n", 1
		var set []string
		for path, pattern := range axes {
			n := rapid.IntRange(0, 3).Draw(r, path)
			if n == 0 {
				continue
			}
			var values []string
			for i := range n {
				values = append(values, fmt.Sprintf(pattern, i+1))
			}
			set = append(set, path+"=["+strings.Join(values, ",")+"]")
			want *= n
		}
		seeds := rapid.SliceOfNDistinct(
			rapid.Uint64Range(0, 1<<53), 1, 3, func(v uint64) uint64 { return v },
		).Draw(r, "seeds")
		set = append(set, "seeds="+strings.ReplaceAll(fmt.Sprint(seeds), " ", ","))
		want *= len(seeds)
		if err := os.WriteFile(filepath.Join(dir, "e.toml"), []byte(text), 0o644); err != nil {
			r.Fatal(err)
		}
		e, err := Load(filepath.Join(dir, "e.toml"), set)
		if err != nil {
			r.Fatal(err)
		}
		points := e.Points()
		if len(points) != want {
			r.Fatalf("%d points, want %d", len(points), want)
		}
		seen := map[string]bool{}
		for _, p := range points {
			key := fmt.Sprint(p.Settings, p.Seed)
			if seen[key] {
				r.Fatalf("point %v twice", p)
			}
			seen[key] = true
		}
	})
}

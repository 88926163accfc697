package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TestBadFlags: one sentence on stderr, exit code 2, nothing on stdout.
func TestBadFlags(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"unknown flag":      {[]string{"--fast"}, "-fast"},
		"unknown section":   {[]string{"--only", "step,lunch"}, `"lunch"`},
		"an argument":       {[]string{"step"}, `"step"`},
		"no alternations":   {[]string{"--alternations", "0"}, "--alternations is 0"},
		"not a number":      {[]string{"--threads", "two"}, "threads"},
		"no such Python":    {[]string{"--python", "/nowhere/python"}, "/nowhere/python"},
		"no newer Python":   {[]string{"--python", os.Args[0], "--newer-python", "/nowhere/newer"}, "/nowhere/newer"},
		"no such kernel":    {[]string{"--only", "kernels", "--kernel", "abacus"}, "the kernels are adam, "},
		"too few sentences": {[]string{"--sentences", "3"}, "--sentences is 3"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			if code := program(t.Context(), c.args, &out, &errs); code != userr.BadInput {
				t.Errorf("exit code %d", code)
			}
			if !strings.Contains(errs.String(), c.says) || strings.Count(errs.String(), "\n") != 1 || out.Len() > 0 {
				t.Errorf("stdout %q, stderr %q, want %q", &out, &errs, c.says)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	var out, errs bytes.Buffer
	if code := program(t.Context(), []string{"--help"}, &out, &errs); code != userr.OK || errs.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, &errs)
	}
	for _, what := range append(slices.Clone(sections), "-markdown", "-json", "--only gpu", "--only kernels") {
		if !strings.Contains(out.String(), what) {
			t.Errorf("help does not speak of %s", what)
		}
	}
}

func TestParse(t *testing.T) {
	o, err := parse([]string{"--python", os.Args[0]}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if o.alternations != 5 || !slices.Equal(o.only, sections[:8]) {
		t.Errorf("without flags: %+v", o)
	}
	o, err = parse([]string{"--python", os.Args[0], "--only", "gpu,step", "--alternations", "7"}, nil)
	if err != nil || !slices.Equal(o.only, []string{"gpu", "step"}) || o.alternations != 7 {
		t.Errorf("with flags: %+v, %v", o, err)
	}
}

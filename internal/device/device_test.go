package device

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name string
		want Choice
	}{
		{"", Choice{Auto: true}},
		{"auto", Choice{Auto: true}},
		{"cpu", Choice{Index: -1}},
		{"cuda", Choice{Index: 0}},
		{"cuda:0", Choice{Index: 0}},
		{"cuda:7", Choice{Index: 7}},
	} {
		if got, err := Parse(c.name); err != nil || got != c.want {
			t.Errorf("%q: %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, name := range []string{
		"gpu", "CPU", "cuda:", "cuda:-1", "cuda:x", "cuda:01", "cuda:+1", "cuda: 1", "cuda:64", "cuda:0x1", "cuda0",
		"cpu:0", " cpu",
	} {
		_, err := Parse(name)
		if err == nil {
			t.Errorf("%q is taken", name)
		} else if !strings.Contains(err.Error(), Wanted) {
			t.Errorf("%q: the error does not say what is wanted: %v", name, err)
		}
	}
}

func TestNames(t *testing.T) {
	for index, want := range map[int]string{-1: "cpu", 0: "cuda:0", 3: "cuda:3"} {
		name := Name(index)
		if name != want {
			t.Errorf("Name(%d) = %q, want %q", index, name, want)
		}
		if c, err := Parse(name); err != nil || c.Index != index || c.Auto {
			t.Errorf("%q does not parse back: %+v, %v", name, c, err)
		}
		if kind := Kind(name); kind != want[:len(kind)] || len(kind) > 4 {
			t.Errorf("Kind(%q) = %q", name, kind)
		}
	}
}

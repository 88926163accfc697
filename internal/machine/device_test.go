package machine

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name string
		want Device
	}{
		{"", Device{Auto: true}},
		{"auto", Device{Auto: true}},
		{"cpu", Device{Index: -1}},
		{"cuda", Device{Index: 0}},
		{"cuda:0", Device{Index: 0}},
		{"cuda:7", Device{Index: 7}},
	} {
		if got, err := ParseDevice(c.name); err != nil || got != c.want {
			t.Errorf("%q: %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, name := range []string{
		"gpu", "CPU", "cuda:", "cuda:-1", "cuda:x", "cuda:01", "cuda:+1", "cuda: 1", "cuda:64", "cuda:0x1", "cuda0",
		"cpu:0", " cpu",
	} {
		_, err := ParseDevice(name)
		if err == nil {
			t.Errorf("%q is taken", name)
		} else if !strings.Contains(err.Error(), Wanted) {
			t.Errorf("%q: the error does not say what is wanted: %v", name, err)
		}
	}
}

func TestNames(t *testing.T) {
	for index, want := range map[int]string{-1: "cpu", 0: "cuda:0", 3: "cuda:3"} {
		name := CUDAName(index)
		if name != want {
			t.Errorf("Name(%d) = %q, want %q", index, name, want)
		}
		if c, err := ParseDevice(name); err != nil || c.Index != index || c.Auto {
			t.Errorf("%q does not parse back: %+v, %v", name, c, err)
		}
		if kind := DeviceKind(name); kind != want[:len(kind)] || len(kind) > 4 {
			t.Errorf("Kind(%q) = %q", name, kind)
		}
	}
}

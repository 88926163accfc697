package metrics

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// notes returns n different sources and the outputs of a system that replaces one word of each.
func notes(n int) (sources, outputs [][]string) {
	for i := range n {
		thing := fmt.Sprintf("room-%d on floor-%d of hotel-%d was ", i, i, i)
		sources = append(sources, strings.Fields(thing+"awful"))
		outputs = append(outputs, strings.Fields(thing+"lovely"))
	}
	return sources, outputs
}

// TestShiftWarning checks that the warning names the first line that fits a neighbouring source.
// There must be no warning if the outputs are in order or in random order, or if there are few
// lines.
func TestShiftWarning(t *testing.T) {
	sources, outputs := notes(60)
	lost := slices.Concat(outputs[:20], outputs[21:], outputs[:1])
	doubled := slices.Concat(outputs[:1], outputs[:59])
	mixed := slices.Clone(outputs)
	for i := 0; i+30 < len(mixed); i++ {
		mixed[i], mixed[i+30] = mixed[i+30], mixed[i]
	}
	for _, c := range []struct {
		name    string
		outputs [][]string
		want    string
	}{
		{"in order", outputs, ""},
		{"mixed", mixed, ""},
		{"a line is missing", lost, "first line 21"},
		{"a line is doubled", doubled, "first line 2"},
	} {
		got := ShiftWarning("outputs", sources, c.outputs)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := ShiftWarning("outputs", sources[:5], doubled[:5]); got != "" {
		t.Errorf("five lines: %q", got)
	}
}

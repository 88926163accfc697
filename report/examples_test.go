package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReplaced checks that a word is new if it is not part of the longest common subsequence, even
// if the source has the same word elsewhere.
func TestReplaced(t *testing.T) {
	for _, c := range []struct {
		source, output string
		want           string // x means new
	}{
		{"the food was cold .", "the food was great .", "...x."},
		{"the food was cold .", "the food was cold .", "....."},
		{"a b c", "b c d", "..x"},
		{"a", "", ""},
		{"", "a b", "xx"},
		{"a b", "b a", ".x"},
		{"best", "best best best", ".xx"},
	} {
		var got strings.Builder
		for _, put := range Replaced(strings.Fields(c.source), strings.Fields(c.output)) {
			got.WriteByte(map[bool]byte{true: 'x', false: '.'}[put])
		}
		if got.String() != c.want {
			t.Errorf("%q, %q: %s, want %s", c.source, c.output, got.String(), c.want)
		}
	}
}

// TestEqualOutputs checks that systems with equal outputs are next to each other, and that their
// output is printed only once, except in CSV. An empty output is a dash. A source must be printed
// even if it equals the output above it.
func TestEqualOutputs(t *testing.T) {
	of := func(system, source, output string) Example {
		return Example{Dataset: "market", From: "a", To: "b", System: system, Source: source, Masked: Absent, Output: output}
	}
	made := Examples([]Example{
		of("SMLM", "old", "new"), of("SMLM-G", "old", ""), of("SMLM-FT", "old", "new"),
		of("SMLM", "new", "new"), of("SMLM-G", "new", "new"),
	}, About{})
	var b strings.Builder
	if err := made.Write(&b, "markdown"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| source | old |\n|  | SMLM | **new** |\n|  | SMLM-FT |  |\n|  | SMLM-G | – |\n|  | source | new |\n",
		"|  | source | new |\n|  | SMLM |  |\n|  | SMLM-G |  |\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no\n%s\nin\n%s", want, b.String())
		}
	}
	if rows := csvRecords(t, made); len(rows) != 6 || rows[2][4] != "new" || rows[3][4] != "" {
		t.Errorf("CSV %q", rows)
	}
}

// TestExamplesShareSources checks that the source and the masked text are printed once, above the
// outputs. If systems have different masked texts, each masked text is labelled with its systems.
// In CSV, each output has its source and masked text in its own row.
func TestExamplesShareSources(t *testing.T) {
	of := func(system, source, masked, output string) Example {
		return Example{
			Dataset: "market", From: "fed_up", To: "pleased", System: system, Source: source, Masked: masked, Output: output,
		}
	}
	made := Examples([]Example{
		of("SMLM", "a dull day", "a <mask> day", "a fine day"), of("SMLM-G", "a dull day", "a <mask> day", "a day"),
		of("SMLM", "so it goes", "so it <mask>", "so it shines"), of("SMLM-G", "so it goes", "so <mask> goes", "so she goes"),
		of("Tag", "so it goes", Absent, "so it goes"),
	}, About{})
	want := []string{
		"source: a dull day", "masked: a <mask> day", "SMLM: a fine day", "SMLM-G: a day", "source: so it goes",
		"masked for SMLM: so it <mask>", "masked for SMLM-G: so <mask> goes", "SMLM: so it shines", "SMLM-G: so she goes",
		"Tag: so it goes",
	}
	var got []string
	for i, r := range made.Rows {
		got = append(got, r.Cells[1].Text+": "+r.Cells[2].Text)
		if first := strings.HasPrefix(got[i], "source"); r.Joined == first {
			t.Errorf("%q is joined to the row above: %v", got[i], r.Joined)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	if d := cmp.Diff([][]string{
		{"Direction", "System", "Source", "Masked", "Output"},
		{"fed_up to pleased", "SMLM", "a dull day", "a <mask> day", "a fine day"},
		{"fed_up to pleased", "SMLM-G", "a dull day", "a <mask> day", "a day"},
		{"fed_up to pleased", "SMLM", "so it goes", "so it <mask>", "so it shines"},
		{"fed_up to pleased", "SMLM-G", "so it goes", "so <mask> goes", "so she goes"},
		{"fed_up to pleased", "Tag", "so it goes", "", "so it goes"},
	}, csvRecords(t, made)); d != "" {
		t.Errorf("CSV (-want +got):\n%s", d)
	}
}

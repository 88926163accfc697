package metrics

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// invented returns n sentences of two halves, of which the first has the words of the line alone.
func invented(n int, second string) (out [][]string) {
	things := []string{"lamp", "ferry", "garden", "violin", "kettle", "bridge", "ladder", "pillow", "engine", "basket", "candle"}
	places := []string{"harbour", "attic", "market", "cellar", "library", "station", "orchard"}
	for i := range n {
		out = append(out, strings.Fields(fmt.Sprintf("the %s of the %s by uncle %c%c was %s .", things[i%len(things)],
			places[i%len(places)], 'a'+rune(i%23), 'a'+rune(i%19), second)))
	}
	return out
}

// edited returns sentences with something done to each.
func edited(sentences [][]string, do func(i int, line string) string) (out [][]string) {
	for i, words := range sentences {
		out = append(out, strings.Fields(do(i, strings.Join(words, " "))))
	}
	return out
}

func rotated(sentences [][]string, by int) [][]string {
	return append(slices.Clone(sentences[by:]), sentences[:by]...)
}

// TestMisaligned: outputs of another order or of other sources are said, those of systems are not.
func TestMisaligned(t *testing.T) {
	sources, outputs := invented(60, "dull"), invented(60, "splendid")
	foreign := edited(sources, func(i int, _ string) string {
		return fmt.Sprintf("nobody paid %c%d marks yesterday .", 'a'+rune(i%17), i)
	})
	half := append(slices.Clone(outputs[:30]), rotated(outputs[30:], 1)...)
	for _, c := range []struct {
		name    string
		outputs [][]string
		want    string // "" = nothing
	}{
		{"right", outputs, ""},
		{"copies", sources, ""},
		{"upper case and attached", edited(outputs, func(_ int, line string) string {
			return strings.ToUpper(strings.ReplaceAll(line, " .", "."))
		}), ""},
		{"three single lines", append(rotated(outputs[:3], 1), outputs[3:]...), ""},
		{"reversed", func() [][]string { r := slices.Clone(outputs); slices.Reverse(r); return r }(), "with that of another line (line 1 with source line 60"},
		{"one line off", rotated(outputs, 1), "(line 1 with source line 2; most are 1 line off)"},
		{"half of them off", half, "of 60 outputs, 30 share almost no word with their own source"},
		{"of other sources", foreign, "share almost no word with their own sources"},
		{"few", outputs[:5], ""},
	} {
		got := AlignmentWarning(sources[:len(c.outputs)], c.outputs)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	blank := make([][]string, 60)
	if got := Warnings(sources, blank); got != nil {
		t.Errorf("blank outputs: %q", got)
	}
	if got := ReferenceWarnings(sources, rotated(outputs, 1)); len(got) != 1 || strings.Contains(got[0], "outputs") {
		t.Errorf("references: %q", got)
	}
}

// TestResidue: what models and scripts leave in outputs is said.
func TestResidue(t *testing.T) {
	sources, outputs := invented(60, "dull"), invented(60, "splendid")
	for _, c := range []struct {
		name string
		do   func(i int, line string) string
		want string
	}{
		{"right", func(_ int, line string) string { return line }, ""},
		{"end", func(_ int, line string) string { return line + " </s>" }, `60 of 60 lines end with "</s>"`},
		{"padding", func(_ int, line string) string { return line + " <pad> <pad>" }, `lines end with "<pad>"`},
		{"nearly all", func(i int, line string) string { return line + strings.Repeat(" <eos>", min(1, i%20)) }, `57 of 60 lines end with "<eos>"`},
		{"beginning", func(_ int, line string) string { return "1 " + line }, `lines begin with "1"`},
		{"numbers", func(i int, line string) string { return fmt.Sprint(i+1, " ", line) }, "begins with its number"},
		{"pieces", func(_ int, line string) string { return strings.ReplaceAll(line, "splendid", "splen@@ did") }, `marked @@ ("splen@@")`},
		{"other pieces", func(_ int, line string) string { return strings.ReplaceAll(line, "splendid", "splen ##did") }, `marked ## ("##did")`},
	} {
		got := ResidueWarning(sources, edited(outputs, c.do))
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	same := edited(outputs, func(int, string) string { return "nice weather today" })
	if got := ResidueWarning(sources, same); got != "" {
		t.Errorf("a system that collapsed: %q", got)
	}
	marked := func(_ int, line string) string { return line + " </s>" }
	if got := ResidueWarning(edited(sources, marked), edited(outputs, marked)); got != "" {
		t.Errorf("sources have it too: %q", got)
	}
	curled := func(sign string) [][]string {
		return edited(sources, func(_ int, line string) string { return line + " it" + sign + "s" })
	}
	if got := TokenisationWarning(curled("'"), curled("’")); !strings.Contains(got, `apostrophes are written as in "it's" in the sources but as in "it’s"`) {
		t.Errorf("curly: %q", got)
	}
	for n, want := range map[int]bool{2: false, 3: true, 9: true} { // few, but of one sign alone
		few := func(sign string) [][]string {
			return edited(sources, func(i int, line string) string {
				if i < n {
					line += " it" + sign + "s"
				}
				return line
			})
		}
		if got := TokenisationWarning(few("'"), few("’")); (got != "") != want {
			t.Errorf("%d apostrophes: %q", n, got)
		}
	}
}

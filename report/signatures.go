package report

import (
	"fmt"
	"slices"
	"strings"
)

// signatureLines returns a line a signature: "s_bleu: bleu4|level:corpus|...". Metrics of equal
// signatures share a line, and so do the BLEUs that differ in n alone, so that a long list stays
// readable.
func signatureLines(signatures map[string]string) []string {
	type line struct {
		names []string
		text  string
	}
	var lines []line
	for _, name := range sortedKeys(signatures) {
		text := strings.TrimSuffix(signatures[name], ".")
		if base, n, ok := bleuOrder(name); ok && signatures[base] == strings.NewReplacer("bleu"+n+"|", "bleu4|",
			"|n:"+n+"|", "|n:4|").Replace(text) {
			text = strings.TrimSuffix(signatures[base], ".")
		}
		if i := slices.IndexFunc(lines, func(l line) bool { return l.text == text }); i >= 0 {
			lines[i].names = append(lines[i].names, name)
			continue
		}
		lines = append(lines, line{[]string{name}, text})
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		more := ""
		if len(l.names) > 1 && slices.ContainsFunc(l.names, func(name string) bool {
			_, _, ok := bleuOrder(name)
			return ok
		}) {
			more = " (n: that of the name)"
		}
		out[i] = fmt.Sprintf("%s: %s%s.", strings.Join(l.names, ", "), l.text, more)
	}
	return out
}

// bleuOrder splits the name of a shorter BLEU: "s_bleu_2" is "s_bleu" and "2".
func bleuOrder(name string) (base, n string, ok bool) {
	base, n, ok = strings.Cut(name, "bleu_")
	return base + "bleu", n, ok && len(n) == 1
}

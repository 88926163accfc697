package wording

import "testing"

func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"the plate was chipped":  "the plate was chipped",
		"=HYPERLINK(\"x\")":      "'=HYPERLINK(\"x\")",
		"- a list of dull soups": "'- a list of dull soups",
		"+ 1":                    "'+ 1",
		"@cook":                  "'@cook",
		"\t=1":                   "'\t=1",
		" =1":                    "' =1",
		"'=1":                    "''=1",
		"''@":                    "'''@",
		"'s soup":                "'s soup",
		"'":                      "'",
		"a=b":                    "a=b",
		"„-“":                    "„-“",
	} {
		got := Cell(text)
		if got != want {
			t.Errorf("Cell(%q) = %q, want %q", text, got, want)
		}
		if back := OfCell(got); back != text {
			t.Errorf("OfCell(%q) = %q, want %q", got, back, text)
		}
	}
	for _, written := range []string{"- as older files have it", "=1"} {
		if got := OfCell(written); got != written {
			t.Errorf("OfCell(%q) = %q: what was never escaped must stay", written, got)
		}
	}
}

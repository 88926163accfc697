package files

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestForeign checks that texts in other encodings, and programs, are recognised.
func TestForeign(t *testing.T) {
	encoded := func(text string, wide bool, order binary.AppendByteOrder) []byte {
		var raw []byte
		for _, r := range text {
			if wide {
				raw = order.AppendUint32(raw, uint32(r))
				continue
			}
			for _, unit := range utf16.Encode([]rune{r}) {
				raw = order.AppendUint16(raw, unit)
			}
		}
		return raw
	}
	for _, text := range []string{"the soup was warm\n", "a\n", "caf\u00e9 \U0001f600 \U00020000\n", "\u043e\u043d\u0430 \u0442\u0443\u0442\n"} {
		if format, _ := Foreign([]byte(text)); format != "" {
			t.Errorf("%q is %s", text, format)
		}
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for _, wide := range []bool{false, true} {
				want := "UTF-16"
				if wide {
					want = "UTF-32"
				}
				if format, advice := Foreign(encoded("\ufeff"+text, wide, order)); format != want || !strings.Contains(advice, "iconv -f "+want+" -t") {
					t.Errorf("%q as %s with a mark is %q: %s", text, want, format, advice)
				}
				if text > "\u0400" && !wide {
					continue // in UTF-16, hardly any byte of this text is 0
				}
				ending := map[string]string{"LittleEndian": "LE", "BigEndian": "BE"}[order.String()]
				format, advice := Foreign(encoded(text, wide, order))
				if format != want || !strings.Contains(advice, "iconv -f "+want+ending+" -t") {
					t.Errorf("%q as %s%s is %q: %s", text, want, ending, format, advice)
				}
			}
		}
	}
	numbers, _ := binary.Append(nil, binary.LittleEndian, []int64{1, 300, 5, 1 << 40, 7, -1, 1 << 33, 12})
	if format, advice := Foreign(numbers); format != "binary data" || advice != "give a text file" {
		t.Errorf("numbers are %q: %s", format, advice)
	}
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if format, advice := Foreign(program); format != "a program" || advice != "give a text file" {
		t.Errorf("a program is %q: %s", format, advice)
	}
}

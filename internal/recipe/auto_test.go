package recipe

import (
	"encoding/json"
	"testing"
)

// TestOrAuto checks that a number and "auto" are written and read as themselves.
func TestOrAuto(t *testing.T) {
	for x, want := range map[OrAuto]string{Chosen: `"auto"`, 0: "0", .15: "0.15", -2: "-2"} {
		text, err := json.Marshal(x)
		var back OrAuto
		if err != nil || string(text) != want || json.Unmarshal(text, &back) != nil || back != x {
			t.Errorf("%v is written as %s (%v) and read as %v, want %s", x, text, err, back, want)
		}
	}
	for _, bad := range []string{`"Auto"`, `""`, "true", `"0.5"`} {
		var x OrAuto
		if json.Unmarshal([]byte(bad), &x) == nil {
			t.Errorf("%s is read as %v", bad, x)
		}
	}
}

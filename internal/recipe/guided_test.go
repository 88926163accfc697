package recipe

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestGuidedString checks that String lists every setting with its value, under the key that it has
// in an experiment file.
func TestGuidedString(t *testing.T) {
	g := Guided{Style: .1, Fluency: .2}
	var want []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Guided]()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		want = append(want, fmt.Sprint(key, " ", reflect.ValueOf(g).FieldByIndex(f.Index)))
	}
	if got := g.String(); got != strings.Join(want, ", ") || got != "style 0.1, fluency 0.2" {
		t.Errorf("%q, want %q", got, want)
	}
}

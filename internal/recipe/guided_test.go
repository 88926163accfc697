package recipe

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestGuidedAxes checks that Axes lists every setting with its value, under the key that it has in
// an experiment file.
func TestGuidedAxes(t *testing.T) {
	g := Guided{Style: .1, Fluency: .2}
	var want []Axis
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Guided]()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		want = append(want, Axis{key, fmt.Sprint(reflect.ValueOf(g).FieldByIndex(f.Index))})
	}
	if got := g.Axes(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	text := "style 0.1, fluency 0.2"
	if got := g.String(); got != text {
		t.Errorf("%q, want %q", got, text)
	}
}

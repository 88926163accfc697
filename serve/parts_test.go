package serve

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/report/table"
)

func TestChanges(t *testing.T) {
	for _, c := range []struct{ source, output, want string }{
		{"the soup was cold .", "the soup was great .", "the soup was [great] ."},
		{"the soup was cold .", "the soup was cold .", "the soup was cold ."},
		{"a b", "", ""},
		{"", "a b", "[a] [b]"},
		{"a b c d", "b c x a d", "b c [x] [a] d"},
		{"no no yes", "no yes yes", "no yes [yes]"},
	} {
		var got []string
		for _, w := range changes(strings.Fields(c.source), strings.Fields(c.output)) {
			if w.New {
				w.Text = "[" + w.Text + "]"
			}
			got = append(got, w.Text)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%q after %q is %q, want %q", c.output, c.source, text, c.want)
		}
	}
}

func TestNumberOf(t *testing.T) {
	for text, want := range map[string]string{
		"81.2": "81.2", "81.2 ± 0.4": "81.2", "1,234": "1234", "−0.5": "-0.5", "–": "", "SMLM": "", ".25": "0.25", "12%": "12",
		"NaN": "",
	} {
		if got := numberOf(table.Cell{Text: text}); got != want {
			t.Errorf("%q is sorted as %q, want %q", text, got, want)
		}
	}
	if got := numberOf(table.Cell{Text: "x", Parts: []string{"3"}}); got != "3" {
		t.Errorf("parts give %q", got)
	}
}

// TestAxis: values are inside the frame, and ticks are round and in order.
func TestAxis(t *testing.T) {
	for _, values := range [][]float64{{0, 100}, {.001, .0012}, {5, 5}, {-3, 4}, {}, {1e6, 3e6}} {
		a := newAxis(values, 60, 600)
		for _, v := range values {
			if at := a.at(v); at < 60 || at > 600 {
				t.Errorf("%v: %v is at %v", values, v, at)
			}
		}
		ticks := a.ticks(6)
		ordered := slices.IsSortedFunc(ticks, func(a, b tick) int { return int(a.At - b.At) })
		if len(ticks) < 2 || len(ticks) > 8 || !ordered {
			t.Errorf("%v has the ticks %v", values, ticks)
		}
	}
	var texts []string
	for _, k := range newAxis([]float64{0, 100}, 0, 1).ticks(6) {
		texts = append(texts, k.Text)
	}
	if got := strings.Join(texts, " "); got != "0 20 40 60 80 100" {
		t.Errorf("the ticks of 0 to 100 are %s", got)
	}
}

// TestFront: marks that another one is better than in both are not on it, nor those without rank.
func TestFront(t *testing.T) {
	p := plotData{}
	for _, m := range []struct {
		name   string
		x, y   float64
		ranked bool
	}{{"a", 1, 9, true}, {"b", 2, 5, true}, {"c", 3, 7, true}, {"d", 5, 7, true}, {"e", 5, 6, true}, {"people", 9, 9, false}} {
		p.Marks = append(p.Marks, markData{Name: m.name, x: m.x, y: m.y, ranked: m.ranked})
	}
	x, y := newAxis([]float64{0, 10}, 0, 100), newAxis([]float64{0, 10}, 100, 0)
	p.lay(x, y)
	p.front(x, y)
	var front []string
	for _, m := range p.Marks {
		if m.OnFront {
			front = append(front, m.Name)
		}
	}
	if got := strings.Join(front, " "); got != "a d" {
		t.Errorf("on the front are %s, want a and d", got)
	}
	if strings.Count(p.Front, ",") != 3 {
		t.Errorf("the line is %q, want a step of three points", p.Front)
	}
}

// TestLabel: names neither leave the frame nor meet marks or each other, and each is there once.
func TestLabel(t *testing.T) {
	p := plotData{Frame: plain}
	for i := range 60 {
		name := fmt.Sprintf("system number %d", i/3)
		m := markData{System: name, x: 100 * fraction(fmt.Sprint("x", i)), y: 100 * fraction(fmt.Sprint("y", i))}
		m.markStyle = p.styleOf(name)
		p.Marks = append(p.Marks, m)
	}
	x, y := newAxis([]float64{0, 100}, plain.Left, plain.Right), newAxis([]float64{0, 100}, plain.Bottom, plain.Top)
	p.label(x, y)
	named, seen := map[string]bool{}, map[markStyle]string{}
	for _, m := range p.Marks {
		if before := seen[m.markStyle]; before != "" && before != m.System {
			t.Errorf("%s looks like %s", m.System, before)
		}
		seen[m.markStyle] = m.System
		if m.Label == nil {
			continue
		}
		if named[m.System] {
			t.Errorf("%s has two labels", m.System)
		}
		named[m.System] = true
		at := y.at(m.y) + m.Label.DY
		for _, other := range p.Marks { // a mark must not stand in the middle of the first letter
			if other.System != m.System && m.Label.Anchor == "start" &&
				math.Abs(x.at(other.x)-x.at(m.x)-m.Label.DX) < 4 && math.Abs(y.at(other.y)-at+5) < 4 {
				t.Errorf("%s is written over a mark of %s", m.System, other.System)
			}
		}
		if at < plain.Top || at > plain.Bottom {
			t.Errorf("the label of %s is at %v", m.System, at)
		}
	}
	if len(named) < 5 {
		t.Errorf("only %d of 20 systems have a label", len(named))
	}
}

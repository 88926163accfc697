package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// drawn are the elements that draw and nothing else.
var drawn = map[string]bool{
	"svg": true, "g": true, "defs": true, "path": true, "text": true, "tspan": true, "rect": true,
	"circle": true, "ellipse": true, "line": true, "polyline": true, "polygon": true,
	"clipPath": true, "use": true, "title": true, "desc": true,
}

// inline writes a figure's SVG as part of an HTML page: without its XML head and its style, which
// the page has for all figures, its ids and the references to them prefixed so that two figures
// share none, and named for those who cannot see it. Elements that do more than draw, and
// references out of the picture, are refused.
func inline(f Figure, prefix string) (string, error) {
	d := xml.NewDecoder(bytes.NewReader(f.SVG))
	var b strings.Builder
	depth, roots, styled := 0, 0, false // styled: in a style
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", fmt.Errorf("reading the SVG of figure %q: %w", f.Name, err)
		}
		if end, is := token.(xml.EndElement); styled {
			styled = !is || end.Name.Local != "style"
			continue
		}
		switch t := token.(type) {
		case xml.StartElement:
			if styled = t.Name.Space == "" && t.Name.Local == "style"; styled {
				continue
			}
			if t.Name.Space != "" || !drawn[t.Name.Local] {
				return "", fmt.Errorf("the SVG of figure %q has a <%s>: a report holds only what draws",
					f.Name, t.Name.Local)
			}
			b.WriteString("<" + t.Name.Local)
			if depth == 0 {
				roots++
				attribute(&b, "role", "img")
				attribute(&b, "aria-label", f.Title)
				if width, height := points(t.Attr, "width"), points(t.Attr, "height"); width > 0 && height > 0 {
					// as wide as the page lets it, no higher than a window, and not of huge letters
					attribute(&b, "style", fmt.Sprintf("width:min(%.0fpt,%.1fvh)", 2*width, 85*width/height))
				}
			}
			for _, a := range t.Attr {
				if err := svgAttribute(&b, a, prefix); err != nil {
					return "", fmt.Errorf("the SVG of figure %q: %w", f.Name, err)
				}
			}
			b.WriteString(">")
			depth++
		case xml.EndElement:
			depth--
			b.WriteString("</" + t.Name.Local + ">")
		case xml.CharData:
			if depth > 0 {
				_ = xml.EscapeText(&b, t)
			}
		}
	}
	if roots != 1 || depth != 0 {
		return "", fmt.Errorf("the SVG of figure %q is not one picture", f.Name)
	}
	return b.String(), nil
}

// points is a length among attributes, 0 where there is none in points.
func points(attributes []xml.Attr, name string) float64 {
	for _, a := range attributes {
		if text, is := strings.CutSuffix(a.Value, "pt"); is && a.Name.Local == name {
			v, _ := strconv.ParseFloat(text, 64) // 0 where it is no number
			return v
		}
	}
	return 0
}

func svgAttribute(b *strings.Builder, a xml.Attr, prefix string) error {
	name, value := a.Name.Local, a.Value
	space := a.Name.Space
	switch {
	case space == "xmlns" || name == "xmlns" || space == "xml":
		return nil // HTML knows what an svg is
	case strings.HasPrefix(strings.ToLower(name), "on"):
		return fmt.Errorf("the attribute %s runs a script: a report holds only what draws", name)
	case name == "id":
		value = prefix + value
	case name == "href":
		if !strings.HasPrefix(value, "#") {
			return fmt.Errorf("the reference to %q leads out of the picture", value)
		}
		value = "#" + prefix + value[1:]
	case name == "style" || name == "fill" || name == "stroke":
		value = inks.Replace(value)
		fallthrough
	default:
		lower := strings.ToLower(value)
		if strings.Count(lower, "url(") != strings.Count(value, "url(#") || strings.Contains(lower, "@import") {
			return fmt.Errorf("the attribute %s leads out of the picture", name)
		}
		value = strings.ReplaceAll(value, "url(#", "url(#"+prefix)
	}
	attribute(b, name, value)
	return nil
}

// inks are the colours of package drawing, in the order of its style.go, and the custom properties
// that the page gives other values in the dark.
var inks = strings.NewReplacer(
	"#FFFFFF", "var(--draw-ground,#FFFFFF)", "#000000", "var(--draw-ink,#000000)", "#E4E4E4", "var(--draw-faint,#E4E4E4)",
	"#707070", "var(--draw-muted,#707070)", "#9A9A9A", "var(--draw-pale,#9A9A9A)", "#0072B2", "var(--draw-blue,#0072B2)",
	"#E69F00", "var(--draw-orange,#E69F00)", "#009E73", "var(--draw-green,#009E73)", "#D55E00", "var(--draw-red,#D55E00)",
	"#CC79A7", "var(--draw-pink,#CC79A7)",
	"#56B4E9", "var(--draw-sky,#56B4E9)",
)

func attribute(b *strings.Builder, name, value string) {
	b.WriteString(" " + name + `="`)
	_ = xml.EscapeText(b, []byte(value)) // a Builder takes everything
	b.WriteString(`"`)
}

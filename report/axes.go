package report

// Axis is one swept setting and its value at a point.
type Axis struct{ Key, Value string }

// axisTeX prints the paper's symbols.
var axisTeX = map[string]string{
	"lambda_con": `$\lambda_{con}$`,
	"lambda_eps": `$\lambda_{\epsilon}$`,
	"lambda_sta": `$\lambda_{sta}$`,
	"lambda_rec": `$\lambda_{rec}$`,
}

// axisKeys returns every key of the rows' axes, in order of first appearance.
func axisKeys(all [][]Axis) []string {
	var keys []string
	seen := map[string]bool{}
	for _, axes := range all {
		for _, a := range axes {
			if !seen[a.Key] {
				seen[a.Key] = true
				keys = append(keys, a.Key)
			}
		}
	}
	return keys
}

func axisColumn(key string) Column {
	return Column{Head: key, TeX: axisTeX[key], Align: Right}
}

// axisCells returns one cell a key; a row without that axis (a published system) has an empty one.
func axisCells(keys []string, axes []Axis) []Cell {
	cells := make([]Cell, len(keys))
	for i, key := range keys {
		for _, a := range axes {
			if a.Key == key {
				cells[i].Text = a.Value
			}
		}
	}
	return cells
}

// axesText writes axes in a line: "lambda_eps 0.15, lambda_con 10".
func axesText(axes []Axis) string {
	s := ""
	for i, a := range axes {
		if i > 0 {
			s += ", "
		}
		s += a.Key + " " + a.Value
	}
	return s
}

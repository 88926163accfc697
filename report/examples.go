package report

// ExampleRow is one transferred sentence.
type ExampleRow struct {
	Dataset, From, To      string // From and To: names of the styles
	System                 string
	Axes                   []Axis
	Source, Masked, Output string // words with one space between; Masked is Absent for a system that masks nothing
}

// Examples shows sentences as the paper does, source, masked and output, in the order given: rows of one direction and of one
// source sentence should stand together.
func Examples(rows []ExampleRow, about About) *Table {
	t := &Table{
		Name: "examples", Title: "Examples from the test set.", Notes: about.notes(),
		Columns: []Column{
			{Head: "Direction", Width: 1.9, Merge: true},
			{Head: "Source", Width: 3.7, Merge: true},
			{Head: "System", Width: 2.4},
			{Head: "Masked", Width: 3.7},
			{Head: "Output", Width: 3.7},
		},
	}
	several := false
	for _, r := range rows {
		several = several || r.Dataset != rows[0].Dataset
	}
	last := ""
	for i, r := range rows {
		direction := r.From + " to " + r.To
		if several {
			direction = r.Dataset + ": " + direction
		}
		system := r.System
		if len(r.Axes) > 0 {
			system += ", " + axesText(r.Axes)
		}
		t.Rows = append(t.Rows, Row{
			Rule:  i > 0 && direction != last,
			Cells: []Cell{{Text: direction}, {Text: r.Source}, {Text: system}, {Text: r.Masked}, {Text: r.Output}},
		})
		last = direction
	}
	return t
}

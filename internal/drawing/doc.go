// Package drawing draws sheets of panels with gonum/plot: curves, or clouds of named points, over
// two axes, with a legend under all. A Sheet is plain data; Write draws it as PDF, PNG or SVG,
// the same bytes for the same data. It knows nothing of what is drawn.
//
// Colours are those of Okabe and Ito, which colour-blind readers tell apart; marks differ as well,
// for grey printing. PDF and PNG draw their letters from Liberation Sans; a letter that it lacks is
// printed as its code, "[U+65E5]". PDF embeds the letters it uses, and can be searched; SVG names
// the font, and common ones of equal widths for where it is missing.
package drawing

// Sheet is a figure: panels in rows, of equal width and height, and a legend under them. The panels
// decide the height. Any text may stand in names, titles and legend; control characters are taken
// out of it.
type Sheet struct {
	Size    Size
	Height  float64 // of a panel, in cm, where Size does not say
	Columns int     // panels in a row
	Panels  []*Panel
	Legend  []Entry
}

// Size is the printed size of a figure. A zero takes the default.
type Size struct {
	Width float64 // of the figure, in cm; default 8.4, a column of a two-column paper
	Panel float64 // height of one panel, its axis included, in cm; the default is the figure's own
	Font  float64 // of axis titles, in points; default 8. All other text is one point smaller.
}

// Panel is curves, or a cloud, over two axes, with faint lines at the ticks of Y.
type Panel struct {
	Title  string // "" for none
	X, Y   Axis
	Grid   bool // lines at the ticks of X as well
	Curves []Curve
	Cloud  *Cloud
}

// Entry is one line of a legend: a sample of line and mark, and a text.
type Entry struct {
	Text string
	Line *Line
	Mark *Mark

	number string // in place of the sample
}

// Value is one measurement, or the mean of several seeds with their standard deviation (drawn as a
// bar where that is longer than the mark).
type Value struct{ Mean, Deviation float64 }

// Package figure draws the figures of a study with gonum/plot: the effect of lambda_eps (LambdaEps), the trade-off between style and
// content (TradeOff), training curves (Training) and where in a sentence the masks fall (MaskedShare). A figure is plain data that the
// caller fills; Write draws it as PDF, PNG, SVG or PGF, the same bytes for the same data.
//
// Colours are those of Okabe and Ito, which colour-blind readers tell apart; marks differ as well, for grey printing. PDF and PNG draw
// their letters from the Liberation Sans that gonum/plot brings; a letter that it lacks is printed as its code, "[U+65E5]". In PDF they are outlines, so
// that there is no font to embed; SVG names the font, and common ones of equal widths for where it is missing.
//
// PGF is a bare picture for \input in a LaTeX document that loads pgf, in that document's own font:
//
//	\usepackage{pgf} % in the preamble
//	\begin{figure}\centering\input{lambda-eps.pgf}\caption{...}\end{figure}
package figure

import "io"

// Formats lists what Write accepts; each is also the ending of such a file's name.
var Formats = []string{"pdf", "png", "svg", "pgf"}

// Figure is what every figure of this package can do.
type Figure interface {
	// Write draws the figure. format is one of Formats. Nothing to draw, a value that is no number, or an unknown format is an error
	// for the user; nothing has been written then.
	Write(w io.Writer, format string) error
}

// Size is the printed size of a figure. A zero takes the default.
type Size struct {
	Width float64 // of the figure, in cm; default 8.4, a column of a two-column paper
	Panel float64 // height of one panel, its axis included, in cm; the default is the figure's own
	Font  float64 // of axis titles, in points; default 8. All other text is one point smaller.
}

// Value is one measurement, or the mean of several seeds with their standard deviation (drawn as a bar where that is longer than the mark).
type Value struct{ Mean, Deviation float64 }

// Of is a single measurement.
func Of(x float64) *Value { return &Value{Mean: x} }

package recipe

// Guided configures guided decoding, which searches for the best edits of a source sentence.
// docs/guided.md has the formulas.
type Guided struct {
	// Style is the weight of the log-odds of the target style, as the guide (a style classifier)
	// sees them. Higher: more style, more changed words. "auto": chosen on dev sentences
	// (guided.md).
	Style OrAuto `json:"style" default:"1.2" must:"0 or more"`
	// Fluency is the price of an odd trigram: three words in a row that neither the source nor the
	// training text has. Higher: fewer odd word sequences, fewer changed words.
	Fluency float64 `json:"fluency" default:"1" must:"0 or more"`
	// StyleCost is the cost of losing a word of the source style, as a share of the cost of another
	// word. Lower: more of these words are replaced. "auto": 1 or 0, chosen on dev sentences.
	StyleCost OrAuto `json:"style_cost" default:"1" must:"from 0 to 1"`
}

// HasAuto reports whether dev sentences choose any of these settings.
func (g Guided) HasAuto() bool { return g.Style == Chosen || g.StyleCost == Chosen }

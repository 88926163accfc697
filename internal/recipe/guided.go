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
}

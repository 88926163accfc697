package recipe

// Mixed says how examples are made of texts that are of no style as a whole, which no training text
// has: for the class "mixed" of a classifier. The parts of the four kinds are weights: with 1, 2, 1
// and 1 the second kind is two fifths of the examples.
type Mixed struct {
	// Share is the share of made examples in the training text of the judge of TST% whole, of those
	// of unseen whole, and of the guide where guide.mixed is on.
	Share float64 `json:"share" default:"0.5" must:"above 0 and below 1"`
	// Joined is the part of examples in which a clause of one style is joined to a short text of
	// another: mixed.
	Joined float64 `json:"joined" default:"1" must:"0 or more"`
	// Exchanged is the part in which one of several style words is exchanged for one of another
	// style: mixed.
	Exchanged float64 `json:"exchanged" default:"2" must:"0 or more"`
	// Restored is the part in which all style words but one are exchanged, as in an output to which
	// one word returned: mixed.
	Restored float64 `json:"restored" default:"1" must:"0 or more"`
	// Negated is the part in which a style word is exchanged for a negated one of another style, as
	// "kind" for "not rude": of the style that it was, and so not of the other.
	Negated float64 `json:"negated" default:"1" must:"0 or more"`
	// LogOdds is the least log odds of a style word in the training text: log p(word | style) - log
	// p(word | the other styles).
	LogOdds float64 `json:"log_odds" default:"0.7" must:"above 0"`
	// Joiners are the words that join clauses.
	Joiners []string `json:"joiners" default:", and but"`
	// Negations are the words that negate the next one.
	Negations []string `json:"negations" default:"not never"`
}

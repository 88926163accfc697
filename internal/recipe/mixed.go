package recipe

// Mixed makes examples of texts without one style as a whole, for the class "mixed" of classifiers.
// metrics.md shows the four kinds.
type Mixed struct {
	// Share is the share of such examples in the training text of the judges of TST% whole and
	// unseen whole, and of the guide if guide.mixed is on.
	Share float64 `json:"share" default:"0.5" must:"above 0 and below 1"`
	// Joined is the weight of joined examples.
	Joined float64 `json:"joined" default:"1" must:"0 or more"`
	// Exchanged is the weight of exchanged examples.
	Exchanged float64 `json:"exchanged" default:"2" must:"0 or more"`
	// Restored is the weight of restored examples.
	Restored float64 `json:"restored" default:"1" must:"0 or more"`
	// Negated is the weight of negated examples.
	Negated float64 `json:"negated" default:"1" must:"0 or more"`
	// LogOdds is the least log odds of a style word in the training text: log p(word | style) - log
	// p(word | other styles).
	LogOdds float64 `json:"log_odds" default:"0.7" must:"above 0"`
	// Joiners are the words that join clauses.
	Joiners []string `json:"joiners" default:", and but"`
	// Negations are the words that negate the next word.
	Negations []string `json:"negations" default:"not never"`
}

package recipe

// Mixed makes examples of texts without one style as a whole, for the class "mixed" of classifiers
// (metrics.md). joined, exchanged, restored and negated are weights of four kinds of examples. The
// first three are mixed; negated ones keep their style.
type Mixed struct {
	// Share is the share of such examples in the training text of the judges of TST% whole and
	// unseen whole, and of the guide if guide.mixed is on.
	Share float64 `json:"share" default:"0.5" must:"above 0 and below 1"`
	// Joined is a clause of one style, joined to a short text of another.
	Joined float64 `json:"joined" default:"1" must:"0 or more"`
	// Exchanged has one of several style words replaced by one of another style.
	Exchanged float64 `json:"exchanged" default:"2" must:"0 or more"`
	// Restored has all style words but one replaced.
	Restored float64 `json:"restored" default:"1" must:"0 or more"`
	// Negated has a style word replaced by a negated one of another style, such as "kind" by "not
	// rude".
	Negated float64 `json:"negated" default:"1" must:"0 or more"`
	// LogOdds is the least log odds of a style word in the training text: log p(word | style) - log
	// p(word | other styles).
	LogOdds float64 `json:"log_odds" default:"0.7" must:"above 0"`
	// Joiners are the words that join clauses.
	Joiners []string `json:"joiners" default:", and but"`
	// Negations are the words that negate the next word.
	Negations []string `json:"negations" default:"not never"`
}

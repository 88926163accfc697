package plan

// Counts is counts.json of KindPrepare: what is in a prepared data set.
type Counts struct {
	Name       string    `json:"name"`
	Labels     [2]string `json:"labels"`
	Sentences  [3][2]int `json:"sentences"` // by split (train, dev, test), then style
	References bool      `json:"references"`
}

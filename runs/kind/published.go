package kind

// Published measures the outputs of a published system, or the human references.
const Published Kind = "published"

var published = Definition{
	Name: Published, Version: 3, Inputs: "those of `score` without transfer",
	Files: "the same of a published system's outputs, or of the human references",
}

// HumanReferences is the system name of the row that scores the data set's own references as
// outputs.
const HumanReferences = "human references"

// PublishedSettings is one system's two output files, the sources "0" and "1". With References the
// outputs are the test set's reference.{0,1}.txt instead, written like the sources (Tokenised: as
// people wrote them they have capitals and full stops on words, which no classifier knows), and
// there is nothing to compare them with: no r-BLEU.
type PublishedSettings struct {
	System     string `json:"system"`
	References bool   `json:"references,omitempty"`
	Tokenised  bool   `json:"tokenised,omitempty"` // true with References; earlier versions did not
	ScoreSettings
	Hashes map[string]string `json:"hashes,omitempty"` // "0", "1" -> sha256 of the file
}

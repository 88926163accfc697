package embedding

import "fmt"

// Whole is what a file of vectors says as a whole, which a file of some of its vectors does not:
// beside such a file it gives the same scores and the same signature as the first.
type Whole struct {
	Total  int       `json:"total"`            // vectors
	Hash   string    `json:"hash"`             // see Vectors.Hash
	Mean   []float32 `json:"mean"`             // of all vectors; stands for unknown words
	Origin string    `json:"origin,omitempty"` // see Vectors.Origin
}

// Whole returns what Save loses of vectors that LoadOnly thinned out, and of own ones.
func (v *Vectors) Whole() Whole {
	return Whole{Total: v.total, Hash: v.hash, Mean: v.Unknown(), Origin: v.Origin}
}

// LoadPart reads a file that Save wrote, and makes it what w says it is a part of.
func LoadPart(path string, w Whole) (*Vectors, error) {
	v, err := Load(path)
	if err != nil {
		return nil, err
	}
	if len(w.Mean) != v.dim {
		return nil, fmt.Errorf("the vectors %q have %d dimensions and their mean %d", path, v.dim, len(w.Mean))
	}
	v.total, v.hash, v.Origin = w.Total, w.Hash, w.Origin
	copy(v.row(v.unknown()), w.Mean)
	return v, nil
}

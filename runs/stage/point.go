package stage

import (
	"maps"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// Point says where a stage belongs in a study: at which point of the sweep it is, and what
// distinguishes it from the other stages at this point. Two Points are equal if all their fields
// are equal, so a Point can be a key of a map.
type Point struct {
	*experiment.Point             // data set, variant, settings and seed
	Study             *data.Study // the experiment and its data

	Method   policy.Method   // masking method
	Model    string          // a transfer model, or the classifier whose accuracy is measured
	Decoding recipe.Decoding // how the model's outputs are decoded
	Split    string          // "test" for masks of test sentences, "dev" for outputs of dev sentences; else ""
	System   *data.System    // a published system
	Path     string          // a file or folder outside the workspace that is copied into it
}

// Data returns the data set of the point.
func (p Point) Data() *data.Set { return p.Study.Sets[p.Dataset] }

// FirstSeed returns the first seed of the experiment. Instruments are trained with this seed at
// every point, so that the same instruments measure all rows of a data set.
func (p Point) FirstSeed() uint64 { return p.Study.Experiment.Seeds[0] }

// OfTest reports whether the point is about test sentences.
func (p Point) OfTest() bool { return p.Split == corpus.Test.String() }

// OfDev reports whether the point is about outputs of dev sentences.
func (p Point) OfDev() bool { return p.Split == corpus.Dev.String() }

// SystemName returns the published system of the point, or "".
func (p Point) SystemName() string {
	if p.System == nil {
		return ""
	}
	return p.System.Name
}

// With returns a copy of the point with the given split.
func (p Point) With(split string) Point {
	p.Split = split
	return p
}

// Masks returns a point for each masking method.
func (p Point) Masks() (masks []Point) {
	for _, p.Method = range p.Settings.Masking.Methods {
		masks = append(masks, p)
	}
	return masks
}

// Models returns a point for each combination of a transfer model, a masking method whose masks
// train the model, and a decoding.
func (p Point) Models() (models []Point) {
	for _, of := range p.Masks() {
		if !slices.Contains(p.Settings.Masking.TrainOn, of.Method) {
			continue
		}
		for _, of.Model = range p.Settings.SMLM.Models {
			for _, of.Decoding = range p.Settings.Outputs(of.Model) {
				models = append(models, of)
			}
		}
	}
	return models
}

// Inputs are the stages that a stage reads, by the names that its code uses.
type Inputs map[string]Ref

// Ref identifies a stage by its name and a point.
type Ref struct {
	Name  Name
	Point Point
}

// And adds the entries of others to the map, and returns the map.
func (in Inputs) And(others Inputs) Inputs {
	maps.Copy(in, others)
	return in
}

// Scope says which fields of a Point matter to a stage. The other fields are cleared, so that
// points that differ only in these fields share the stage. The data set, the settings, the seed and
// Path always matter.
type Scope uint8

// A Scope is a combination of these values. Each value is named after the field that matters.
const (
	OfMethod Scope = 1 << iota
	OfModel        // the fields Model and Decoding matter
	OfSplit
	OfSystem
)

// Clear returns the point with only the fields that matter.
func (s Scope) Clear(p Point) Point {
	if s&OfMethod == 0 {
		p.Method = ""
	}
	if s&OfModel == 0 {
		p.Model, p.Decoding = "", ""
	}
	if s&OfSplit == 0 {
		p.Split = ""
	}
	if s&OfSystem == 0 {
		p.System = nil
	}
	return p
}

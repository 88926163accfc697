// Package kind has each kind of stage of the study, those that belong together in one file: its
// name and version, the settings that matter to it and where they come from, the stages that it
// reads, the files it writes, and what its results hold. The code of a kind is in the file of the
// same name in runs/stages, or in that of the kind it is the other half of; runs/plan decides which
// stages an experiment needs.
package stages

import (
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// all lists the kinds in the order of the study.
var all = []stage.Definition{
	prepareKind, testSetKind, vocabKind, naturalnessKind, classifierKind, fastTextKind, bayesKind, guideKind, fluencyKind, divLSTMKind, accuracyKind,
	attributionKind, maskKind, maskScoreKind, smlmKind, smlmGKind, smlmFTKind, transferKind, vectorsKind, lmKind, scoreKind, publishedKind,
	meteorKind, embeddingKind,
}

// All returns what is known of the kinds.
func All() []stage.Definition { return all }

// Names lists the kinds in the order of the study.
func Names() []stage.Kind {
	return lists.Map(all, func(d stage.Definition) stage.Kind { return d.Name })
}

// Version returns the version of a kind, 0 of one that there is not.
func Version(k stage.Kind) int {
	for i := range all {
		if all[i].Name == k {
			return all[i].Version
		}
	}
	return 0
}

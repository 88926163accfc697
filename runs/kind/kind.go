// Package kind has each kind of stage of the study, those that belong together in one file: its
// name and version, the settings that matter to it and where they come from, the stages that it
// reads, the files it writes, and what its results hold. The code of a kind is in the file of the
// same name in runs/stages, or in that of the kind it is the other half of; runs/plan decides which
// stages an experiment needs.
package kind

import "github.com/smlm-exp/smlm-exp/internal/lists"

// Kind names a step of the study.
type Kind string

// Definition is what is known of a kind beside its settings and its code. docs/workspace.md lists
// them all; a test holds it to this.
type Definition struct {
	Name Kind
	// Version is part of every identity. Raise it when what the kind computes or writes changes:
	// all its stages, and all that build on them, then have new identities and run again.
	Version int
	Inputs  string // by name, in Markdown
	Files   string // that it writes beside stage.json, in Markdown
}

// all lists the kinds in the order of the study.
var all = []Definition{
	prepare, testSet, vocab, naturalness, classifier, fastText, bayes, guide, fluency, divLSTM, accuracy,
	attribution, mask, maskScore, smlm, smlmG, smlmFT, transfer, vectors, lm, score, published,
	meteor, embedding,
}

// All returns what is known of the kinds.
func All() []Definition { return all }

// Names lists the kinds in the order of the study.
func Names() []Kind {
	return lists.Map(all, func(d Definition) Kind { return d.Name })
}

// Version returns the version of a kind, 0 of one that there is not.
func (k Kind) Version() int {
	for i := range all {
		if all[i].Name == k {
			return all[i].Version
		}
	}
	return 0
}

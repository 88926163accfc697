package stages

import (
	"maps"
	"slices"

	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// The function "at" returns a reference to the stage with the given name and the point p, whose
// field Path is cleared.
func at(name stage.Name, p stage.Point) stage.Ref {
	p.Path = ""
	return stage.Ref{Name: name, Point: p}
}

// copyOf returns a reference to a stage that copies the file or folder at path into the workspace.
func copyOf(name stage.Name, path string, p stage.Point) stage.Ref {
	p.Path = path
	return stage.Ref{Name: name, Point: p}
}

// trainText names the inputs of a stage that trains or selects: training and dev sentences, and the
// vocabulary.
func trainText(p stage.Point) stage.Inputs {
	return stage.Inputs{"prepare": at(Prepare, p), "vocab": at(Vocab, p)}
}

// testText names the inputs of a stage that rewrites or measures test sentences: the test sentences
// and the vocabulary.
func testText(p stage.Point) stage.Inputs {
	return stage.Inputs{"test": at(TestSet, p), "vocab": at(Vocab, p)}
}

// encoderOf names the input with the copy of a pretrained encoder. If folder is "", there is no
// such input.
func encoderOf(folder string, p stage.Point) stage.Inputs {
	if folder == "" {
		return nil
	}
	return stage.Inputs{"encoder": copyOf(Encoder, folder, p)}
}

// measuring names the inputs with which test outputs are scored: the test text and the stages that
// measure. The stage that writes the outputs is not among them.
func measuring(p stage.Point) stage.Inputs {
	in := testText(p).And(naturalnessOf(p))
	in["classifier"], in["fasttext"] = at(Classifier, p), at(FastText, p)
	if p.Data().Unseen != nil {
		in["unseen"] = at(UnseenCNN, p)
	}
	if p.Settings.Metrics.Perplexity {
		in["lm"] = at(LM, p)
	}
	return in
}

// naturalnessOf names the input that judges naturalness: the file that the experiment names or, if
// it names none, a trained judge.
func naturalnessOf(p stage.Point) stage.Inputs {
	return stage.Inputs{"naturalness": copyOf(Naturalness, datasetOf(p).Naturalness, p)}
}

// datasetOf returns the experiment file's data set with the name p.Dataset.
func datasetOf(p stage.Point) *experiment.Dataset {
	sets := p.Study.Experiment.Datasets
	return sets[slices.IndexFunc(sets, func(d *experiment.Dataset) bool { return d.Name == p.Dataset })]
}

// folderOf returns the folder with the files of the data set, under the key "dir", for Job.Sources.
// A builtin corpus has no folder.
func folderOf(p stage.Point) map[string]string {
	if set := datasetOf(p); set.Builtin == "" {
		return map[string]string{"dir": set.Dir}
	}
	return nil
}

// writtenBy names the outputs that a stage measures: the outputs of a published system, or the
// references. If a trained model wrote the outputs, writtenBy returns the zero value, because the
// stage then reads them from its input "transfer".
func writtenBy(p stage.Point) Outputs {
	switch {
	case p.System == nil:
		return Outputs{}
	case p.System.Name == data.References:
		return Outputs{System: p.System.Name, References: true, Directions: p.Data().Chosen()}
	}
	return Outputs{System: p.System.Name, Hashes: data.ByDirection(p.System.Hashes)}
}

// outputFiles returns the files with the outputs of a published system, by direction, for
// Job.Sources.
func outputFiles(p stage.Point) map[string]string {
	if p.System == nil {
		return map[string]string{}
	}
	return data.ByDirection(p.System.Files)
}

// isReferences reports whether the outputs to measure are the references. References are not
// compared with references.
func isReferences(p stage.Point) bool {
	return p.System != nil && p.System.Name == data.References
}

// referenceHashes returns the sha256 of the files with further references, in the order of
// ScoreSettings.ReferenceSets.
func referenceHashes(p stage.Point) (hashes []string) {
	if isReferences(p) {
		return nil
	}
	for _, set := range p.Data().References {
		hashes = append(hashes, set.Hashes...)
	}
	return hashes
}

// referenceFiles returns the files with further references, for Job.Sources.
func referenceFiles(p stage.Point) map[string]string {
	all := map[string]string{}
	if isReferences(p) {
		return all
	}
	for k, set := range p.Data().References {
		for direction, file := range set.Files {
			if file != "" {
				all[ReferenceSource(k, direction)] = file
			}
		}
	}
	return all
}

// comparedText names the inputs of a stage that compares outputs with their sources: the test
// sentences and the outputs. If the outputs are references, the stage needs the vocabulary to
// tokenise them like the sources.
func comparedText(p stage.Point) stage.Inputs {
	in := stage.Inputs{"test": at(TestSet, p)}
	switch {
	case p.System == nil:
		in["transfer"] = at(Transfer, p)
	case isReferences(p):
		in["vocab"] = at(Vocab, p)
	}
	return in
}

// wordVectors names the input with word vectors for the outputs to measure. There is no such input
// if this machine lacks the file of vectors. Each published system has its own copy, because its
// outputs may have words that the data set does not have.
func wordVectors(p stage.Point) stage.Inputs {
	if p.Data().Vectors == "" {
		return nil
	}
	if isReferences(p) {
		p.System = nil
	}
	return stage.Inputs{"vectors": at(Vectors, p)}
}

// union merges several maps for Job.Sources into one.
func union(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, one := range all {
		maps.Copy(out, one)
	}
	return out
}

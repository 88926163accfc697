package stages

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/metrics/embedding"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Vectors is the stage that reads the word vectors of the embedding metrics. Only data sets with a
// file of word vectors have it.
const Vectors stage.Name = "vectors"

var vectorsStage = stage.Definition{
	Name: Vectors, Version: 3, Scope: stage.OfSystem, Inputs: "prepare, test",
	Settings: func(p stage.Point) any {
		var systems []*data.System
		if p.System != nil {
			systems = append(systems, p.System)
		}
		return VectorsSettings{
			File: filepath.Base(datasetOf(p).Vectors), Hash: p.Data().Vectors, Words: p.Data().HashTexts(systems...),
		}
	},
	Reads: func(p stage.Point) stage.Inputs {
		return stage.Inputs{"prepare": at(Prepare, p), "test": at(TestSet, p)}
	},
	Sources: func(p stage.Point) map[string]string {
		sources := map[string]string{"file": datasetOf(p).Vectors}
		for direction, file := range outputFiles(p) {
			sources[direction+".0"] = file
		}
		return sources
	},
	Files: "`vectors.txt`: the vectors of the words that occur, in word2vec's text format; `about.json`: `name` " +
		"(for signatures) and three values of the original file: `total` (number of vectors), `hash` and `mean` (for " +
		"unknown words)",
	Run: of(vectors),
}

// VectorsSettings names a file of word vectors. The path of the file is Job.Sources["file"]. The
// stage reads only the vectors of words that occur in the data set or in a published system's
// outputs. These outputs are Job.Sources["DIRECTION.NUMBER"].
type VectorsSettings struct {
	File  string `json:"file"` // base name of the file
	Hash  string `json:"hash"`
	Words string `json:"words"` // hash of the texts; the stage reads only the vectors of words in these texts
}

// vectorsAbout is the content of about.json: the name of the file and facts about the whole file.
type vectorsAbout struct {
	Name string `json:"name"` // name of the vectors in signatures
	embedding.Whole
}

// vectors copies word vectors from a file. A file may have gigabytes, so vectors copies only the
// vectors of words that occur in the data set's texts or the published outputs.
func vectors(_ context.Context, job *stage.Job, s VectorsSettings) error {
	d, err := dataset(job, corpus.Splits[:]...)
	if err != nil {
		return err
	}
	words, err := wordsOf(d, job.Sources)
	if err != nil {
		return err
	}
	v, err := embedding.LoadOnly(job.Sources["file"], func(w string) bool { return words[w] })
	if err != nil {
		return err
	}
	warning, err := v.CheckCoverage(s.File, sentences(d, corpus.Test))
	if err != nil {
		return fmt.Errorf("datasets.%s.vectors: %w", d.Name, err)
	}
	warnOf(job, "datasets."+d.Name+".vectors", warning)
	if err := v.Save(filepath.Join(job.Dir, "vectors.txt")); err != nil {
		return err
	}
	return writeJSON(job.Dir, "about.json", vectorsAbout{s.File, v.Whole()})
}

// wordsOf collects the words of the data set and of the outputs in the files
// Job.Sources["DIRECTION.NUMBER"].
func wordsOf(d *corpus.Dataset, sources map[string]string) (map[string]bool, error) {
	words := map[string]bool{}
	add := func(lines []corpus.Sentence) {
		for _, line := range lines {
			for _, w := range line {
				words[w] = true
			}
		}
	}
	for _, split := range corpus.Splits {
		for _, sentences := range d.Text[split] {
			add(sentences)
		}
	}
	cutting := corpus.CuttingOf(strings.Join(slices.Collect(maps.Keys(words)), "\n"))
	for _, write := range writings {
		for _, refs := range d.Refs {
			for _, s := range refs {
				add([]corpus.Sentence{write(cutting, s)})
			}
		}
	}
	for name, path := range sources {
		direction, _, of := strings.Cut(name, ".")
		if _, err := strconv.Atoi(direction); !of || err != nil {
			continue
		}
		lines, err := corpus.ReadOutputs(path)
		if err != nil {
			return nil, err
		}
		add(lines)
	}
	return words, nil
}

func loadVectors(dir string) (*embedding.Judge, error) {
	var about vectorsAbout
	if err := readJSON(dir, "about.json", &about); err != nil {
		return nil, err
	}
	v, err := embedding.LoadPart(filepath.Join(dir, "vectors.txt"), about.Whole)
	if err != nil {
		return nil, err
	}
	return embedding.NewJudge(v, about.Name), nil
}

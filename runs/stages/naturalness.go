package stages

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/metrics/naturalness"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Naturalness is the stage that makes a judge of naturalness. It copies the judge's weights from a
// given file, or trains them.
const Naturalness stage.Name = "naturalness"

var naturalnessStage = stage.Definition{
	Name: Naturalness, Version: 1, Inputs: "prepare (unless the experiment names a file of weights)",
	Settings: func(p stage.Point) any {
		if p.Path == "" {
			return naturalnessSettings{Seed: p.FirstSeed()}
		}
		return naturalnessSettings{File: filepath.Base(p.Path), Hash: p.Data().Weights}
	},
	Reads: func(p stage.Point) stage.Inputs {
		if p.Path != "" {
			return nil
		}
		return stage.Inputs{"prepare": at(Prepare, p)}
	},
	Sources: func(p stage.Point) map[string]string {
		if p.Path == "" {
			return nil
		}
		return map[string]string{"file": p.Path}
	},
	Files: "`about.json`: signature and name of the weights file, which is `weights.tsv` or a copy of the given file",
	Run:   of(naturalnessWeights),
}

// naturalnessSettings has the name and the sha256 of a file of weights, or a seed for training. The
// file's path is Job.Sources["file"].
type naturalnessSettings struct {
	File string `json:"file,omitempty"` // base name of the file
	Hash string `json:"hash,omitempty"`
	Seed uint64 `json:"seed,omitempty"`
}

// naturalnessAbout is about.json: the name of the weights file, and the signature of scores with
// these weights.
type naturalnessAbout struct {
	File      string `json:"file"`
	Signature string `json:"signature"`
}

// naturalnessWeights copies the given weights. If none are given, it trains a classifier that tells
// human from corrupted sentences. Copied weights keep the name of their file, because signatures
// contain this name.
func naturalnessWeights(_ context.Context, job *stage.Job, s naturalnessSettings) error {
	about := naturalnessAbout{File: cmp.Or(s.File, "weights.tsv")}
	path := filepath.Join(job.Dir, about.File)
	write := func() error { return trainNaturalness(job, s.Seed, path) }
	if s.File != "" {
		write = func() error { return copyFile(path, job.Sources["file"]) }
	}
	if err := write(); err != nil {
		return err
	}
	nat, err := naturalness.Load(path)
	if err != nil {
		return err
	}
	about.Signature = nat.Signature()
	return writeJSON(job.Dir, "about.json", about)
}

func trainNaturalness(job *stage.Job, seed uint64, path string) error {
	d, err := dataset(job, corpus.Train)
	if err != nil {
		return err
	}
	own, err := naturalness.Train(sentences(d, corpus.Train), seed)
	if err != nil {
		return fmt.Errorf("datasets.%s: %w", d.Name, err)
	}
	return own.Save(path)
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return files.Write(to, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}

func loadNaturalness(dir string) (*naturalness.Judge, error) {
	var about naturalnessAbout
	if err := readJSON(dir, "about.json", &about); err != nil {
		return nil, err
	}
	return naturalness.Load(filepath.Join(dir, about.File))
}

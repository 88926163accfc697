package data

import (
	"errors"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/metrics/meteor"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// Study is an experiment with everything outside the workspace that its stages read.
type Study struct {
	Experiment *experiment.Experiment
	Sets       map[string]*Set      // by name of the data set
	WordNet    WordNet              // the zero value if METEOR is left out or WordNet is not found
	Given      *metrics.GivenScores // scores from another program; nil if the file names none

	// Lacks is an error if this machine lacks something that the experiment file names: the
	// WordNet, the word vectors, or the encoder for metrics. Then nothing runs, but results can be
	// read.
	Lacks error

	encoders map[string]*Encoder // the encoders opened so far, by folder
}

// WordNet is the dictionary in which METEOR looks up synonyms.
type WordNet struct{ Dir, Version string }

// Encoder is a pretrained encoder in a folder. If the encoder cannot be read, Err says why.
type Encoder struct {
	*folder.Folder
	Digest string
	Err    error
}

// Open reads and hashes the data of an experiment. Its error lists everything that is wrong with
// the data, one line per file.
func Open(e *experiment.Experiment) (*Study, error) {
	s := &Study{Experiment: e, Sets: map[string]*Set{}, encoders: map[string]*Encoder{}}
	var errs []error
	for _, d := range e.Datasets {
		set, err := read(d)
		errs = append(errs, err)
		s.Sets[d.Name] = set
		s.lacks(set.Lacks)
	}
	return s, errors.Join(append(errs, s.findWordNet(), s.readScores())...)
}

// lacks stores err in the field Lacks, unless this field already has an error.
func (s *Study) lacks(err error) {
	if s.Lacks == nil {
		s.Lacks = err
	}
}

// readScores reads the file of scores that another program computed for the outputs.
func (s *Study) readScores() (err error) {
	e := s.Experiment
	if e.Report.Scores == "" {
		return nil
	}
	if s.Given, err = metrics.ReadGivenScores(e.Absolute(e.Report.Scores)); err != nil {
		return userr.New(userr.BadInput, "%s: %w", e.Place("report.scores"), err)
	}
	return nil
}

// findWordNet looks for WordNet in the folder that the experiment names, or else in the usual
// places. If the named folder has no WordNet, findWordNet keeps an error in Lacks, and nothing can
// run. If no folder is named and WordNet is not found, the plan leaves METEOR out, and tables
// say what is missing.
func (s *Study) findWordNet() error {
	e := s.Experiment
	if e.WordNet == experiment.NoWordNet {
		return nil
	}
	dir, ok := meteor.Find(e.WordNet)
	if !ok && e.WordNet != "" {
		s.lacks(userr.New(
			userr.BadInput,
			"%s: wordnet: there is no WordNet in %q: name the folder that contains data.noun and index.noun, "+
				"or remove the key",
			e.Place("wordnet"), e.WordNet,
		))
	}
	if !ok {
		return nil
	}
	version, err := meteor.Version(dir)
	if err != nil {
		return err
	}
	s.WordNet = WordNet{dir, version}
	return nil
}

// Encoder opens the pretrained encoder in a folder that the experiment file names. It opens each
// folder only once.
func (s *Study) Encoder(dir string) *Encoder {
	dir = s.Experiment.Absolute(dir)
	if s.encoders[dir] == nil {
		e := &Encoder{}
		if e.Folder, e.Err = folder.Open(dir); e.Err == nil {
			e.Digest, e.Err = e.Folder.Digest()
		}
		s.encoders[dir] = e
	}
	return s.encoders[dir]
}

// CheckEncoders checks the encoders that the given settings name. It returns an error if a model
// cannot start from its encoder. If the encoder for metrics cannot be read, CheckEncoders only
// keeps an error in Lacks, so that tables can still show earlier measurements.
func (s *Study) CheckEncoders(of *experiment.Settings) error {
	refuse := func(key string, err error) error {
		return userr.New(userr.BadInput, "%s: %s: %w", s.Experiment.Place(key), key, err)
	}
	if dir := of.SMLM.Pretrained; dir != "" {
		if err := s.Encoder(dir).Err; err != nil {
			return refuse("smlm.pretrained", err)
		}
	}
	if m := of.Metrics; m.Encoder != "" {
		if e := s.Encoder(m.Encoder); e.Err != nil {
			s.lacks(refuse("metrics.encoder", e.Err))
		} else if _, err := folder.ReadSentences(e.Dir); err != nil {
			return refuse("metrics.encoder", err)
		}
	}
	return nil
}

package corpus

import (
	"bytes"
	"os"
	"path/filepath"
)

// Size is the approximate size of a training text.
type Size struct {
	Sentences, Words int
	Styles           int
}

// DemoSize is the size of the demo corpus's training text.
var DemoSize = Size{Sentences: 60_000, Words: 552_162, Styles: len(DemoLabels())}

// TrainSize counts the lines and words of train.{0,1}.txt and so on in a folder and, with extra, of
// train_extra.{0,1}.txt. It checks nothing. For a folder that cannot be read, the result is zero.
func TrainSize(dir string, extra bool) (n Size) {
	for ; ; n.Styles++ {
		text, err := os.ReadFile(filepath.Join(dir, FileName(Train, n.Styles)))
		if err != nil {
			return n
		}
		n.add(text)
		if extra {
			text, _ = os.ReadFile(filepath.Join(dir, ExtraName(n.Styles))) // ReadExtra reports a missing file
			n.add(text)
		}
	}
}

// add counts the text of a file with one sentence per line and one space between words.
func (n *Size) add(text []byte) {
	lines := bytes.Count(text, []byte("\n"))
	n.Sentences += lines
	n.Words += lines + bytes.Count(text, []byte(" "))
}

// AtMost returns the size of a sample with at most perStyle sentences of each style; 0 means all.
func (n Size) AtMost(perStyle int) Size {
	if most := perStyle * n.Styles; perStyle > 0 && n.Sentences > most {
		n.Words = int(float64(n.Words) * float64(most) / float64(n.Sentences))
		n.Sentences = most
	}
	return n
}

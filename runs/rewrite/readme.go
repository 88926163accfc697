package rewrite

import (
	"fmt"
	"html"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// Readme returns the README.md of a packed model: what it does, how to use it, and the licence of
// its training data.
func (c *Chosen) Readme(e *experiment.Experiment) string {
	i := slices.IndexFunc(e.Datasets, func(s *experiment.Dataset) bool { return s.Name == c.Model.Dataset })
	return fmt.Sprintf(`# %s

These models rewrite a sentence in another style: %s. They mask the words that carry its style, and
replace them by words of the style that you ask for. Install smlm-exp and run

    echo "The soup was cold." | smlm-exp transfer --packed FILE --to %s

The method is of Narasimhan, Shekar, Dey and Desarkar, "On Text Style Transfer via Style Masked Language Models".

Licence of the data: %s
No sentence of the data is in this file. The vocabulary, the weights, the trigrams and the phrases were made of
the training sentences: keep to the licence of the data when you hand the file on.

The models learned from the training sentences alone, with all their prejudices. An output may say something false or
hurtful that the source does not say: do not present it as its author's words.
`, html.EscapeString(c.String()), html.EscapeString(strings.Join(c.Labels, " or ")), wording.ShellWord(c.Labels[1]),
		html.EscapeString(licenceOf(e.Datasets[i])))
}

// licenceFiles are the usual names of licence files in data folders.
var licenceFiles = []string{corpus.LicenceFile, "LICENSE.txt", "LICENCE", "LICENSE", "LICENSE.md"}

// maxLicence is the largest number of characters of a licence that a README.md shows.
const maxLicence = 300

// licenceOf returns a sentence on the licence of a data set.
func licenceOf(set *experiment.Dataset) string {
	if set.Builtin != "" {
		return "none is needed, as the program invents this corpus."
	}
	for _, name := range licenceFiles {
		raw, err := files.ReadSmall(filepath.Join(set.Dir, name))
		if err != nil {
			continue
		}
		if text := strings.TrimSpace(wording.FirstLine(strings.TrimSpace(string(raw)))); text != "" {
			return strings.TrimSuffix(wording.Clip(wording.VisibleLine(text), maxLicence), ".") + "."
		}
	}
	return "not recorded: state it in " + corpus.LicenceFile + " beside the data before you publish."
}

package meteor

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// wordNet holds the part of WordNet that METEOR needs: the synsets of each word and the words of
// each synset. The file formats are described in Debian's manual pages wndb(5WN) and morphy(7WN).
type wordNet struct {
	version string // as returned by Version
	parts   [len(parts)]part
}

// part holds the words of one part of speech: WordNet's nouns, verbs, adjectives or adverbs.
type part struct {
	synsets    map[string][]int32  // lemma -> positions of its synsets in data
	exceptions map[string][]string // inflected form -> lemmas
	endings    []ending
	data       string // one synset per line
}

var versionLine = regexp.MustCompile(`WordNet (\d+(?:\.\d+)*) Copyright`)

// Version identifies the WordNet in dir: the version in the head of its files and the first 12
// hexadecimal digits of the SHA-256 of all files that METEOR reads, such as "3.0-0123456789ab". The
// hash distinguishes distributions of one version: Debian, for example, patches WordNet 3.0.
// Version reads 28 MB in about a tenth of a second. Errors are userr.BadInput.
func Version(dir string) (string, error) {
	files, err := readFiles(dir)
	if err != nil {
		return "", err
	}
	return version(files), nil
}

// readFiles returns the text of every file in fileNames.
func readFiles(dir string) (map[string]string, error) {
	if dir == "" {
		return nil, unreadable(dir, fs.ErrNotExist)
	}
	source, closeFiles, err := open(dir)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	defer closeFiles()
	files := map[string]string{}
	for _, name := range fileNames() {
		text, err := fs.ReadFile(source, name)
		if err != nil {
			return nil, unreadable(dir, err)
		}
		files[name] = string(text)
	}
	return files, nil
}

func version(files map[string]string) string {
	number := "unknown"
	head := files["data.noun"]
	if m := versionLine.FindStringSubmatch(head[:min(len(head), 4096)]); m != nil {
		number = m[1]
	}
	hash := sha256.New()
	for _, name := range fileNames() {
		// The length marks where one file ends and the next begins.
		hash.Write([]byte(name + " " + strconv.Itoa(len(files[name])) + "\n"))
		hash.Write([]byte(files[name]))
	}
	return number + "-" + hex.EncodeToString(hash.Sum(nil))[:12]
}

func readWordNet(dir string) (*wordNet, error) {
	files, err := readFiles(dir)
	if err != nil {
		return nil, err
	}
	w := &wordNet{version: version(files)}
	for i, name := range parts {
		p := part{endings: endings[name], data: files["data."+name], exceptions: map[string][]string{}}
		for line := range strings.Lines(files[name+".exc"]) {
			if words := strings.Fields(line); len(words) > 0 {
				p.exceptions[words[0]] = words[1:]
			}
		}
		if line, problem := p.readIndex(files["index."+name]); problem != "" {
			return nil, userr.New(userr.BadInput, "index.%s, line %d, of the WordNet in %q %s; give a folder with "+
				"WordNet's files as they were published", name, line, dir, problem)
		}
		w.parts[i] = p
	}
	return w, nil
}

// readIndex fills synsets from the text of an index file. If a line is malformed, it returns the
// line number and a description of the problem.
func (p *part) readIndex(text string) (line int, problem string) {
	p.synsets = make(map[string][]int32, strings.Count(text, "\n"))
	for entry := range strings.Lines(text) {
		line++
		if strings.HasPrefix(entry, " ") { // a line of the licence
			continue
		}
		// The columns are: lemma, part of speech, number of synsets, number of pointer symbols, the
		// symbols, number of senses, number of tagged senses, positions of the synsets.
		fields := strings.Fields(entry)
		if len(fields) < 4 {
			return line, "has too few columns"
		}
		count, err := strconv.Atoi(fields[2])
		if err != nil || count < 1 || count > len(fields)-4 {
			return line, "has a wrong number of synsets, " + strconv.Quote(fields[2])
		}
		places := make([]int32, count)
		for i, field := range fields[len(fields)-count:] {
			place, err := strconv.Atoi(field)
			if err != nil || place < 0 || place >= len(p.data) || !strings.HasPrefix(p.data[place:], field) {
				return line, "names a synset that its data file does not have, " + strconv.Quote(field)
			}
			places[i] = int32(place)
		}
		p.synsets[fields[0]] = places
	}
	return 0, ""
}

// words returns the words of the synset whose line begins at index place of the data. The words
// keep their original case. The result is nil if the line is cut off. The columns are: position,
// lexicographer file, type, number of words in hexadecimal, then pairs of a word and an identifier.
func (p *part) words(place int32) []string {
	line, _, _ := strings.Cut(p.data[place:], "\n")
	line, _, _ = strings.Cut(line, "|")
	fields := strings.Fields(line)
	if len(fields) < 4 {
		return nil
	}
	count, err := strconv.ParseUint(fields[3], 16, 8)
	if err != nil || len(fields) < 4+2*int(count) {
		return nil
	}
	words := make([]string, count)
	for i := range words {
		words[i] = withoutMarker(fields[4+2*i])
	}
	return words
}

// withoutMarker removes the syntactic marker of an adjective, such as "(a)" or "(p)".
func withoutMarker(word string) string {
	if i := strings.LastIndexByte(word, '('); i >= 0 && strings.HasSuffix(word, ")") {
		return word[:i]
	}
	return word
}

// ending holds the ending of an inflected word and its replacement in morphy, WordNet's
// morphological processor.
type ending struct{ old, new string }

// The map endings has the rules by which morphy(7WN) replaces endings, in NLTK's form.
var endings = map[string][]ending{
	"noun": {
		{"s", ""},
		{"ses", "s"},
		{"ves", "f"},
		{"xes", "x"},
		{"zes", "z"},
		{"ches", "ch"},
		{"shes", "sh"},
		{"men", "man"},
		{"ies", "y"},
	},
	"verb": {{"s", ""}, {"ies", "y"}, {"es", "e"}, {"es", ""}, {"ed", "e"}, {"ed", ""}, {"ing", "e"}, {"ing", ""}},
	"adj":  {{"er", ""}, {"est", ""}, {"er", "e"}, {"est", "e"}},
}

// lemmas returns the forms under which to look up a word. The first is the word itself. The others
// are its entries in the list of exceptions or, if that list lacks the word, the results of
// replacing its endings.
func (p *part) lemmas(word string) []string {
	forms := []string{word}
	if listed, ok := p.exceptions[word]; ok {
		return append(forms, listed...)
	}
	for _, e := range p.endings {
		if s, ok := strings.CutSuffix(word, e.old); ok {
			forms = append(forms, s+e.new)
		}
	}
	return forms
}

// synonyms returns the words of all synsets, in any part of speech, that contain the word or one of
// its lemmas. Collocations, which contain an underscore, are left out. Names keep their capitals,
// so they never equal a lower-case word, as in NLTK.
func (w *wordNet) synonyms(word string) map[string]bool {
	found := map[string]bool{}
	for i := range w.parts {
		p := &w.parts[i]
		for _, lemma := range p.lemmas(word) {
			for _, place := range p.synsets[lemma] {
				for _, synonym := range p.words(place) {
					if !strings.Contains(synonym, "_") {
						found[synonym] = true
					}
				}
			}
		}
	}
	return found
}

// The list parts has WordNet's parts of speech, in the order in which their files are read.
var parts = [...]string{"noun", "verb", "adj", "adv"}

// Find returns the location of WordNet. If path is not "", it looks in path and its subfolder dict.
// Otherwise it returns the first match among $WNSEARCHDIR, $WNHOME/dict, /usr/share/wordnet
// (Debian's wordnet-base), and corpora/wordnet or corpora/wordnet.zip (as NLTK downloads it) in
// NLTK's data folders.
func Find(path string) (dir string, ok bool) {
	for _, dir := range candidates(path) {
		if isWordNet(dir) {
			return dir, true
		}
	}
	return "", false
}

func candidates(path string) []string {
	if path != "" {
		return []string{path, filepath.Join(path, "dict")}
	}
	var dirs []string
	if dir := os.Getenv("WNSEARCHDIR"); dir != "" {
		dirs = append(dirs, dir)
	}
	if dir := os.Getenv("WNHOME"); dir != "" {
		dirs = append(dirs, filepath.Join(dir, "dict"))
	}
	dirs = append(dirs, "/usr/share/wordnet")
	nltk := filepath.SplitList(os.Getenv("NLTK_DATA"))
	if home, err := os.UserHomeDir(); err == nil {
		nltk = append(nltk, filepath.Join(home, "nltk_data"))
	}
	for _, dir := range append(
		nltk, "/usr/share/nltk_data", "/usr/local/share/nltk_data", "/usr/lib/nltk_data", "/usr/local/lib/nltk_data",
	) {
		dirs = append(dirs, filepath.Join(dir, "corpora", "wordnet"), filepath.Join(dir, "corpora", "wordnet.zip"))
	}
	return dirs
}

// isWordNet reports whether dir has all files that METEOR reads.
func isWordNet(dir string) bool {
	files, closeFiles, err := open(dir)
	if err != nil {
		return false
	}
	defer closeFiles()
	for _, name := range fileNames() {
		if _, err := fs.Stat(files, name); err != nil {
			return false
		}
	}
	return true
}

// The function open returns the files of a folder, or of the folder "wordnet" in a zip archive.
func open(dir string) (files fs.FS, closeFiles func(), err error) {
	if !strings.HasSuffix(dir, ".zip") {
		return os.DirFS(dir), func() {}, nil
	}
	archive, err := zip.OpenReader(dir)
	if err != nil {
		return nil, nil, err
	}
	closeFiles = func() { _ = archive.Close() } // closing cannot lose data: the archive was only read
	files, err = fs.Sub(archive, "wordnet")
	if err != nil {
		closeFiles()
	}
	return files, closeFiles, err
}

// fileNames returns the names of the files that METEOR reads.
func fileNames() []string {
	var names []string
	for _, part := range parts {
		names = append(names, "data."+part, "index."+part, part+".exc")
	}
	return names
}

// The function unreadable returns the error for a WordNet in dir that cannot be read.
func unreadable(dir string, err error) error {
	if dir == "" {
		return userr.New(userr.BadInput, "WordNet is not on this machine; install it (Debian: wordnet-base) "+
			"or name the folder that contains its files")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return userr.New(userr.BadInput, "there is no WordNet in %q (%w); name the folder that contains "+
			"data.noun, index.noun, noun.exc and those for verb, adj and adv", dir, err)
	}
	return userr.New(userr.BadInput, "the WordNet in %q cannot be read: %w; give a folder with its files", dir, err)
}

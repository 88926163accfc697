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

// wordNet is what METEOR needs of WordNet: which synsets a word is in, and which words are in a
// synset. The formats are those of Debian's manual pages wndb(5WN) and morphy(7WN).
type wordNet struct {
	version string // as Version returns it
	parts   [len(parts)]part
}

// part is WordNet's nouns, verbs, adjectives or adverbs.
type part struct {
	synsets    map[string][]int32  // lemma -> where its synsets begin in data
	exceptions map[string][]string // inflected form -> lemmas
	endings    []ending
	data       string // one synset a line
}

var versionLine = regexp.MustCompile(`WordNet (\d+(?:\.\d+)*) Copyright`)

// Version returns which WordNet lies at dir: the version in the head of its files and the first 12
// hexadecimal digits of the SHA-256 of all files that METEOR reads, as in "3.0-0123456789ab".
// Distributions of one version differ (Debian mends WordNet 3.0), hence the digits. It reads 28 MB,
// in about a tenth of a second. An error is userr.BadInput.
func Version(dir string) (string, error) {
	files, err := readFiles(dir)
	if err != nil {
		return "", err
	}
	return version(files), nil
}

// readFiles returns the text of every file of fileNames.
func readFiles(dir string) (map[string]string, error) {
	if dir == "" {
		return nil, unreadable(dir, fs.ErrNotExist)
	}
	folder, done, err := open(dir)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	defer done()
	files := map[string]string{}
	for _, name := range fileNames() {
		text, err := fs.ReadFile(folder, name)
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
		// The length keeps what ends one file apart from what begins the next.
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
		if line, why := p.readIndex(files["index."+name]); why != "" {
			return nil, userr.New(userr.BadInput, "index.%s, line %d, of the WordNet in %q %s; give a folder with "+
				"WordNet's files as they were published", name, line, dir, why)
		}
		w.parts[i] = p
	}
	return w, nil
}

// readIndex fills synsets from the text of an index file. Where a line is not as it must be it
// returns its number and what is wrong.
func (p *part) readIndex(text string) (line int, why string) {
	p.synsets = make(map[string][]int32, strings.Count(text, "\n"))
	for entry := range strings.Lines(text) {
		line++
		if strings.HasPrefix(entry, " ") { // the licence
			continue
		}
		// lemma, part of speech, number of synsets, number of pointer signs, the signs, number of
		// senses, of tagged ones, places of the synsets
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

// words returns the words of the synset that begins at place, in the case they are written in, none
// where the line is cut short. Its columns are: place, lexicographer's file, type, number of words
// in hexadecimal, and a word and an identifier in turn.
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

// withoutMarker takes away what an adjective has where it stands only before or after its noun, as
// "(a)" or "(p)".
func withoutMarker(word string) string {
	if i := strings.LastIndexByte(word, '('); i >= 0 && strings.HasSuffix(word, ")") {
		return word[:i]
	}
	return word
}

// ending is one of the inflections that WordNet's morphy takes away.
type ending struct{ old, new string }

// endings are the rules of detachment of morphy(7WN), in the form in which NLTK has them.
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

// lemmas returns the forms to look the word up under: itself, and those in the list of exceptions
// or, where it is not there, those that the endings give.
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

// synonyms returns the words of all synsets that the word or a lemma of it is in, of any part of
// speech. Collocations, which hold an underscore, are left out; names keep their capitals, so no
// lower-case word is equal to one, as in NLTK.
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

// parts are the four parts of WordNet, in the order in which they are read.
var parts = [...]string{"noun", "verb", "adj", "adv"}

// Find returns where WordNet lies: path, or its subfolder dict, where path is not "". Otherwise the
// first that has it of $WNSEARCHDIR, $WNHOME/dict, /usr/share/wordnet (Debian's wordnet-base) and
// corpora/wordnet in NLTK's data folders, unpacked or as the wordnet.zip that NLTK downloads.
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

// isWordNet says whether dir has all the files that are read.
func isWordNet(dir string) bool {
	files, done, err := open(dir)
	if err != nil {
		return false
	}
	defer done()
	for _, name := range fileNames() {
		if _, err := fs.Stat(files, name); err != nil {
			return false
		}
	}
	return true
}

// open returns the files of a folder, or those of the folder wordnet in an archive.
func open(dir string) (files fs.FS, done func(), err error) {
	if !strings.HasSuffix(dir, ".zip") {
		return os.DirFS(dir), func() {}, nil
	}
	archive, err := zip.OpenReader(dir)
	if err != nil {
		return nil, nil, err
	}
	done = func() { _ = archive.Close() } // it was only read
	files, err = fs.Sub(archive, "wordnet")
	if err != nil {
		done()
	}
	return files, done, err
}

// fileNames are the files that METEOR reads.
func fileNames() []string {
	var names []string
	for _, part := range parts {
		names = append(names, "data."+part, "index."+part, part+".exc")
	}
	return names
}

// unreadable is the error where the WordNet at dir, or a file of it, cannot be read.
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

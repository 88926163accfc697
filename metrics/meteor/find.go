package meteor

import (
	"archive/zip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

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
		return userr.New(userr.BadInput, "WordNet is not on this machine; install it (Debian: wordnet-base) or give "+
			"the folder that has its files")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return userr.New(userr.BadInput, "there is no WordNet in %q (%w); give the folder that has data.noun, "+
			"index.noun, noun.exc and those of verb, adj and adv", dir, err)
	}
	return userr.New(userr.BadInput, "the WordNet in %q cannot be read: %w; give a folder with its files", dir, err)
}

package figure

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"sync"

	"github.com/smlm-exp/smlm-exp/internal/files"
)

// MarksFile is beside the figures of a Folder: a mark for each, by which one that would be drawn
// the same is known.
const MarksFile = ".drawn"

// Folder is a folder of figures, some of which may have been drawn before.
type Folder struct {
	dir    string
	before map[string]string

	mu  sync.Mutex
	now map[string]string
}

// OpenFolder returns the folder at dir, which need not be there.
func OpenFolder(dir string) *Folder {
	return &Folder{dir: dir, before: files.ReadCache[string](filepath.Join(dir, MarksFile)), now: map[string]string{}}
}

// Draw returns what Write writes of a figure for the file of a name: where the file is as this
// program drew it of the same figure, what is in it. It may be called by several goroutines.
func (o *Folder) Draw(name string, f Figure, format string) ([]byte, error) {
	key := files.CacheKey(fmt.Sprintf("%T", f), f, format)
	text, err := files.ReadSmall(filepath.Join(o.dir, name))
	if err != nil || key == "" || o.before[name] != key+files.Sum(text) {
		var drawn bytes.Buffer
		if err := Write(&drawn, f, format); err != nil {
			return nil, err
		}
		text = drawn.Bytes()
	}
	if key != "" {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.now[name] = key + files.Sum(text)
	}
	return text, nil
}

// WriteMarks writes what MarksFile is to hold when what Draw returned is in its files.
func (o *Folder) WriteMarks(w io.Writer) error {
	marks := maps.Clone(o.before)
	maps.Copy(marks, o.now)
	return files.WriteCache(w, marks)
}

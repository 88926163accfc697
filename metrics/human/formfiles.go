package human

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Study is a human evaluation as it is handed out: two systems, and a form an annotator.
type Study struct {
	Dataset string  `json:"dataset"`
	A       string  `json:"a"` // as the table of results names them
	B       string  `json:"b"`
	Seed    uint64  `json:"seed"`
	Forms   [][]Key `json:"forms"` // of each annotator, in the order of the form's questions
}

// The files of a study: the forms go to the annotators, the key stays until all are back.
const (
	keyFile  = "key.json"
	sealFile = "key.sha256"
	VoteFile = "votes.csv" // written by Tally
)

func formFile(annotator int) string { return fmt.Sprintf("form-%d.csv", annotator) }

var formHeader = []string{"number", "direction", "source", "first", "second", "answer"}

// Export writes the forms, the key and the key's sha256, which may be shown beforehand: it proves
// afterwards that the key was not changed. Where it fails or ctx ends, none of them is left.
func Export(ctx context.Context, dir string, s Study, pairs []Pair, annotators int) error {
	contents := map[string][]byte{}
	for k := range annotators {
		if err := ctx.Err(); err != nil {
			return err
		}
		questions, keys := Form(pairs, k+1, s.Seed)
		s.Forms = append(s.Forms, keys)
		var b bytes.Buffer
		rows := [][]string{formHeader}
		for _, q := range questions {
			// people open forms in spreadsheets, and an output may be what a stranger's system
			// wrote
			texts := lists.Map([]string{q.Direction, q.Source, q.First, q.Second}, wording.Cell)
			rows = append(rows, slices.Concat([]string{strconv.Itoa(q.Number)}, texts, []string{""}))
		}
		if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
			return err
		}
		contents[formFile(k+1)] = b.Bytes()
	}
	return seal(ctx, dir, s, contents)
}

// Tally reads the forms that came back to a folder, writes their votes beside them as VoteFile, and
// returns them with the study. Every question of every form must be answered.
func Tally(dir string) (*Study, *Votes, error) {
	var s Study
	if err := readKey(dir, &s); err != nil {
		return nil, nil, err
	}
	rows := [][]string{votesHeader}
	for k, keys := range s.Forms {
		votes, err := readForm(filepath.Join(dir, formFile(k+1)), keys, fmt.Sprintf("annotator %d", k+1))
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, votes...)
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		return nil, nil, err
	}
	path := filepath.Join(dir, VoteFile)
	v, err := parseVotes(path, bytes.NewReader(b.Bytes()))
	if err != nil {
		return nil, nil, err
	}
	return &s, v, files.Update(path, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
}

func read(path string) ([]byte, error) {
	raw, err := files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, userr.New(userr.BadInput, "there is no %q: name a folder that `smlm-exp human export` "+
			"or `sheets` wrote, with the filled-in files in it", path)
	} else if errors.Is(err, syscall.ENOTDIR) {
		return nil, userr.New(userr.BadInput, "%q is not a folder: name one that `smlm-exp human export` or "+
			"`sheets` wrote, with the filled-in files in it", filepath.Dir(path))
	} else if err != nil {
		return nil, userr.New(userr.BadInput, "%q cannot be read (%w): change its permissions, or name "+
			"another folder", path,
			files.Cause(err))
	}
	return raw, nil
}

// readForm returns the votes of a filled form. Its rows may stand in another order, as spreadsheets
// sort them; their numbers say which they are.
func readForm(path string, keys []Key, annotator string) ([][]string, error) {
	t, err := openTable(path, formHeader)
	if err != nil {
		return nil, err
	}
	votes, seen := make([][]string, len(keys)), map[int]bool{}
	for i, row := range t.rows {
		number, err := strconv.Atoi(strings.TrimSpace(row[0]))
		if err != nil || number < 1 || number > len(keys) || seen[number] {
			return nil, badNumber(path, i, row[0], len(keys))
		}
		seen[number] = true
		key := keys[number-1]
		vote, err := key.Vote(strings.ToLower(strings.TrimSpace(row[5])))
		if err != nil {
			return nil, userr.New(userr.BadInput, "%s: question %d: %w", path, number, err)
		}
		votes[number-1] = []string{wording.Cell(key.Direction), wording.Cell(key.Item), annotator, vote}
	}
	if len(seen) < len(keys) {
		return nil, userr.New(userr.BadInput, "%q has %d of %d questions: all must be there", path, len(seen), len(keys))
	}
	return votes, nil
}

// seal writes the files of a study with its key and the key's sha256 into a new or empty folder;
// none is left where one cannot be written or ctx ends.
func seal(ctx context.Context, dir string, study any, contents map[string][]byte) error {
	key, err := json.MarshalIndent(study, "", " ")
	if err != nil {
		return err
	}
	contents[keyFile] = key
	contents[sealFile] = []byte(files.Sum(key) + "  " + keyFile + "\n")
	return files.WriteFolder(dir, func(apart string) error {
		for name, content := range contents {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := files.WriteBytes(filepath.Join(apart, name), content); err != nil {
				return err
			}
		}
		return nil
	})
}

// readKey reads the key of a folder into a study, if it is as it was when the forms were written.
func readKey(dir string, into any) error {
	path := filepath.Join(dir, keyFile)
	key, err := read(path)
	if err != nil {
		return err
	}
	sum, err := read(filepath.Join(dir, sealFile))
	if err != nil {
		return err
	}
	if got := files.Sum(key); !strings.HasPrefix(string(sum), got+" ") {
		return userr.New(userr.BadInput, "%q has the sha256 %s, not that of %s: the key was changed after the forms were "+
			"written", path, got, sealFile)
	}
	if err := json.Unmarshal(key, into); err != nil {
		return userr.New(userr.BadInput, "%q is not a key of forms: %w", path, err)
	}
	return nil
}

// filledTable is a CSV file that people fill in, in a spreadsheet or on the local page.
type filledTable struct {
	path   string
	mark   []byte // a spreadsheet's byte order mark, or nothing
	comma  rune
	header []string
	rows   [][]string // below the header
}

func openTable(path string, header []string) (*filledTable, error) {
	raw, err := read(path)
	if err != nil {
		return nil, err
	}
	t := &filledTable{path: path, header: header}
	rest := bytes.TrimPrefix(raw, []byte("\ufeff"))
	t.mark, t.comma = raw[:len(raw)-len(rest)], between(rest, header)
	r := csv.NewReader(bytes.NewReader(rest))
	r.Comma = t.comma
	rows, err := r.ReadAll()
	if err != nil {
		return nil, userr.New(userr.BadInput, "%q is no longer CSV (%w): save it as CSV with commas", path, err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], header) {
		return nil, userr.New(userr.BadInput, "%s:1: the first line must be %s", path, strings.Join(header, ","))
	}
	t.rows = rows[1:]
	return t, nil
}

// save writes the table as the spreadsheet of whoever filled it in before can open it.
func (t *filledTable) save() error {
	var b bytes.Buffer
	b.Write(t.mark)
	w := csv.NewWriter(&b)
	w.Comma = t.comma
	if err := w.WriteAll(slices.Concat([][]string{t.header}, t.rows)); err != nil {
		return err
	}
	return files.Update(t.path, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
}

// between returns the sign between the columns of a table with a header, given how the table
// begins: spreadsheets write semicolons or tabs where the comma stands in numbers.
func between(begin []byte, header []string) rune {
	first, _, _ := strings.Cut(string(begin), "\n")
	for _, sign := range ";\t" {
		if strings.TrimRight(first, "\r") == strings.Join(header, string(sign)) {
			return sign
		}
	}
	return ','
}

// badNumber refuses the number of row i below the header.
func badNumber(path string, i int, number string, most int) error {
	return userr.New(userr.BadInput, "%s: row %d has the number %q: each of 1 to %d must occur once", path, i+2, number,
		most)
}

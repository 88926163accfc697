package workspace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// sealedRecords are the same record as it is sealed now and as it was at first.
func sealedRecords(t *testing.T) map[string][]byte {
	t.Helper()
	earlier, err := os.ReadFile("testdata/canonical-seal.json") // written by the program that had no other way
	if err != nil {
		t.Fatal(err)
	}
	r, err := unseal(earlier)
	if err != nil {
		t.Fatal(err)
	}
	now, err := r.sealed()
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"now": now, "earlier": earlier}
}

// TestUnseal: a record is read as it was sealed. Cut anywhere, or with another byte anywhere, it is
// refused or, as it was sealed earlier, says the same.
func TestUnseal(t *testing.T) {
	for name, text := range sealedRecords(t) {
		r, err := unseal(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Label != "lambda_con <1.75>, lambda_eps 0.5" || len(r.Files) != 4 || r.Sum == "" {
			t.Errorf("%s: %+v", name, r)
		}
		// Earlier seals let blanks be others.
		taken := func(bad []byte) bool {
			other, err := unseal(bad)
			if err != nil || other.State != StateDone {
				return false
			}
			return name == "now" || !reflect.DeepEqual(compact(t, other), compact(t, r))
		}
		for i := range text {
			if taken(text[:i]) {
				t.Errorf("%s: the first %d of %d bytes are taken for a record", name, i, len(text))
			}
			for _, flip := range []byte{1, 3, 0x20, 0x80} { // 3: of a line break, a tabulator
				bad := bytes.Clone(text)
				if bad[i] ^= flip; taken(bad) {
					t.Errorf("%s: with byte %d changed by %#x, it is taken for another record", name, i, flip)
				}
			}
		}
	}
}

// compact is a record without blanks in its settings.
func compact(t *testing.T, r *Record) Record {
	t.Helper()
	var settings bytes.Buffer
	if err := json.Compact(&settings, r.Settings); err != nil {
		t.Fatal(err)
	}
	c := *r
	c.Settings = settings.Bytes()
	return c
}

// TestSumOfLines: the sum is that of all lines above it, as docs/workspace.md says.
func TestSumOfLines(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "file"), "what the stage wrote")
	r := &Record{State: StateDone, Label: "é <&>"}
	if err := Seal(dir, r); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, recordFile))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	above := sha256.Sum256(slices.Concat(lines[:len(lines)-3]...)) // the last is empty
	if got := hex.EncodeToString(above[:]); got != r.Sum {
		t.Errorf("the lines have the sum %s, and %s is in %s", got, r.Sum, text)
	}
	if read, err := unseal(text); err != nil || !reflect.DeepEqual(read.Files, r.Files) || read.Sum != r.Sum {
		t.Errorf("read %+v, %v", read, err)
	}
}

// TestWholeFolder: a stage's folder is looked at to the last byte where no workspace is open.
func TestWholeFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "in", "file")
	testkit.WriteFile(t, path, "what the stage wrote")
	r := &Record{State: StateDone}
	if err := Seal(dir, r); err != nil {
		t.Fatal(err)
	}
	if err := WholeFolder(dir, r); err != nil {
		t.Error(err)
	}
	testkit.WriteFile(t, path, "what the stage wrotE")
	testkit.WantError(t, WholeFolder(dir, r), userr.BadInput, path, "is not as the stage left it")
}

// FuzzUnseal: whatever stands in a record, it is taken with the right sum alone, and with another
// byte anywhere it is refused or says the same.
func FuzzUnseal(f *testing.F) {
	for _, earlier := range []bool{false, true} {
		f.Add([]byte(`{"kind":"vocab","id":"ab","state":"done","inputs":{"prepare":"cd"},"seconds":1.5e-3,
"files":{"out.txt":{"size":3,"sha256":"00"}},"start":"2026-01-02T03:04:05.6Z",
"settings":{"a":[1,null,"\u00e9"]}}`), 7, byte(1), earlier)
		f.Add([]byte(`{"state":"failed","error":"no luck"}`), 3, byte(4), earlier)
		f.Add([]byte(`{"state":"done","State":"done","sum":"x","SUM":"y","x":{"b":1,"a":1,"b":2}}`), 20, byte(32), earlier)
		f.Add([]byte(`{"state":"done","settings":1e999}`), 0, byte(255), earlier)
	}
	f.Fuzz(func(t *testing.T, text []byte, at int, change byte, earlier bool) {
		r, err := unseal(text)
		if err != nil || r.State == StateDone {
			if earlier {
				text = sealEarlier(t, text)
			} else {
				text = sealText(text)
			}
			if r, err = unseal(text); err != nil {
				return // it is no JSON, or its fields are of other types than a record's, or repeated in other letters
			}
		}
		if r.State != StateDone || len(text) == 0 {
			return
		}
		text[uint(at)%uint(len(text))] ^= change
		if other, err := unseal(text); err == nil && other.State == StateDone && !reflect.DeepEqual(r, other) {
			t.Errorf("damaged, it is taken as another record: %s", text)
		}
	})
}

// sealText seals any text as sealed does a record's.
func sealText(text []byte) []byte {
	text = bytes.TrimRight(bytes.TrimSuffix(bytes.TrimSpace(text), []byte("}")), " \t\r\n")
	if !bytes.HasSuffix(text, []byte("{")) {
		text = append(text, ',')
	}
	text = append(text, '\n')
	sum := sha256.Sum256(text)
	return append(text, sumLine(hex.EncodeToString(sum[:]))...)
}

// sealEarlier seals an object as it was done at first; nil of other texts.
func sealEarlier(t *testing.T, text []byte) []byte {
	t.Helper()
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return nil
	}
	delete(fields, "sum")
	canonical, err := plan.Canonical(fields)
	if err != nil {
		return nil
	}
	sum := sha256.Sum256(canonical)
	fields["sum"], _ = json.Marshal(hex.EncodeToString(sum[:]))
	if text, err = json.Marshal(fields); err != nil {
		t.Fatal(err)
	}
	return text
}

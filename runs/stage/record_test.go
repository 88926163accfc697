package stage

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestUnseal: a sealed record is read back as it was. It is refused if it is cut off or any byte is
// changed.
func TestUnseal(t *testing.T) {
	r := &Record{
		Name: "mask", ID: "3fa9", Version: 2, Label: "lambda_con <1.75>, lambda_eps 0.5", Settings: []byte("{}"),
		Inputs: map[string]string{"attribution": "77aa"}, State: Done, Seconds: 1.5,
		Start: time.Date(2026, 1, 2, 3, 4, 5, 6e8, time.UTC), Files: map[string]File{"counts.json": {3, "00"}},
	}
	text, err := r.sealed()
	if err != nil {
		t.Fatal(err)
	}
	read, err := unseal(text)
	if err != nil || read.Label != r.Label || len(read.Files) != 1 || read.Sum != r.Sum || r.Sum == "" {
		t.Fatalf("read %+v (%v), want %+v", read, err, r)
	}
	taken := func(bad []byte) bool {
		other, err := unseal(bad)
		return err == nil && other.State == Done
	}
	for i := range text {
		if taken(text[:i]) {
			t.Errorf("the first %d of %d bytes are taken for a record", i, len(text))
		}
		for _, flip := range []byte{1, 3, 0x20, 0x80} { // 3 changes a line break into a tab
			bad := bytes.Clone(text)
			if bad[i] ^= flip; taken(bad) {
				t.Errorf("with byte %d changed by %#x, it is taken for a record", i, flip)
			}
		}
	}
}

// TestSumOfLines: the sum is the SHA-256 of all lines above it, as docs/workspace.md says.
func TestSumOfLines(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "file"), "what the stage wrote")
	r := &Record{State: Done, Label: "é <&>"}
	if err := Seal(dir, r); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, RecordFile))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	above := sha256.Sum256(slices.Concat(lines[:len(lines)-3]...)) // without the last three: the sum, "}" and ""
	if got := hex.EncodeToString(above[:]); got != r.Sum {
		t.Errorf("the lines have the sum %s, and %s is in %s", got, r.Sum, text)
	}
	if read, err := unseal(text); err != nil || !reflect.DeepEqual(read.Files, r.Files) || read.Sum != r.Sum {
		t.Errorf("read %+v, %v", read, err)
	}
}

// FuzzUnseal: a finished record is accepted only with the right sum. If one of its bytes is
// changed, the record is refused or still decodes to the same values.
func FuzzUnseal(f *testing.F) {
	f.Add([]byte(`{"stage":"vocab","id":"ab","state":"done","inputs":{"prepare":"cd"},"seconds":1.5e-3,
"files":{"out.txt":{"size":3,"sha256":"00"}},"start":"2026-01-02T03:04:05.6Z",
"settings":{"a":[1,null,"\u00e9"]}}`), 7, byte(1))
	f.Add([]byte(`{"state":"failed","error":"no luck"}`), 3, byte(4))
	f.Add([]byte(`{"state":"done","State":"done","sum":"x","SUM":"y","x":{"b":1,"a":1,"b":2}}`), 20, byte(32))
	f.Add([]byte(`{"state":"done","settings":1e999}`), 0, byte(255))
	f.Fuzz(func(t *testing.T, text []byte, at int, change byte) {
		r, err := unseal(text)
		if err != nil || r.State == Done {
			text = sealText(text)
			if r, err = unseal(text); err != nil {
				return // not JSON, wrong types, or the same field repeated in other letter case
			}
		}
		if r.State != Done || len(text) == 0 {
			return
		}
		text[uint(at)%uint(len(text))] ^= change
		if other, err := unseal(text); err == nil && other.State == Done && !reflect.DeepEqual(r, other) {
			t.Errorf("damaged, it is taken as another record: %s", text)
		}
	})
}

// sealText adds a sum to any text, as Record.sealed does to a record.
func sealText(text []byte) []byte {
	text = bytes.TrimRight(bytes.TrimSuffix(bytes.TrimSpace(text), []byte("}")), " \t\r\n")
	if !bytes.HasSuffix(text, []byte("{")) {
		text = append(text, ',')
	}
	text = append(text, '\n')
	sum := sha256.Sum256(text)
	return append(text, sumLine(hex.EncodeToString(sum[:]))...)
}

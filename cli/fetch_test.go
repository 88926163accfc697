package cli

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/smlm-exp/smlm-exp/corpus/fetch"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestFetchEncoder checks that one command downloads a pretrained encoder, and that the setting
// smlm.pretrained accepts the folder. Running the command again must download nothing.
func TestFetchEncoder(t *testing.T) {
	const encoder = "../pretrained/testdata/bert"
	entries, err := os.ReadDir(encoder)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	served := map[string][]byte{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		_, _ = w.Write(served[r.URL.Path])
	}))
	t.Cleanup(web.Close)
	manifest := "name = \"e\"\nlicence = \"ours\"\n"
	for _, entry := range entries {
		raw, err := os.ReadFile(filepath.Join(encoder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		served["/"+entry.Name()] = raw
		manifest += fmt.Sprintf("[[file]]\npath = %q\nurl = %q\nsha256 = %q\n", "sub/"+entry.Name(), web.URL+"/"+entry.Name(), files.Sum(raw))
	}
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "mine.toml", attackedFile)
	testkit.WriteFile(t, "e.toml", manifest)
	for _, times := range []int{1, 0} {
		asked = 0
		status, out, wrong := on(t, false, "", "data", "fetch", "e.toml", "d")
		if status != 0 || asked != times*len(entries) {
			t.Errorf("status %d, %d files asked for, %s%s", status, asked, out, wrong)
		}
	}
	status, out, wrong := on(t, false, "", "plan", "mine.toml", "--set", "smlm.pretrained=d/sub")
	if status != 0 || !strings.Contains(out, "encoder") {
		t.Errorf("status %d, %s%s", status, out, wrong)
	}
}

// TestFetchManifests checks the manifests in experiments/data, which say what to download. Each
// address must name a commit. One command must download all files of a manifest, here from a test
// server with invented content, and print the licence before the first request. An interrupted
// download must continue. A file with one changed byte must be refused.
func TestFetchManifests(t *testing.T) {
	atCommit := regexp.MustCompile(`^https://raw\.githubusercontent\.com/[\w.-]+/[\w.-]+/[0-9a-f]{40}/.+$`)
	names, err := filepath.Glob("../experiments/data/*.toml")
	if err != nil || len(names) == 0 {
		t.Fatalf("%q, %v", names, err)
	}
	var manifests []*fetch.Manifest
	for _, name := range names {
		m, err := fetch.LoadManifest(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range m.Files {
			if !atCommit.MatchString(f.URL) || f.Size == 0 && f.GitBlob == "" || m.Source == "" {
				t.Errorf("%s: %+v", name, f)
			}
		}
		manifests = append(manifests, m)
	}
	t.Chdir(t.TempDir())
	for i, m := range manifests {
		fetchInvented(t, filepath.Base(names[i]), m)
	}
}

// fetchInvented downloads the files of a manifest from a test server that serves invented content.
func fetchInvented(t *testing.T, name string, m *fetch.Manifest) {
	t.Helper()
	content, asked, half, out := map[string][]byte{}, 0, true, bytes.Buffer{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; !strings.HasPrefix(out.String(), m.Name+": licence: "+m.Licence+"\n") {
			t.Errorf("%s: before a request, the command printed only %q", name, out.String())
		}
		raw := content[r.URL.Path]
		if half {
			w.Header().Set("Content-Length", fmt.Sprint(len(raw)))
			_, _ = w.Write(raw[:len(raw)/2])
			panic(http.ErrAbortHandler)
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(raw))
	}))
	defer web.Close()
	for i, f := range m.Files {
		size := f.Size
		if size == 0 {
			size = 100_000
		}
		raw := bytes.Repeat([]byte{byte('a' + i)}, int(size))
		if f.SHA256 != "" {
			m.Files[i].SHA256 = files.Sum(raw)
		} else {
			sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", size), raw...))
			m.Files[i].GitBlob = hex.EncodeToString(sum[:])
		}
		content["/"+f.Path], m.Files[i].URL = raw, web.URL+"/"+f.Path
	}
	var text strings.Builder
	if err := toml.NewEncoder(&text).Encode(m); err != nil {
		t.Fatal(err)
	}
	testkit.WriteFile(t, name, text.String())
	first, last := m.Files[0].Path, m.Files[len(m.Files)-1].Path
	run := func(status int, dir, want string) {
		t.Helper()
		out.Reset()
		got, wrong := onTo(t, &out, false, "", "data", "fetch", name, dir)
		if got != status || !strings.Contains(out.String()+wrong, want) {
			t.Errorf("%s: status %d, %s%s; want %d, %q", name, got, out.String(), wrong, status, want)
		}
	}
	dir := "d-" + name
	run(1, dir, "was interrupted")
	half = false
	run(0, dir, fmt.Sprintf("[1/%d] %s: resumed\n", len(m.Files), first))
	for path, raw := range content {
		if got, err := os.ReadFile(filepath.Join(dir, path)); err != nil || !bytes.Equal(got, raw) {
			t.Errorf("%s: %s has %d bytes, %v; want %d", name, path, len(got), err, len(raw))
		}
	}
	asked = 0
	run(0, dir, last+": there\n")
	if asked != 0 {
		t.Errorf("%s: %d files downloaded again", name, asked)
	}
	content["/"+first][7] ^= 1
	run(1, "changed-"+name, "and was deleted: the file there has changed")
	if left, _ := os.ReadDir(filepath.Dir(filepath.Join("changed-"+name, first))); len(left) != 0 {
		t.Errorf("%s: left %v", name, left)
	}
}

package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// server serves one text. It can also end the connection early, or refuse requests.
type server struct {
	text    string
	cut     atomic.Int64 // bytes after which the connection ends; 0 for no limit
	ranges  atomic.Int64 // number of requests with a Range header
	refuses atomic.Bool  // set if the server answers 404
	locked  atomic.Bool  // set if the server answers 401
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.refuses.Load() {
		http.NotFound(w, r)
		return
	}
	if s.locked.Load() {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if r.Header.Get("Range") != "" {
		s.ranges.Add(1)
	}
	if n := s.cut.Load(); n > 0 {
		w.Header().Set("Content-Length", fmt.Sprint(len(s.text)))
		_, _ = w.Write([]byte(s.text[:n]))
		panic(http.ErrAbortHandler)
	}
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(s.text))
}

func start(t *testing.T) (*server, *httptest.Server, File) {
	t.Helper()
	s := &server{text: strings.Repeat("a line of text\n", 9000)}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return s, web, File{Path: "sub/a.txt", URL: web.URL + "/a.txt", SHA256: hash(s.text)}
}

func hash(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

func get(t *testing.T, web *httptest.Server, dir string, f File) (State, error) {
	t.Helper()
	return Download(context.Background(), web.Client(), dir, f, func(int64, int64) {})
}

func whole(t *testing.T, dir string, s *server) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, "sub", "a.txt"))
	if err != nil || string(got) != s.text {
		t.Fatalf("%d bytes, %v; want %d", len(got), err, len(s.text))
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "sub", "*")); len(files) != 1 {
		t.Errorf("left: %v", files)
	}
}

func TestFetch(t *testing.T) {
	s, web, f := start(t)
	dir := t.TempDir()
	var told int64
	state, err := Download(context.Background(), web.Client(), dir, f, func(done, total int64) {
		told = total
	})
	if state != Fetched || err != nil || told != int64(len(s.text)) {
		t.Fatalf("%s, %v, %d bytes told", state, err, told)
	}
	whole(t, dir, s)
	s.refuses.Store(true)
	if state, err := get(t, web, dir, f); state != Present || err != nil {
		t.Errorf("the second time: %s, %v", state, err)
	}
	f.SHA256 = hash("other")
	_, err = get(t, web, dir, f)
	if userr.CodeOf(err) != userr.BadInput || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("another file in its place: %v", err)
	}
	whole(t, dir, s)
}

// TestResume checks that an interrupted download continues where it stopped. If the file has
// changed in the meantime, the next attempt must drop the part and start from the beginning.
func TestResume(t *testing.T) {
	s, web, f := start(t)
	for _, changed := range []bool{false, true} {
		dir := t.TempDir()
		s.ranges.Store(0)
		s.cut.Store(50_000)
		_, err := get(t, web, dir, f)
		if userr.CodeOf(err) != userr.StageFailed || !strings.Contains(err.Error(), "the same command continues") {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "sub", "a.txt")); err == nil {
			t.Fatal("half a file has the name of the whole")
		}
		s.cut.Store(0)
		want := Resumed
		if changed {
			s.text = strings.ToUpper(s.text)
			f.SHA256 = hash(s.text)
			_, err := get(t, web, dir, f)
			testkit.WantError(t, err, userr.StageFailed, "and was deleted: the same command")
			want = Fetched
		}
		if state, err := get(t, web, dir, f); state != want || err != nil || s.ranges.Load() != 1 {
			t.Errorf("%s, %v, %d parts asked for", state, err, s.ranges.Load())
		}
		whole(t, dir, s)
	}
}

// TestWrong checks that a wrong checksum leaves no file, and that the next attempt starts from the
// beginning. A missing file must be reported.
func TestWrong(t *testing.T) {
	s, web, f := start(t)
	dir := t.TempDir()
	right := f.SHA256
	f.SHA256 = hash("other")
	_, err := get(t, web, dir, f)
	if userr.CodeOf(err) != userr.StageFailed || !strings.Contains(err.Error(), "was deleted") {
		t.Errorf("a wrong sum: %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "sub", "*")); len(files) != 0 {
		t.Errorf("left: %v", files)
	}
	s.refuses.Store(true)
	if _, err := get(t, web, dir, f); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a missing file: %v", err)
	}
	s.refuses.Store(false)
	s.locked.Store(true)
	if _, err := get(t, web, dir, f); err == nil || !strings.Contains(err.Error(), "logs in there, and save it as ") {
		t.Errorf("a file for members: %v", err)
	}
	s.locked.Store(false)
	f.SHA256 = right
	if state, err := get(t, web, dir, f); state != Fetched || err != nil {
		t.Errorf("%s, %v", state, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f.Path = "b.txt"
	if _, err := Download(ctx, web.Client(), dir, f, func(int64, int64) {}); err != context.Canceled {
		t.Errorf("interrupted: %v", err)
	}
	web.Close()
	if _, err := get(t, web, dir, f); userr.CodeOf(err) != userr.StageFailed || strings.Contains(err.Error(), "\n") {
		t.Errorf("nobody there: %v", err)
	}
}

// TestGitBlob checks that a file is accepted if its Git hash is right, here the hash that `git
// hash-object` prints for "hello" and a line end. A file with another hash or size must be refused.
func TestGitBlob(t *testing.T) {
	s, web, f := start(t)
	s.text = "hello\n"
	f.SHA256, f.GitBlob = "", "ce013625030ba8dba906f756967f9e9ca394464a"
	for _, want := range []State{Fetched, Present} {
		dir := t.TempDir()
		if want == Present {
			testkit.WriteFile(t, filepath.Join(dir, "sub", "a.txt"), s.text)
		}
		if state, err := get(t, web, dir, f); state != want || err != nil {
			t.Errorf("%s, %v; want %s", state, err, want)
		}
		whole(t, dir, s)
	}
	s.text = "hallo\n"
	_, err := get(t, web, t.TempDir(), f)
	testkit.WantError(t, err, userr.StageFailed, "not ce013625030ba8dba906f756967f9e9ca394464a, and was deleted")
	f.Size = 7
	_, err = get(t, web, t.TempDir(), f)
	testkit.WantError(t, err, userr.StageFailed, "has 6 bytes, not 7, and was deleted")
}

func TestManifest(t *testing.T) {
	read := func(text string) (*Manifest, error) {
		path := filepath.Join(t.TempDir(), "m.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return LoadManifest(path)
	}
	sum, blob := strings.Repeat("0a", 32), fmt.Sprintf("git_blob = %q\n", strings.Repeat("0a", 20))
	apart := "name = \"d\"\nlicence = \"none\"\n[[file]]\npath = \"a\"\nurl = \"http://h/a\"\n"
	toml := func(s string) string { return strings.ReplaceAll(fmt.Sprintf("%q", s), `\x1b`, `\u001b`) }
	file := func(path, url, sum string) string {
		return fmt.Sprintf("[[file]]\npath = %s\nurl = %q\nsha256 = %q\n", toml(path), url, sum)
	}
	good := "name = \"d\"\nlicence = \"none\"\n" + file("train.0.txt", "http://127.0.0.1/a", sum)
	if m, err := read(good); err != nil || len(m.Files) != 1 || m.Files[0].SHA256 != sum {
		t.Fatalf("%+v, %v", m, err)
	}
	if m, err := read(apart + "size = 7\n" + blob); err != nil || m.Files[0].Size != 7 || m.Files[0].GitBlob == "" {
		t.Fatalf("%+v, %v", m, err)
	}
	for text, want := range map[string]string{
		"name = 1":                                    "m.toml: ",
		"licence = \"x\"":                             "there is no [[file]]",
		file("a", "http://h/a", sum):                  "licence is missing",
		good + file("../a", "http://h/a", sum):        `path "../a" of file 2 leads out of the folder`,
		good + file("/a", "http://h/a", sum):          "leads out",
		good + file("a\\\\b", "http://h/a", sum):      "leads out",
		good + file("", "http://h/a", sum):            "leads out",
		good + file("train.0.txt", "http://h/a", sum): "is there twice",
		good + file("a", "file:///etc/passwd", sum):   "is not an http or https address",
		good + file("a", "http://h/a", "abc"):         `sha256 of "a" is "abc"`,
		good + file(".", "http://h/a", sum):           `path "." of file 2 is not a file path`,
		good + file("a/", "http://h/a", sum):          `path "a/" of file 2 is not a file path`,
		good + file("a.part", "http://h/a", sum):      "that unfinished downloads use",
		good + file("\x1b[2Ja", "http://h/a", sum):    `path "\x1b[2Ja" of file 2 contains a control character`,
		good + file("a", "ftp://me:geheim@h/a", sum):  `url "ftp://me:xxxxx@h/a" of "a" is not an http`,
		good + file("a", "http://me:ge/heim@h", sum):  `url "h" of "a" is not an http`,
		apart:                       `"a" has no sum: give its sha256 or git_blob`,
		apart + "git_blob = \"0a\"": `git_blob of "a" is "0a": give the 40 digits`,
		good + blob:                 `"train.0.txt" has sha256 and git_blob: remove one`,
		good + "size = -1":          `size of "train.0.txt" is -1`,
		good + "sise = 1":           `unknown key "file.sise"`,
	} {
		if _, err := read(text); userr.CodeOf(err) != userr.BadInput || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestSecrets checks that a password or token in an address appears in no error and in no file.
func TestSecrets(t *testing.T) {
	s, web, f := start(t)
	address := strings.Replace(f.URL, "http://", "http://me:geheim@", 1) + "?sig=geheim"
	for name, c := range map[string]struct {
		before func(f *File)
		want   string
	}{
		"cut":     {func(*File) { s.cut.Store(5000) }, "was interrupted"},
		"missing": {func(*File) { s.refuses.Store(true) }, "404"},
		"sum":     {func(f *File) { f.SHA256 = hash("other") }, "was deleted"},
		"nobody":  {func(f *File) { f.URL = "http://me:geheim@127.0.0.1:1/?t=geheim" }, "was interrupted"},
		"host":    {func(f *File) { f.URL = "http://me:geheim@ho st/" }, "is not an address that can be downloaded"},
	} {
		s.cut.Store(0)
		s.refuses.Store(false)
		dir, f := t.TempDir(), f
		f.URL = address
		c.before(&f)
		_, err := get(t, web, dir, f)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		found, _ := filepath.Glob(filepath.Join(dir, "sub", "*"))
		for _, path := range found {
			if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "geheim") {
				t.Errorf("%s: %s holds it (%v)", name, path, err)
			}
		}
		if name == "cut" && len(found) != 1 {
			t.Errorf("%s: left %q", name, found)
		}
	}
}

// TestBounds checks that a download stops if the server sends without end. A link in the place of
// the partial file must not be followed.
func TestBounds(t *testing.T) {
	defer func(was int64) { maxBytes = was }(maxBytes)
	maxBytes = 1 << 20
	for length, endless := range map[string]bool{"": true, "9000000000000": false} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if length != "" {
				w.Header().Set("Content-Length", length)
			}
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil || !endless {
					return
				}
			}
		}))
		t.Cleanup(web.Close)
		dir := t.TempDir()
		_, err := get(t, web, dir, File{Path: "a.txt", URL: web.URL, SHA256: hash("x")})
		testkit.WantError(t, err, userr.StageFailed, "has more than 1.0 MB, so nothing of it is kept")
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("left: %v", left)
		}
	}
	s, web, good := start(t)
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "sub", "a.txt.part")); err != nil {
		t.Fatal(err)
	}
	if state, err := get(t, web, dir, good); state != Fetched || err != nil {
		t.Errorf("%s, %v", state, err)
	}
	whole(t, dir, s)
	if text, err := os.ReadFile(outside); err != nil || string(text) != "mine" {
		t.Errorf("the link's target is %q (%v)", text, err)
	}
}

// FuzzManifest checks that LoadManifest never panics and accepts no path that leads out of the
// directory.
func FuzzManifest(f *testing.F) {
	f.Add("name = \"d\"\nlicence = \"none\"\n[[file]]\npath = \"a/b\"\nurl = \"http://h/a\"\nsha256 = \"" +
		strings.Repeat("0a", 32) + "\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "m.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := LoadManifest(path)
		if err != nil {
			if userr.CodeOf(err) != userr.BadInput {
				t.Errorf("no sentence: %v", err)
			}
			return
		}
		for _, f := range m.Files {
			if below, err := filepath.Rel("/d", filepath.Join("/d", f.Path)); err != nil || below != f.Path ||
				strings.HasPrefix(below, "..") {
				t.Errorf("path %q", f.Path)
			}
		}
	})
}

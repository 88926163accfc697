package human

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// TestForm fills in a form in a real browser. It checks that the form keeps the answers when it is
// reloaded, saves only complete answers, and loads no other files.
func TestForm(t *testing.T) {
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
		}
	}
	if path == "" {
		t.Skip("there is no browser")
	}
	dir := t.TempDir()
	export(t, dir, itemsOf(2), 1)

	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)
	ctx, end := chromedp.NewExecAllocator(context.Background(), options...)
	defer end()
	ctx, leave := chromedp.NewContext(ctx)
	defer leave()
	form := "file://" + filepath.Join(dir, "sheet-1.html")
	if err := chromedp.Do(ctx, chromedp.Navigate(form)); err != nil {
		t.Fatal(err)
	}
	script := func(text string) string {
		t.Helper()
		ctx, stop := context.WithTimeout(ctx, 20*time.Second)
		defer stop()
		got, err := chromedp.Run(ctx, chromedp.Evaluate[string]("String((() => { "+text+" })())"))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return got
	}
	click := func(name, value string) {
		t.Helper()
		script(fmt.Sprintf(`document.querySelector('[name="%s"][value="%s"]').click()`, name, value))
	}
	progress := func(want string) {
		t.Helper()
		if got := script("return document.getElementById('progress').value"); got != want {
			t.Errorf("the form says %q, want %q", got, want)
		}
	}
	rate := func(item int, scores string) {
		t.Helper()
		for _, letter := range []string{"A", "B"} {
			for k, scale := range Scales {
				click(fmt.Sprint(item, " ", letter, " ", scale.Name), scores[k:k+1])
			}
		}
	}
	progress("0 of 4 items answered")
	rate(1, "210")
	progress("0 of 4 items answered")
	click("1 none", "yes")
	progress("1 of 4 items answered")
	click("1 B best", "yes") // this also removes the mark "none is good"
	rate(3, "111")
	click("3 A best", "yes")
	click("3 none", "yes") // this also removes the mark for the best rewrite
	rate(4, "222")
	progress("2 of 4 items answered")

	// The form must have stored the answers already, because the test reloads it at once.
	if err := chromedp.Do(ctx, chromedp.Reload()); err != nil {
		t.Fatal(err)
	}
	progress("2 of 4 items answered")
	if got := script("return document.querySelectorAll('input:checked').length"); got != "20" {
		t.Errorf("%s answers are there when the form is loaded again, want 20", got)
	}
	if got := script("return performance.getEntriesByType('resource').length"); got != "0" {
		t.Errorf("the form asks for %s other files", got)
	}
	script("document.getElementById('next').click()")
	if got := script("return Math.round(document.querySelector('[data-item=\"2\"]').getBoundingClientRect().top) < 200"); got != "true" {
		t.Error("the next open item is not shown")
	}

	_, err := chromedp.Call(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir,
	})
	if err != nil {
		t.Fatal(err)
	}
	script("document.getElementById('save').click()")
	saved := filepath.Join(dir, "sheet-1.json")
	for wait := 0; ; wait++ {
		if raw, err := os.ReadFile(saved); err == nil && strings.HasSuffix(string(raw), "\n") {
			break
		} else if wait == 200 {
			t.Fatalf("no answers are saved (%v)", err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	raw, err := os.ReadFile(saved)
	const want = `[{"item":1,"scores":{"A":[2,1,0],"B":[2,1,0]},"best":["B"]},` +
		`{"item":3,"scores":{"A":[1,1,1],"B":[1,1,1]},"best":[]}]` + "\n"
	if err != nil || string(raw) != want {
		t.Errorf("the form saves %s, want %s", raw, want)
	}
	if ratings, _, err := Tally(dir, nil); err != nil || len(ratings) != 2*3 {
		t.Errorf("%d ratings (%v)", len(ratings), err)
	}
}

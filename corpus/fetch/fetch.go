package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// State is what became of a file.
type State string

// The states.
const (
	There   State = "there"   // with the right sum, nothing was fetched
	Fetched State = "fetched" // whole
	Resumed State = "resumed" // the rest of it
)

// One brings one file below dir, and hands tell how many bytes of how many are there now and then;
// total is below 0 where the server does not say. The file appears whole and right or not at all;
// what came of it stays in FILE.part for the next try. A file that is there with another sum is
// refused, not written over.
func One(
	ctx context.Context, client *http.Client, dir string, f File, tell func(done, total int64),
) (State, error) {
	path := filepath.Join(dir, filepath.FromSlash(f.Path))
	switch got, err := files.SHA256(path); {
	case err == nil && got == f.SHA256:
		return There, nil
	case err == nil:
		return "", userr.New(userr.BadInput, "%q exists with the sha256 %s, not %s: move it away, or correct "+
			"the manifest",
			path, got, f.SHA256)
	case !errors.Is(err, fs.ErrNotExist):
		return "", userr.New(userr.BadInput, "reading %q: %w", path, files.Cause(err))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", userr.New(userr.BadInput, "creating the folder of %q: %w", path, files.Cause(err))
	}
	p := &part{path: path + ".part", size: f.Size}
	resumed, err := p.get(ctx, client, f.URL, tell)
	if err != nil {
		return "", err
	}
	got, err := files.SHA256(p.path)
	if err != nil {
		return "", err
	}
	if got != f.SHA256 {
		p.remove()
		return "", userr.New(userr.StageFailed, "what %s sent for %q has the sha256 %s, not %s, and was "+
			"deleted: the file there has changed, or the manifest is wrong", shown(f.URL), f.Path, got, f.SHA256)
	}
	if err := os.Rename(p.path, path); err != nil {
		return "", fmt.Errorf("putting %q in its place: %w", path, err)
	}
	p.remove()
	if resumed {
		return Resumed, nil
	}
	return Fetched, nil
}

// part is a file that is not whole yet. Beside it stands by what the server tells its versions
// apart: without that nothing is gone on with, as half of one version and half of another would be
// neither.
type part struct {
	path string
	size int64 // of the whole file, in bytes; 0: the manifest does not say
}

// mostUnsaid is how many bytes a file may have whose size the manifest does not say: nobody knows
// otherwise when a server should have ended.
const mostUnsaid = 64 << 30

// silence is how long a server may send nothing.
var silence = time.Minute

// errSilent is a server that stopped to send.
var errSilent = errors.New("the server sent nothing for a while")

// tooLong refuses a file of too many bytes, and keeps nothing of it.
func (p *part) tooLong(address string) error {
	p.remove()
	if p.size > 0 {
		return userr.New(userr.StageFailed, "%s has more bytes than the %d in the manifest, and was deleted: "+
			"the file there has changed, or the manifest is wrong", shown(address), p.size)
	}
	return userr.New(userr.StageFailed, "%s has more than %s, and was deleted: if it should be so large, give "+
		"its size in bytes in the manifest, size = N", shown(address), wording.Bytes(mostUnsaid))
}

type version struct {
	URL string `json:"url_sha256"` // its sum: it may have a password or a token
	Tag string `json:"tag"`        // a strong ETag, or the time of the last change
}

func (p *part) note() string { return p.path + ".json" }

func (p *part) remove() {
	_ = os.Remove(p.path) // it may be gone already; what stays is found and gone on with
	_ = os.Remove(p.note())
}

// known returns how much is there, and of which version.
func (p *part) known(url string) (size int64, tag string) {
	info, err := os.Lstat(p.path)
	if err == nil && !info.Mode().IsRegular() { // a link may lead anywhere
		return 0, ""
	}
	raw, errNote := files.ReadSmall(p.note())
	var v version
	if err != nil || errNote != nil || json.Unmarshal(raw, &v) != nil ||
		v.URL != files.Sum([]byte(url)) || v.Tag == "" {
		return 0, ""
	}
	return info.Size(), v.Tag
}

// get fetches what is missing of the file.
func (p *part) get(
	ctx context.Context, client *http.Client, url string, tell func(done, total int64),
) (resumed bool, err error) {
	size, tag := p.known(url)
	outer := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false, userr.New(userr.BadInput, "%s is not an address that can be downloaded: correct it", shown(url))
	}
	request.Header.Set("Accept-Encoding", "identity") // ranges are of the file, not of what is packed for the way
	if size > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", size))
		request.Header.Set("If-Range", tag)
	}
	answer, err := client.Do(request)
	if err != nil {
		return false, failed(outer, url, err)
	}
	defer answer.Body.Close()
	most := int64(mostUnsaid)
	if p.size > 0 {
		most = p.size
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	switch {
	case answer.StatusCode == http.StatusPartialContent && size > 0 &&
		answer.Header.Get("Content-Range") != "" && begins(answer.Header.Get("Content-Range"), size):
		flags, resumed = os.O_WRONLY|os.O_APPEND, true
	case answer.StatusCode == http.StatusOK:
		size = 0
		if err := os.Remove(p.path); err != nil && !errors.Is(err, fs.ErrNotExist) { // it may be a link
			return false, userr.New(userr.BadInput, "%q is in the way of the download and cannot be removed: %w", p.path,
				files.Cause(err))
		}
		if err := p.remember(url, answer.Header); err != nil {
			return false, err
		}
	case answer.StatusCode == http.StatusRequestedRangeNotSatisfiable && size > 0: // it is whole already, or too long
		return true, nil
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		return false, userr.New(userr.StageFailed, "%s answers %q: download it with a program that logs in "+
			"there, and save it as %q", shown(url), answer.Status, strings.TrimSuffix(p.path, ".part"))
	default:
		return false, userr.New(userr.StageFailed, "%s answers %q: check the address", shown(url), answer.Status)
	}
	out, err := os.OpenFile(p.path, flags|syscall.O_NOFOLLOW, 0o644)
	if err != nil {
		return false, fmt.Errorf("writing %q: %w", p.path, err)
	}
	total := int64(-1)
	if answer.ContentLength >= 0 {
		total = size + answer.ContentLength
	}
	if total > most {
		return false, errors.Join(p.tooLong(url), out.Close())
	}
	waiting := time.AfterFunc(silence, func() { cancel(errSilent) })
	defer waiting.Stop()
	body := io.LimitReader(&heard{answer.Body, waiting}, most-size+1)
	n, err := io.Copy(out, &told{body, tell, size, total, time.Time{}})
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		err = errSilent
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return false, failed(outer, url, err)
	}
	if size+n > most {
		return false, p.tooLong(url)
	}
	return resumed, nil
}

// begins tells whether a Content-Range begins at a place.
func begins(header string, at int64) bool {
	var from int64
	n, err := fmt.Sscanf(header, "bytes %d-", &from)
	return n == 1 && err == nil && from == at
}

// remember notes the version that is being fetched.
func (p *part) remember(url string, h http.Header) error {
	tag := h.Get("ETag")
	if len(tag) == 0 || tag[0] != '"' { // a weak one does not promise the same bytes
		tag = h.Get("Last-Modified")
	}
	raw, err := json.Marshal(version{files.Sum([]byte(url)), tag})
	if err != nil {
		return err
	}
	return files.WriteBytes(p.note(), raw)
}

// shown is an address for a sentence: without what may be a password or a token.
func shown(address string) string { return wording.AddressWithoutSecrets(address) }

// failed says that a transfer broke off, in one sentence.
func failed(ctx context.Context, address string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err // which names the address, and where it leads
	}
	return userr.New(userr.StageFailed, "the download of %s was interrupted: %s: the same command continues "+
		"from there", shown(address),
		wording.WithoutSecrets(err.Error()))
}

// heard puts off the end of a wait whenever something comes.
type heard struct {
	io.Reader
	waiting *time.Timer
}

func (h *heard) Read(b []byte) (int, error) {
	n, err := h.Reader.Read(b)
	if n > 0 {
		h.waiting.Reset(silence)
	}
	return n, err
}

// told counts what is read.
type told struct {
	io.Reader
	tell        func(done, total int64)
	done, total int64
	last        time.Time
}

func (t *told) Read(b []byte) (int, error) {
	n, err := t.Reader.Read(b)
	t.done += int64(n)
	if now := time.Now(); t.tell != nil && now.Sub(t.last) > time.Second {
		t.last = now
		t.tell(t.done, t.total)
	}
	return n, err
}

package fetch

import (
	"context"
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

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// State says how a file was obtained.
type State string

// The states.
const (
	There   State = "there"   // existed with the right sum, nothing was fetched
	Fetched State = "fetched" // fetched from the start
	Resumed State = "resumed" // fetched the rest
)

// mostBytes is the most bytes of a file: a server might never stop sending.
var mostBytes int64 = 64 << 30

// One downloads a file below dir and calls tell with the bytes done and in total; total is below 0
// if the server does not say. The file appears complete and correct or not at all. An interrupted
// download stays in FILE.part for the next try. An existing file with another sum is refused, not
// overwritten.
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
	part := path + ".part"
	state, err := download(ctx, client, f.URL, part, tell)
	if err != nil {
		return "", err
	}
	got, err := files.SHA256(part)
	if err != nil {
		return "", err
	}
	if got != f.SHA256 {
		do := "the file there has changed, or the manifest is wrong"
		if state == Resumed { // the first part may be of another version
			do = "the same command downloads it from the start"
		}
		return "", errors.Join(os.Remove(part), userr.New(userr.StageFailed, "what %s sent for %q has the sha256 %s, "+
			"not %s, and was deleted: %s", shown(f.URL), f.Path, got, f.SHA256, do))
	}
	if err := os.Rename(part, path); err != nil {
		return "", fmt.Errorf("putting %q in its place: %w", path, err)
	}
	return state, nil
}

// download appends the missing bytes of a file to part. If the server cannot resume, it fetches the
// whole file.
func download(ctx context.Context, client *http.Client, url, part string, tell func(done, total int64)) (State, error) {
	size := int64(0)
	if info, err := os.Lstat(part); err == nil && info.Mode().IsRegular() { // a link may lead anywhere
		size = info.Size()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", userr.New(userr.BadInput, "%s is not an address that can be downloaded: correct it", shown(url))
	}
	request.Header.Set("Accept-Encoding", "identity") // ranges are of the file, not of a compressed form
	if size > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", size))
	}
	answer, err := client.Do(request)
	if err != nil {
		return "", failed(ctx, url, err)
	}
	defer answer.Body.Close()
	state, flags := Resumed, os.O_WRONLY|os.O_APPEND
	switch status := answer.StatusCode; {
	case status == http.StatusPartialContent && size > 0 &&
		strings.HasPrefix(answer.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", size)):
	case status == http.StatusOK:
		state, flags, size = Fetched, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0
		if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) { // it may be a link
			return "", userr.New(userr.BadInput, "%q is in the way of the download and cannot be removed: %w", part,
				files.Cause(err))
		}
	case status == http.StatusRequestedRangeNotSatisfiable && size > 0: // already complete, or too long
		return Resumed, nil
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return "", userr.New(userr.StageFailed, "%s answers %q: download it with a program that logs in "+
			"there, and save it as %q", shown(url), answer.Status, strings.TrimSuffix(part, ".part"))
	default:
		return "", userr.New(userr.StageFailed, "%s answers %q: check the address", shown(url), answer.Status)
	}
	large := userr.New(userr.StageFailed, "%s has more than %s, so nothing of it is kept: download it with another "+
		"program", shown(url), wording.Bytes(mostBytes))
	total := int64(-1)
	if answer.ContentLength >= 0 {
		total = size + answer.ContentLength
	}
	if total > mostBytes {
		return "", large
	}
	out, err := os.OpenFile(part, flags|syscall.O_NOFOLLOW, 0o644)
	if err != nil {
		return "", fmt.Errorf("writing %q: %w", part, err)
	}
	n, err := io.Copy(out, &told{io.LimitReader(answer.Body, mostBytes-size+1), tell, size, total})
	if err = errors.Join(err, out.Close()); err != nil {
		return "", failed(ctx, url, err)
	}
	if size+n > mostBytes {
		return "", errors.Join(os.Remove(part), large)
	}
	return state, nil
}

// shown returns an address for messages, without passwords and tokens.
func shown(address string) string { return wording.AddressWithoutSecrets(address) }

// failed returns the error of an interrupted transfer.
func failed(ctx context.Context, address string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err // url.Error adds the address, even of a redirect
	}
	return userr.New(userr.StageFailed, "the download of %s was interrupted: %s: the same command continues "+
		"from there", shown(address),
		wording.WithoutSecrets(err.Error()))
}

// told is a Reader that reports its progress.
type told struct {
	io.Reader
	tell        func(done, total int64)
	done, total int64
}

func (t *told) Read(b []byte) (int, error) {
	n, err := t.Reader.Read(b)
	t.done += int64(n)
	t.tell(t.done, t.total)
	return n, err
}

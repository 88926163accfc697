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
	Present State = "there"   // the file existed with the right checksum
	Fetched State = "fetched" // the whole file was fetched
	Resumed State = "resumed" // the rest of the file was fetched
)

// maxBytes limits the size of a file, because a server might never stop sending.
var maxBytes int64 = 64 << 30

// Download downloads a file below dir. It calls the function report with the number of bytes
// downloaded so far and with the total, which is below 0 if the server does not send it. The file
// appears complete and correct or not at all. An interrupted download stays in FILE.part for the
// next try. If a file with another checksum exists, Download returns an error and does not
// overwrite it.
func Download(
	ctx context.Context, client *http.Client, dir string, f File, report func(done, total int64),
) (State, error) {
	path := filepath.Join(dir, filepath.FromSlash(f.Path))
	switch difference, err := f.difference(path); {
	case err == nil && difference == "":
		return Present, nil
	case err == nil:
		return "", userr.New(userr.BadInput, "%q exists with %s: move it away, or correct the manifest", path, difference)
	case !errors.Is(err, fs.ErrNotExist):
		return "", userr.New(userr.BadInput, "reading %q: %w", path, files.Cause(err))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", userr.New(userr.BadInput, "creating the folder of %q: %w", path, files.Cause(err))
	}
	part := path + ".part"
	state, err := download(ctx, client, f.URL, part, report)
	if err != nil {
		return "", err
	}
	difference, err := f.difference(part)
	if err != nil {
		return "", err
	}
	if difference != "" {
		reason := "the file there has changed, or the manifest is wrong"
		if state == Resumed { // the part downloaded earlier may belong to another version of the file
			reason = "the same command downloads it from the start"
		}
		return "", errors.Join(os.Remove(part), userr.New(userr.StageFailed, "what %s sent for %q has %s, and was "+
			"deleted: %s", displayed(f.URL), f.Path, difference, reason))
	}
	if err := os.Rename(part, path); err != nil {
		return "", fmt.Errorf("putting %q in its place: %w", path, err)
	}
	return state, nil
}

// download appends the missing bytes of a file to the partial file "part". If the server cannot
// resume, it fetches the whole file.
func download(
	ctx context.Context, client *http.Client, url, part string, report func(done, total int64),
) (State, error) {
	size := int64(0)
	// If the partial file is a symbolic link, the link is not followed, because it may lead
	// anywhere.
	if info, err := os.Lstat(part); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", userr.New(userr.BadInput, "%s is not an address that can be downloaded: correct it", displayed(url))
	}
	request.Header.Set("Accept-Encoding", "identity") // so that ranges count bytes of the uncompressed file
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
		// Remove the partial file, because it may be a link to another file.
		if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", userr.New(userr.BadInput, "%q is in the way of the download and cannot be removed: %w", part,
				files.Cause(err))
		}
	case status == http.StatusRequestedRangeNotSatisfiable && size > 0: // the part is already complete, or too long
		return Resumed, nil
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return "", userr.New(userr.StageFailed, "%s answers %q: download it with a program that logs in "+
			"there, and save it as %q", displayed(url), answer.Status, strings.TrimSuffix(part, ".part"))
	default:
		return "", userr.New(userr.StageFailed, "%s answers %q: check the address", displayed(url), answer.Status)
	}
	large := userr.New(userr.StageFailed, "%s has more than %s, so nothing of it is kept: download it with another "+
		"program", displayed(url), wording.Bytes(maxBytes))
	total := int64(-1)
	if answer.ContentLength >= 0 {
		total = size + answer.ContentLength
	}
	if total > maxBytes {
		return "", large
	}
	out, err := os.OpenFile(part, flags|syscall.O_NOFOLLOW, 0o644)
	if err != nil {
		return "", fmt.Errorf("writing %q: %w", part, err)
	}
	n, err := io.Copy(out, &progressReader{io.LimitReader(answer.Body, maxBytes-size+1), report, size, total})
	if err = errors.Join(err, out.Close()); err != nil {
		return "", failed(ctx, url, err)
	}
	if size+n > maxBytes {
		return "", errors.Join(os.Remove(part), large)
	}
	return state, nil
}

// The function displayed returns an address for messages. It hides the password, and the query,
// which may contain a token.
func displayed(address string) string {
	address, _, _ = strings.Cut(address, "?")
	if u, err := url.Parse(address); err == nil {
		return u.Redacted()
	}
	return address[strings.LastIndex(address, "@")+1:]
}

// The function failed returns the error of an interrupted download.
func failed(ctx context.Context, address string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var urlErr *url.Error
	if errors.As(err, &urlErr) {
		err = urlErr.Err // drops the address in url.Error, which may be the target of a redirect
	}
	return userr.New(userr.StageFailed, "the download of %s was interrupted: %s: the same command continues "+
		"from there", displayed(address), err)
}

// progressReader is a Reader that reports its progress.
type progressReader struct {
	io.Reader
	report      func(done, total int64)
	done, total int64
}

func (t *progressReader) Read(b []byte) (int, error) {
	n, err := t.Reader.Read(b)
	t.done += int64(n)
	t.report(t.done, t.total)
	return n, err
}

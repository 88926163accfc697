package runs

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// head names the stage and its place in the run: "[3/12] smlm 3fa9c1 (lambda_eps 0.15)".
func (p *progress) head() string {
	return fmt.Sprintf("[%d/%d] %s", p.index, len(p.todo), p.stage.Title())
}

// line is head with how far the stage is, how long it has run and how long it and the run will
// still take.
func (p *progress) line() string {
	took := p.now().Sub(p.began)
	parts := []string{}
	if p.total > 0 {
		parts = append(parts, fmt.Sprintf("%d%% (%d/%d)", 100*p.done/p.total, p.done, p.total))
	}
	if p.note != "" {
		parts = append(parts, oneLine(p.note))
	}
	parts = append(parts, wording.Short(took)+" so far")
	left, known := p.left(took)
	if known {
		parts = append(parts, "about "+wording.Short(left)+" left")
	}
	return p.head() + ": " + strings.Join(parts, ", ") + p.whole(left)
}

// left guesses what remains of the stage that runs: from its own pace, else from the time such
// stages took.
func (p *progress) left(took time.Duration) (time.Duration, bool) {
	if did := p.done - p.first; did > 0 && p.total >= p.done {
		return time.Duration(float64(took) / float64(did) * float64(p.total-p.done)), true
	}
	if d, ok := p.times.Of(p.stage); ok {
		return max(d-took, 0), true
	}
	return 0, false
}

// whole guesses what remains of the run, of which the present stage's part is given: "; all: about
// 4m10s left". Stages whose kind has never run have no known time: "at least".
func (p *progress) whole(present time.Duration) string {
	sum, known := p.rest(present)
	switch {
	case p.waiting() == 0 || sum == 0:
		return ""
	case !known:
		return "; all: at least " + wording.Short(sum) + " left"
	}
	return "; all: about " + wording.Short(sum) + " left"
}

// waiting counts the stages after the present one.
func (p *progress) waiting() int { return max(len(p.todo)-p.index, 0) }

// rest adds what the stages after the present one will take to its part; known is false where that
// is not known of one.
func (p *progress) rest(present time.Duration) (sum time.Duration, known bool) {
	sum, known = present, true
	for _, s := range p.todo[len(p.todo)-p.waiting():] {
		d, ok := p.times.Of(s)
		sum += d
		known = known && ok
	}
	return sum, known
}

// draw writes the live line of a terminal anew.
func (p *progress) draw() {
	if p.quiet || !p.terminal || p.stage == nil {
		return
	}
	_, _ = io.WriteString(p.out, "\r\x1b[K"+wording.Clip(p.line(), p.width()-1))
}

// erase takes the live line away.
func (p *progress) erase() {
	if !p.quiet && p.terminal {
		_, _ = io.WriteString(p.out, "\r\x1b[K")
	}
}

// print writes a line of its own.
func (p *progress) print(line string) {
	if p.quiet {
		return
	}
	p.erase()
	_, _ = fmt.Fprintln(p.out, line)
	p.draw()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

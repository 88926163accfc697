package cli

import (
	"context"
	"errors"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// What Interrupted says of commands.
const (
	GoesOn  = "what was finished is kept, and the same command goes on from there"
	Nothing = "nothing was written, and the same command begins anew"
	Anew    = "the same command begins anew"
)

// Interrupted words the error of a command that Ctrl-C ended: kept is what became of its work.
// Other errors, and those that say it already, it leaves as they are.
func Interrupted(err error, kept string) error {
	if !errors.Is(err, context.Canceled) || userr.CodeOf(err) == userr.Interrupted {
		return err
	}
	return &userr.Error{Code: userr.Interrupted, Text: "interrupted: " + kept, Err: err}
}

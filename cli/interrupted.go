package cli

import (
	"context"
	"errors"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// What Interrupted says of commands.
const (
	goesOn  = "what was finished is kept, and the same command goes on from there"
	nothing = "nothing was written, and the same command begins anew"
	anew    = "the same command begins anew"
)

// interrupted words the error of a command that Ctrl-C ended: kept is what became of its work.
// Other errors, and those that say it already, it leaves as they are.
func interrupted(err error, kept string) error {
	if !errors.Is(err, context.Canceled) || userr.CodeOf(err) == userr.Interrupted {
		return err
	}
	return &userr.Error{Code: userr.Interrupted, Text: "interrupted: " + kept, Err: err}
}

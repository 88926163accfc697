package torch

// WithGrad is Scoped with gradients on, for a derivative that is wanted inside NoGrad. It nests.
func WithGrad(fn func() error) error {
	was := setGrad(true)
	defer setGrad(was)
	return Scoped(fn)
}

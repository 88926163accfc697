package torch

import "github.com/smlm-exp/smlm-exp/internal/kernels"

// raw returns the handle as package kernels takes it; of no tensor none.
func (t *Tensor) raw(op string) kernels.Handle {
	if t == nil {
		return nil
	}
	return kernels.Handle(t.ptr(op))
}

func raws(op string, ts []*Tensor) []kernels.Handle {
	hs := make([]kernels.Handle, len(ts))
	for i, t := range ts {
		hs[i] = t.raw(op)
	}
	return hs
}

// made adopts what a kernel returned, or unwinds with what it said.
func made(op string, h kernels.Handle, err error, inputs ...*Tensor) *Tensor {
	worked(op, err, inputs...)
	return adopt(handle(h))
}

// worked unwinds where a kernel failed.
func worked(op string, err error, inputs ...*Tensor) {
	if err != nil {
		fail(op, err.Error(), inputs...)
	}
}

package classifier

import "math"

// vector returns the vector of a feature.
func (m *FastText) vector(feature int32) []float32 {
	d := m.Config.Dim
	return m.vectors[int(feature)*d:][:d:d]
}

// hidden sets h [Dim] to the mean of the features' vectors, 0 if there are none, and returns the
// two logits.
func (m *FastText) hidden(h []float32, features []int32) (z0, z1 float32) {
	clear(h)
	if len(features) == 0 {
		return 0, 0
	}
	for _, f := range features {
		v := m.vector(f)[:len(h)]
		for j := range h {
			h[j] += v[j]
		}
	}
	scale := 1 / float32(len(features))
	w0, w1 := m.output[:len(h)], m.output[len(h):][:len(h)]
	for j := range h {
		x := h[j] * scale
		h[j] = x
		z0 += w0[j] * x
		z1 += w1[j] * x
	}
	return z0, z1
}

// negLogLik returns -log softmax(z)[style] and softmax(z)[1], without overflow.
func negLogLik(z0, z1 float32, style int) (loss, p1 float64) {
	d := float64(z1) - float64(z0)
	p1 = 1 / (1 + math.Exp(-d))
	if style == 1 {
		d = -d
	}
	return max(d, 0) + math.Log1p(math.Exp(-math.Abs(d))), p1
}

// scratch is memory for one sentence: its vector, and the loss's gradient by it.
type scratch struct{ hidden, grad []float32 }

func (m *FastText) scratch() scratch {
	return scratch{make([]float32, m.Config.Dim), make([]float32, m.Config.Dim)}
}

// step moves every weight by -lr times the gradient of one sentence's loss, which it returns.
func (m *FastText) step(s scratch, features []int32, style int, lr float64) float64 {
	h, grad := s.hidden, s.grad
	z0, z1 := m.hidden(h, features)
	loss, p1 := negLogLik(z0, z1, style)
	if len(features) == 0 {
		return loss // a constant
	}
	// The loss's derivative by z1 is p1 - style, by z0 the opposite; the output moves after its old
	// value is used.
	by1 := float32(p1 - float64(style))
	rate := float32(lr) * by1
	share := -rate / float32(len(features))
	w0, w1 := m.output[:len(h)], m.output[len(h):][:len(h)]
	grad = grad[:len(h)]
	for j, x := range h {
		grad[j] = share * (w1[j] - w0[j])
		w1[j] -= rate * x
		w0[j] += rate * x
	}
	for _, f := range features {
		v := m.vector(f)[:len(grad)]
		for j, g := range grad {
			v[j] += g
		}
	}
	return loss
}

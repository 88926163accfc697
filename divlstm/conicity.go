package divlstm

import "github.com/smlm-exp/smlm-exp/internal/torch"

// Conicity returns, for states h [B, T, H], the mean over time of |cosine(h_t, mean_t h)|: [B] (Mohankumar et al. 2020,
// section 3.2; the paper's appendix). The absolute value gives it its lower bound: with the signed cosine, minimising
// drives it to about -0.8 and the accuracy away (docs/decisions/004-conicity.md). Parallel states have 1.
func Conicity(h *torch.Tensor) *torch.Tensor {
	mean := h.MeanDim(1, true) // [B, 1, H]
	return torch.Cosine(h, mean, 2).Abs().MeanDim(1, false)
}

package divlstm

import "github.com/smlm-exp/smlm-exp/internal/torch"

// conicity returns the conicity of each sentence (Mohankumar et al. 2020, section 3.2), [B], for
// states h [B, T, H]. Conicity is the mean over time of |cosine(h_t, mean_t h)|, so it is 1 if the
// states are parallel. The paper's appendix has the formula without the absolute value:
//
//	ATM(v_i, V) = cosine(v_i, 1/m sum_j v_j), conicity(V) = 1/m sum_i ATM(v_i, V)
//
// This function computes 1/m sum_i |ATM(v_i, V)|, which is at least 0. The absolute value is
// needed: training that minimises the signed cosine drives it to about -0.8 and destroys accuracy
// (docs/decisions/004-conicity.md).
func conicity(h *torch.Tensor) *torch.Tensor {
	return torch.MeanCosine(h).Abs().MeanDim(1, false)
}

package divlstm

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Inputs maps word ids [B, T] to the vectors that enter the LSTM [B, T, E], or [B, T+1, E] with a
// start token in front; E is the width of the latent vector where there is one. In training,
// latents are sampled, and what enters is dropped out.
func (m *Model) Inputs(ids *torch.Tensor, train bool) *torch.Tensor {
	if m.Config.StartToken {
		n := ids.Size(0)
		bos := slices.Repeat([]int64{corpus.BosID}, int(n))
		ids = torch.Cat(1, torch.FromInts(bos, n, 1), ids)
	}
	return m.latent(m.embed.Forward(ids), train).Dropout(m.Config.Dropout, train)
}

// latent maps word vectors to mu, in training to mu + exp(logvar/2) * noise (Kingma and Welling
// 2014, section 2.4).
func (m *Model) latent(x *torch.Tensor, train bool) *torch.Tensor {
	if m.mu == nil {
		return x
	}
	mu := m.mu.Forward(x).To(torch.Float)
	if !train {
		return mu
	}
	deviation := m.logvar.Forward(x).To(torch.Float).Scale(.5).Exp()
	return mu.Add(deviation.Mul(torch.Randn(mu.Shape()...)))
}

// MeanInput returns the mean of what enters the LSTM, without sampling, over the vocabulary's
// ordinary words, of which there must be one: [1, 1, E].
func (m *Model) MeanInput() *torch.Tensor {
	words := m.embed.W.Narrow(0, corpus.NumSpecial, int64(m.Config.Vocab)-corpus.NumSpecial)
	return m.latent(words, false).MeanDim(0, true).Reshape(1, 1, -1)
}

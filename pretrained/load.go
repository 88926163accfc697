package pretrained

import (
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// loader collects the names of tensors to load from a folder, and the functions that receive their
// values.
type loader struct {
	f      *folder.Folder
	names  []string
	shapes [][]int64
	assign []func(data []float32)
}

// tensor registers a tensor of the folder. The method run will load it into target[from:from+rows].
func (l *loader) tensor(name string, target *torch.Tensor, from, rows int64) {
	shape := target.Shape()
	shape[0] = rows
	l.numbers(name, shape, func(data []float32) {
		target.Narrow(0, from, rows).Set(torch.FromFloats(data, shape...))
	})
}

// numbers registers a tensor of the folder. The method run will pass its values to fn.
func (l *loader) numbers(name string, shape []int64, fn func(data []float32)) {
	l.names, l.shapes, l.assign = append(l.names, name), append(l.shapes, shape), append(l.assign, fn)
}

// tensorAll registers a tensor of the folder. The method run will load it into all rows of target.
func (l *loader) tensorAll(name string, target *torch.Tensor) {
	l.tensor(name, target, 0, target.Size(0))
}

func (l *loader) linear(name string, target *nn.Linear) {
	l.tensorAll(name+".weight", target.W)
	l.tensorAll(name+".bias", target.B)
}

func (l *loader) norm(name string, target *nn.LayerNorm) {
	l.tensorAll(name+".weight", target.W)
	l.tensorAll(name+".bias", target.B)
}

// run loads all registered tensors.
func (l *loader) run() error {
	return torch.NoGrad(func() error {
		return l.f.Floats(l.names, l.shapes, func(i int, data []float32) error {
			return torch.Scoped(func() error { l.assign[i](data); return nil })
		})
	})
}

// Load copies an encoder's weights from a folder. If the encoder has fewer layers than the folder,
// it gets the folder's first layers.
func (e *Encoder) Load(f *folder.Folder) error {
	l := &loader{f: f}
	l.norm(f.Name("embeddings.LayerNorm"), e.norm)
	l.tensorAll(f.Name("embeddings.position_embeddings.weight"), e.positions)
	var segments []float32
	types, dim := int64(f.Config.Types), int64(f.Config.Dim)
	l.numbers(f.Name("embeddings.token_type_embeddings.weight"), []int64{types, dim}, func(data []float32) {
		segments = data
	})
	for i, layer := range e.Layers {
		name := f.Layer(i)
		for k, part := range []string{"query", "key", "value"} {
			l.tensor(name+"attention.self."+part+".weight", layer.Attn.InW, int64(k)*dim, dim)
			l.tensor(name+"attention.self."+part+".bias", layer.Attn.InB, int64(k)*dim, dim)
		}
		l.linear(name+"attention.output.dense", layer.Attn.Out)
		l.norm(name+"attention.output.LayerNorm", layer.Norm1)
		l.linear(name+"intermediate.dense", layer.In)
		l.linear(name+"output.dense", layer.Out)
		l.norm(name+"output.LayerNorm", layer.Norm2)
	}
	if err := l.run(); err != nil {
		return err
	}
	return torch.NoGrad(func() error {
		e.positions.Set(e.positions.Add(torch.FromFloats(segments[:dim], 1, dim)))
		return nil
	})
}

// Start sets the weights of the layer to those in a folder's masked-language head. It also returns
// a bias for each word: the mean of the biases of the word's pieces, which the argument pieces
// lists. If the folder has no head, the dense layer is the identity and the bias is nil.
func (t *Transform) Start(f *folder.Folder, pieces [][]int64) (bias []float32, err error) {
	const head = "cls.predictions."
	if !f.Has(head + "transform.dense.weight") {
		t.identity()
		return nil, nil
	}
	l := &loader{f: f}
	l.linear(head+"transform.dense", t.dense)
	l.norm(head+"transform.LayerNorm", t.norm)
	l.numbers(head+"bias", []int64{int64(f.Config.Vocab)}, func(data []float32) { bias = data })
	if err := l.run(); err != nil {
		return nil, err
	}
	return means(bias, 1, pieces), nil
}

// Pieces returns the embedding of the pieces, row-major [Vocab, Dim].
func Pieces(f *folder.Folder) (table []float32, err error) {
	l := &loader{f: f}
	l.numbers(f.Name("embeddings.word_embeddings.weight"), []int64{int64(f.Config.Vocab), int64(f.Config.Dim)},
		func(data []float32) { table = data })
	return table, l.run()
}

package pretrained

import (
	"cmp"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// loading collects which tensors of a folder go where.
type loading struct {
	f      *folder.Folder
	names  []string
	shapes [][]int64
	into   []func(data []float32)
}

// tensor takes a tensor of the folder for rows of a parameter, from one on.
func (l *loading) tensor(name string, into *torch.Tensor, from, rows int64) {
	shape := into.Shape()
	shape[0] = rows
	l.numbers(name, shape, func(data []float32) {
		into.Narrow(0, from, rows).Set(torch.FromFloats(data, shape...))
	})
}

// numbers hands a tensor's numbers to fn.
func (l *loading) numbers(name string, shape []int64, fn func(data []float32)) {
	l.names, l.shapes, l.into = append(l.names, name), append(l.shapes, shape), append(l.into, fn)
}

func (l *loading) whole(name string, into *torch.Tensor) { l.tensor(name, into, 0, into.Size(0)) }

func (l *loading) linear(name string, into *nn.Linear) {
	l.whole(name+".weight", into.W)
	l.whole(name+".bias", into.B)
}

func (l *loading) norm(name string, into *nn.LayerNorm) {
	l.whole(name+".weight", into.W)
	l.whole(name+".bias", into.B)
}

// run reads the numbers.
func (l *loading) run() error {
	return torch.NoGrad(func() error {
		return l.f.Floats(l.names, l.shapes, func(i int, data []float32) error {
			return torch.Scoped(func() error { l.into[i](data); return nil })
		})
	})
}

// Load takes an encoder's weights from a folder, its first layers where it has fewer than that.
func (e *Encoder) Load(f *folder.Folder) error {
	if n := f.Config.Layers; len(e.Layers) > n {
		return userr.New(userr.BadInput, "the pretrained encoder %q has %s, but %d are asked for", f.Dir,
			wording.Count(n, "layer"), len(e.Layers))
	}
	l, n := &loading{f: f}, f.Parts()
	l.norm(n.Prefix+n.Norm, e.norm)
	l.whole(n.Prefix+n.Positions+".weight", e.positions)
	var segment []float32 // the vector of the first
	if width := int64(f.Config.Embedding); n.Types != "" && f.Config.Types > 0 {
		l.numbers(n.Prefix+n.Types+".weight", []int64{int64(f.Config.Types), width}, func(data []float32) {
			segment = data[:width]
		})
	}
	if e.project != nil {
		l.linear(n.Prefix+n.Project, e.project)
	}
	for i, layer := range e.Layers {
		d := layer.Attn.InW.Size(1)
		for k, part := range []string{n.Query, n.Key, n.Value} {
			l.tensor(n.InLayer(i, part)+".weight", layer.Attn.InW, int64(k)*d, d)
			l.tensor(n.InLayer(i, part)+".bias", layer.Attn.InB, int64(k)*d, d)
		}
		l.linear(n.InLayer(i, n.Out), layer.Attn.Out)
		l.norm(n.InLayer(i, n.Norm1), layer.Norm1)
		l.linear(n.InLayer(i, n.In), layer.In)
		l.linear(n.InLayer(i, n.FF), layer.Out)
		l.norm(n.InLayer(i, n.Norm2), layer.Norm2)
	}
	if err := l.run(); err != nil || segment == nil {
		return err
	}
	return torch.NoGrad(func() error {
		e.positions.Set(e.positions.Add(torch.FromFloats(segment, 1, int64(len(segment)))))
		return nil
	})
}

// Load takes the weights of a masked-language head. It tells whether the folder has one, and
// returns the bias of each piece.
func (t *Transform) Load(f *folder.Folder) (bias []float32, has bool, err error) {
	n := f.Parts()
	if n.MaskDense == "" || !f.Has(n.MaskDense+".weight") {
		return nil, false, nil
	}
	l := &loading{f: f}
	l.linear(n.MaskDense, t.dense)
	l.norm(n.MaskNorm, t.norm)
	l.numbers(n.MaskBias, []int64{int64(f.Config.Vocab)}, func(data []float32) { bias = data })
	return bias, true, l.run()
}

// Start is Load of a head over words, given the pieces of each: it returns the bias of each word. A
// head that the folder lacks begins as the identity, and the bias is nil.
func (t *Transform) Start(f *folder.Folder, pieces [][]int64) (bias []float32, err error) {
	of, has, err := t.Load(f)
	switch {
	case err != nil:
		return nil, err
	case !has:
		t.Identity()
		return nil, nil
	}
	return Means(of, 1, pieces), nil
}

// Pieces returns the table of the pieces' vectors, row-major [Vocab, Embedding].
func Pieces(f *folder.Folder) (table []float32, err error) {
	l, n := &loading{f: f}, f.Parts()
	l.numbers(n.Prefix+n.Pieces+".weight", []int64{int64(f.Config.Vocab), int64(f.Config.Embedding)},
		func(data []float32) { table = data })
	return table, l.run()
}

// Head is what a model has behind its encoder.
type Head int

// The heads.
const (
	NoHead   Head = iota
	Masked        // a masked language model
	Replaced      // ELECTRA's discriminator, which tells words that were replaced
)

func (h Head) String() string {
	return [...]string{"none", "a masked language model", "a discriminator"}[h]
}

// Model is an encoder as its folder has it, over pieces.
type Model struct {
	Config folder.Config
	Params *nn.Params

	*Encoder
	pieces      *nn.Embedding
	transform   *Transform
	pieceBias   *torch.Tensor // [Vocab]
	dense, outs *nn.Linear    // of a discriminator's head
}

// Open returns the folder's model with its first layers, all of them for 0, and a head. An error of
// kind userr.BadInput says what the folder lacks. Call it on the torch thread.
func Open(f *folder.Folder, layers int, head Head) (*Model, error) {
	c := f.Config
	if layers == 0 {
		layers = c.Layers
	}
	shape := c.SMLMShape
	shape.Layers = layers
	m := &Model{Config: c, Params: nn.NewParams()}
	var err error
	scope := func() error {
		m.pieces = nn.NewEmbedding(m.Params, "pieces", c.Vocab, c.Embedding)
		m.Encoder = NewEncoder(m.Params, "encoder.", shape, c.PretrainedShape, 0)
		l, n := &loading{f: f}, f.Parts()
		l.whole(n.Prefix+n.Pieces+".weight", m.pieces.W)
		if err = l.run(); err == nil {
			err = m.Load(f)
		}
		if err == nil {
			err = m.loadHead(f, head)
		}
		return err
	}
	if err = torch.Scoped(scope); err != nil {
		m.Params.Free()
		return nil, err
	}
	return m, nil
}

func (m *Model) loadHead(f *folder.Folder, head Head) error {
	c, n := m.Config, f.Parts()
	lacks := userr.New(userr.BadInput, "the pretrained encoder %q has no head of %v: it is %s", f.Dir, head,
		cmp.Or(c.Head, "of a class that its config.json does not name"))
	l := &loading{f: f}
	switch head {
	case Masked:
		m.transform = NewTransform(m.Params, "head.", c.Dim, c.PretrainedShape)
		bias, has, err := m.transform.Load(f)
		if err != nil || !has {
			return firstOf(err, lacks)
		}
		m.pieceBias = m.Params.Add("head.bias", torch.FromFloats(bias, int64(len(bias))))
	case Replaced:
		if n.ReplacedDense == "" || !f.Has(n.ReplacedDense+".weight") {
			return lacks
		}
		m.dense, m.outs = nn.NewLinear(m.Params, "head.dense", c.Dim, c.Dim), nn.NewLinear(m.Params, "head.out", c.Dim, 1)
		l.linear(n.ReplacedDense, m.dense)
		l.linear(n.ReplacedOut, m.outs)
	}
	return l.run()
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Hidden maps pieces [B, T] to the states behind so many layers, [B, T, d].
func (m *Model) Hidden(ids *torch.Tensor, layers int) *torch.Tensor {
	return m.States(m.pieces.Forward(ids), layers, false)
}

// Logits maps pieces [B, T] to the logits over all pieces [K, Vocab] at some positions, numbered as
// rows of [B*T]. The model must have been opened with Masked.
func (m *Model) Logits(ids, rows *torch.Tensor) *torch.Tensor {
	h := m.Hidden(ids, len(m.Layers))
	return m.transform.Forward(h.Reshape(-1, int64(m.Config.Dim)).Rows(rows)).Linear(m.pieces.W, m.pieceBias)
}

// Replacement maps pieces [B, T] to the logits that a piece was put in the place of another [B, T].
func (m *Model) Replacement(ids *torch.Tensor) *torch.Tensor {
	h := m.Hidden(ids, len(m.Layers))
	return m.outs.Forward(m.dense.Activated(h, m.Config.Activation)).Reshape(h.Size(0), h.Size(1))
}

// MostTokens is the most pieces of a sentence, special ones included.
func (m *Model) MostTokens() int { return m.shape.Positions }

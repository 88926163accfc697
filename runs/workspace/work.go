package workspace

import (
	"cmp"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"golang.org/x/sys/cpu"
)

// work is what a stage has to do, as far as its sizes tell, and what it leaves.
type work struct {
	products float64 // float32 multiply-adds of matrix products, which all threads share
	alone    float64 // cycles of one core besides
	bytes    float64 // of its files
}

// withMade returns the work of a training on made examples too, which are a share of all.
func (w work) withMade(share float64) work {
	w.products, w.alone = w.products/(1-share), w.alone/(1-share)
	return w
}

// The splits, as settings name them.
const train, dev, test = "train", "dev", "test"

// The costs of what is no matrix product, in cycles, were measured on the demo and on the paper's
// sizes on two cores of a Zen 4. They are right within a factor of two or so;
// what stages took then corrects them (bySize.ratio).
const (
	millisecond = 3.7e6 // cycles
	starting    = 10 * millisecond
	// a core makes so many float32 multiply-adds a cycle, of which it reaches three quarters
	perCycle = 16 * .75
	// gradients of inputs and of weights take as much as the forward pass, each
	withGradients = 3
	// of the masked words alone the loss counts
	maskedShare = .3
	// batches are of sentences as long, so that there are more than words would fill
	moreBatches = 1.1
)

// trained is the work of so many epochs over the training text, with macs multiply-adds forward a
// word and a step's cycles besides.
func trained(t *plan.Text, r *recipe.Training, mostSteps int, macs, step, parameters float64) work {
	words := t.Words * float64(t.Sentences[train])
	steps := math.Max(1, moreBatches*words/float64(max(1, r.BatchTokens))) * float64(max(1, r.Accumulate))
	epochs := float64(r.Epochs)
	if mostSteps > 0 {
		epochs = math.Min(epochs, float64(mostSteps)/steps)
	}
	judged := t.Words * float64(t.Sentences[dev])
	return work{
		products: epochs * macs * (withGradients*words + judged) / speedUp(r.Precision),
		alone:    starting + epochs*steps*step, bytes: 4 * parameters,
	}
}

// speedUp is how much faster bfloat16 is where the processor multiplies it.
func speedUp(p recipe.Precision) float64 {
	if p == recipe.BF16 || p == recipe.Auto && cpu.X86.HasAVX512BF16 {
		return 1.7
	}
	return 1
}

// lstm is the multiply-adds of a word, and the parameters, of so many directions.
func lstm(input, hidden, directions int) float64 {
	return float64(directions) * 4 * float64(hidden) * float64(input+hidden)
}

// transformer is the same of layers of a transformer, of a decoder with crossing attention.
func transformer(s recipe.SMLMShape, layers int, decoder bool) float64 {
	d := float64(s.Dim)
	attention := 4 * d * d
	if decoder {
		attention *= 2
	}
	return float64(layers) * (attention + 2*d*float64(s.FF))
}

// smlmWord is the multiply-adds of a word in SMLM: its layers, and the logits of the words whose
// loss counts.
func smlmWord(s *experiment.SMLMSettings, vocab float64) float64 {
	logits := float64(s.Dim) * vocab
	if s.Loss == recipe.Masked {
		logits *= maskedShare
	}
	return transformer(s.SMLMShape, s.Layers, false) + logits
}

// divLSTMWord is the multiply-adds of a word in a Diversity-LSTM.
func divLSTMWord(s *experiment.DivLSTMSettings) float64 {
	directions := 1
	if s.Bidirectional {
		directions = 2
	}
	return lstm(s.Embedding, s.Hidden, directions) + float64(directions*s.Hidden*s.Attention)
}

func classifierWord(s *experiment.ClassifierSettings) float64 {
	return lstm(s.Embedding, s.Hidden, 2)
}

func lmWord(s *experiment.LMSettings, vocab float64) float64 {
	return lstm(s.Embedding, s.Hidden, 1) + float64(s.Layers-1)*lstm(s.Hidden, s.Hidden, 1) + float64(s.Hidden)*vocab
}

// workOf says what a stage has to do at a point of a data set; ok is false of a stage that it does
// not know.
func workOf(s *plan.Stage, at *experiment.Settings, t *plan.Text) (w work, ok bool) {
	count := func(splits ...string) (sentences float64) {
		for _, split := range splits {
			sentences += float64(t.Sentences[split])
		}
		return sentences
	}
	at = ownSettings(s, at)
	vocab := math.Min(float64(t.Distinct), float64(cmp.Or(at.Vocab.Size, t.Distinct)))
	training, tested := count(train), count(test)
	written := tested // sentences that are written, scored or masked
	if s.Inputs["test"] == nil && s.Inputs["test-mask"] == nil {
		written = count(dev)
	}
	if s.Inputs["no-style"] != nil {
		split := test
		if s.Inputs["test"] == nil {
			split = dev
		}
		written += float64(t.NoStyle[split])
	}
	each := func(ms, bytes float64) work { // of every sentence written
		return work{alone: starting + written*ms*millisecond, bytes: written * bytes}
	}
	switch s.Name {
	case stages.Prepare, stages.Unseen:
		all := t.Words * count(train, dev)
		return work{alone: 100*millisecond + all*2000, bytes: 6 * all}, true
	case stages.TestSet, stages.NoStyle:
		return work{alone: 100 * millisecond, bytes: 12 * t.Words * tested}, true
	case stages.Encoder: // copied, and read for its digest
		e, _ := s.Settings.(stages.EncoderSettings)
		return work{alone: starting + float64(e.Bytes)*5, bytes: float64(e.Bytes)}, true
	case stages.Vocab, stages.StyleWords:
		return work{alone: starting + t.Words*training*200, bytes: 8 * vocab}, true
	case stages.Naturalness:
		return work{alone: starting + training*.03*millisecond, bytes: 4e5}, true
	case stages.FastText, stages.UnseenFastText:
		f := &at.FastText
		return work{
			alone: starting + float64(f.Epochs*f.Dim)*t.Words*training*40,
			bytes: 4 * float64(f.Dim) * (vocab + float64(f.Buckets)),
		}, true
	case stages.Bayes, stages.Fluency:
		return work{alone: starting + t.Words*training*2000, bytes: 16 * t.Words * training}, true
	case stages.MaskedLM:
		f, layer := &at.Fluency, encoderOf(s)
		if layer == nil {
			return work{}, false
		}
		layers := cmp.Or(f.PretrainedLayers, layer.Layers)
		macs := transformer(*layer, layers, false) + f.MaskedShare*float64(layer.Dim)*vocab
		return trained(t, &f.Training, 0, macs, 20*millisecond, macs+float64(layer.Dim)*vocab), true
	case stages.Selector:
		shape := encoderOf(s)
		if shape == nil {
			return work{}, false
		}
		return encoderTraining(t, &at.Selector.Training, *shape, at.Selector.PretrainedLayers, vocab), true
	case stages.Vectors:
		return work{alone: starting + t.Words*training*5000, bytes: 1200 * vocab}, true
	case stages.Classifier, stages.Whole:
		c := &at.Classifier
		if shape := encoderOf(s); shape != nil {
			return encoderTraining(t, &c.Training, *shape, c.PretrainedLayers, vocab), true
		}
		macs := classifierWord(c)
		w = trained(t, &c.Training, 0, macs, 6*millisecond, macs+float64(c.Embedding)*vocab)
		if s.Name == stages.Whole {
			w = w.withMade(at.Mixed.Share)
		}
		return w, true
	case stages.DivLSTM:
		d := &at.DivLSTM
		macs := divLSTMWord(d)
		return trained(t, &d.Training, 0, macs, 6*millisecond, macs+float64(d.Embedding)*vocab), true
	case stages.LM:
		l := &at.LM
		macs := lmWord(l, vocab)
		return trained(t, &l.Training, l.MaxSteps, macs, 2*millisecond, macs), true
	case stages.Guide:
		if shape := encoderOf(s); shape != nil {
			return encoderTraining(t, &at.Guide.Training, *shape, at.Guide.PretrainedLayers, vocab), true
		}
		w = cnnTraining(&at.Guide.Training, &at.Guide.CNNShape, t, vocab)
		if at.Guide.Mixed {
			w = w.withMade(at.Mixed.Share)
		}
		return w, true
	case stages.UnseenCNN: // patience ends it after a few epochs of many sentences
		shorter := at.CNN.Training
		if shorter.Patience > 0 {
			shorter.Epochs = min(shorter.Epochs, 3+shorter.Patience)
		}
		w = cnnTraining(&shorter, &at.CNN.CNNShape, t, vocab)
		if s.Class() != "" {
			w = w.withMade(at.Mixed.Share)
		}
		return w, true
	case stages.SMLM, stages.SMLMFT, stages.SMLMG:
		w = transferTraining(s.Name, at, t, vocab)
		if teacher := s.Inputs["teacher"]; teacher != nil { // is asked at every step, without gradients
			taught := ownSettings(teacher, at).SMLM
			taught.Training = at.SMLM.Training
			w.products += trained(t, &taught.Training, 0, smlmWord(&taught, vocab), 0, 0).products / withGradients
		}
		return w, true
	case stages.Rater: // no vocabulary layer is read
		rated, m := *t, ownSettings(s.Inputs["smlm"], at).SMLM
		rated.Sentences = map[string]int{train: t.Rated}
		return trained(&rated, &at.Rater.Training, 0, transformer(m.SMLMShape, m.Layers, false), 10*millisecond,
			float64(m.Dim)*vocab), true
	case stages.Attribution:
		a, _ := s.Settings.(stages.AttributionSettings)
		words := t.Words * count(a.Splits...)
		if a.NoStyle {
			words = t.Words * float64(t.NoStyle[a.Splits[0]])
		}
		return work{
			products: divLSTMWord(&at.DivLSTM) * words * withGradients,
			alone:    2*starting + words*3000, bytes: 8 * words,
		}, true
	case stages.Mask:
		return work{alone: starting + t.Words*(training+written)*100, bytes: 2 * t.Words * training}, true
	case stages.MaskScore, stages.Accuracy:
		words := t.Words * count(dev, test)
		return work{products: classifierWord(&at.Classifier) * words, alone: 3*starting + words*2000, bytes: 400}, true
	case stages.Transfer:
		w = each(.1, 200)
		set, _ := s.Settings.(stages.TransferSettings)
		passes, model := 1.0, transformer(at.SMLM.SMLMShape, at.SMLM.Layers, false)+float64(at.SMLM.Dim)*vocab
		if set.Decoding == recipe.GuidedDecoding { // masks are filled one by one, and words once more
			passes, w = 8, each(1, 400)
		} else if s.Inputs["model"].Name == stages.SMLMG {
			w = each(float64(max(1, set.Beam))*.3, 200)
		}
		w.products, w.alone = passes*model*t.Words*written, w.alone+5*starting
		return w, true
	case stages.Score, stages.Published:
		w = each(.15, 800)
		w.products = (classifierWord(&at.Classifier) + lmWord(&at.LM, vocab)) * t.Words * written
		w.alone += 5 * starting
		return w, true
	case stages.METEOR, stages.Embedding:
		return each(.07, 160), true
	case stages.BERTScore, stages.Acceptability:
		w = each(.15, 160)
		if shape := encoderOf(s); shape != nil {
			const perWord, texts = 1.4, 3 // pieces of a word, special ones included; output, source and reference
			w.products = transformer(*shape, shape.Layers, false) * perWord * t.Words * written * texts
		}
		w.alone += 5 * starting
		return w, true
	}
	return work{}, false
}

// ownSettings returns the settings of a point as a stage has them: an SMLM's own, which differ from
// the point's where it is a teacher, and the shape of the pretrained encoder that it starts from.
func ownSettings(s *plan.Stage, at *experiment.Settings) *experiment.Settings {
	of := *at
	if own, ok := s.Settings.(stages.SMLMSettings); ok {
		of.SMLM = own.SMLMSettings
	}
	if shape := startedFrom(s); shape != nil {
		of.SMLM.SMLMShape = *shape
		of.SMLM.Layers = cmp.Or(of.SMLM.PretrainedLayers, shape.Layers)
	}
	return &of
}

// startedFrom returns the shape of the pretrained encoder behind a transfer model or its outputs,
// nil where there is none.
func startedFrom(s *plan.Stage) *recipe.SMLMShape {
	for s != nil {
		if shape := encoderOf(s); shape != nil {
			return shape
		}
		s = cmp.Or(s.Inputs["model"], s.Inputs["smlm"])
	}
	return nil
}

// encoderTraining is the training of a judge of style that starts from a pretrained encoder, of
// which so many layers are taken, all for 0.
func encoderTraining(t *plan.Text, r *recipe.Training, shape recipe.SMLMShape, layers int, vocab float64) work {
	macs := transformer(shape, cmp.Or(layers, shape.Layers), false)
	return trained(t, r, 0, macs, 20*millisecond, macs+float64(shape.Dim)*vocab)
}

// encoderOf returns the shape of the pretrained encoder that a stage reads, nil where it reads
// none.
func encoderOf(s *plan.Stage) *recipe.SMLMShape {
	if e := s.Inputs["encoder"]; e != nil {
		if settings, ok := e.Settings.(stages.EncoderSettings); ok {
			return &settings.SMLMShape
		}
	}
	return nil
}

// cnnTraining is the training of a word CNN.
func cnnTraining(r *recipe.Training, shape *recipe.CNNShape, t *plan.Text, vocab float64) work {
	macs := 0.0
	for _, width := range shape.Widths {
		macs += float64(width * shape.Embedding * shape.Filters)
	}
	return trained(t, r, 0, macs, 3*millisecond, macs+float64(shape.Embedding)*vocab)
}

// transferTraining is the training of a transfer model.
func transferTraining(name stage.Name, at *experiment.Settings, t *plan.Text, vocab float64) work {
	s := &at.SMLM
	word := smlmWord(s, vocab)
	embedding := float64(s.Dim) * vocab
	parameters := transformer(s.SMLMShape, s.Layers, false) + embedding
	switch name {
	case stages.SMLMFT: // a sentence goes through the model, its judge and the model once more
		return trained(t, &at.Finetune.Training, at.Finetune.MaxSteps, 1.65*word, 35*millisecond, parameters)
	case stages.SMLMG:
		d := &at.Decoder
		decoder := transformer(s.SMLMShape, d.Layers, true)
		macs := transformer(s.SMLMShape, s.Layers, false) + decoder + embedding
		return trained(t, &d.Training, 0, macs, 45*millisecond, parameters+decoder)
	}
	return trained(t, &s.Training, 0, word, 21*millisecond, parameters)
}

// bySize guesses times from sizes and from how fast this machine is, where nothing like a stage has
// run, and from how long others took in relation to that.
type bySize struct {
	plan    *plan.Plan
	threads int
	onGPU   bool // of it nothing is known but by what ran
	speed   func(threads int) float64

	cycles  float64 // a second, of one thread; 0: not measured yet
	works   map[*plan.Stage]*work
	learned []learned // that are not in took yet
	took    map[stage.Name]relation
	all     relation
}

// learned is what a stage took.
type learned struct {
	stage *plan.Stage
	took  time.Duration
}

// relation is what stages took and what their sizes say, in seconds.
type relation struct{ took, guessed float64 }

// unsure is so much of what sizes say, in seconds, as counts beside what stages took: a stage of a
// hundredth of a second says little of one of hours.
const unsure = 1

func (r relation) ratio(otherwise float64) float64 {
	return (r.took + unsure*otherwise) / (r.guessed + unsure)
}

func (r relation) plus(took, guessed float64) relation {
	return relation{r.took + took, r.guessed + guessed}
}

// here is what this machine has.
type here struct {
	cores int
	gpu   bool // one of NVIDIA
	speed func(threads int) float64
}

func thisMachine() here {
	_, err := os.Stat("/dev/nvidiactl")
	return here{runtime.NumCPU(), err == nil, once(cyclesNow)}
}

func newBySize(p *plan.Plan, on here) *bySize {
	e := p.Experiment
	return &bySize{
		plan: p, speed: on.speed, threads: min(cmp.Or(e.Threads, on.cores), on.cores),
		onGPU: strings.HasPrefix(e.Devices, "cuda") || e.Devices != "cpu" && on.gpu,
		works: map[*plan.Stage]*work{}, took: map[stage.Name]relation{},
	}
}

// work is what a stage has to do, nil where that is not known.
func (b *bySize) work(s *plan.Stage) *work {
	w, ok := b.works[s]
	if !ok {
		if point, text := b.plan.TextOf(s); text != nil {
			if found, known := workOf(s, &point.Settings, text); known {
				w = &found
			}
		}
		b.works[s] = w
	}
	return w
}

// seconds is what a stage's size says, on this machine as it is now.
func (b *bySize) seconds(w *work) float64 {
	if b.cycles == 0 {
		b.cycles = b.speed(b.threads)
	}
	// Threads wait for each other: two do not do twice as much.
	return (w.products/perCycle/math.Pow(float64(b.threads), .85) + w.alone) / b.cycles
}

// learn notes what a stage took.
func (b *bySize) learn(s *plan.Stage, took time.Duration) {
	if b != nil {
		b.learned = append(b.learned, learned{s, took})
	}
}

// of guesses a stage's time.
func (b *bySize) of(s *plan.Stage) (time.Duration, bool) {
	if b == nil {
		return 0, false
	}
	w := b.work(s)
	if w == nil {
		return 0, false
	}
	for _, l := range b.learned {
		if of := b.work(l.stage); of != nil {
			guessed := b.seconds(of)
			b.took[l.stage.Name] = b.took[l.stage.Name].plus(l.took.Seconds(), guessed)
			b.all = b.all.plus(l.took.Seconds(), guessed)
		}
	}
	b.learned = nil
	own, has := b.took[s.Name]
	if b.onGPU && w.products > 0 && !has {
		return 0, false
	}
	ratio := own.ratio(b.all.ratio(1))
	return time.Duration(b.seconds(w) * ratio * float64(time.Second)), true
}

// disk guesses the bytes of a stage's files.
func (b *bySize) disk(s *plan.Stage) (int64, bool) {
	if b == nil {
		return 0, false
	}
	w := b.work(s)
	if w == nil {
		return 0, false
	}
	return int64(w.bytes) + recordBytes, true
}

// memory guesses the most resident memory of a stage that trains from a pretrained encoder.
func (b *bySize) memory(s *plan.Stage) (int64, bool) {
	if b == nil || b.onGPU {
		return 0, false
	}
	point, text := b.plan.TextOf(s)
	shape := startedFrom(s)
	if text == nil || shape == nil {
		return 0, false
	}
	at := ownSettings(s, &point.Settings)
	var r *recipe.Training
	layers, words := 0, 1.0 // of a batch, in batches
	switch s.Name {
	case stages.SMLM:
		r, layers = &at.SMLM.Training, at.SMLM.Layers
	case stages.SMLMFT: // reads its sentences twice
		r, layers, words = &at.Finetune.Training, at.SMLM.Layers, 2
	case stages.SMLMG: // and a decoder layer is one and a half
		r, layers = &at.Decoder.Training, at.SMLM.Layers+(3*at.Decoder.Layers+1)/2
	case stages.MaskedLM:
		r, layers = &at.Fluency.Training, at.Fluency.PretrainedLayers
	case stages.Classifier, stages.Whole:
		r, layers = &at.Classifier.Training, at.Classifier.PretrainedLayers
	case stages.Selector:
		r, layers = &at.Selector.Training, at.Selector.PretrainedLayers
	case stages.Guide:
		r, layers = &at.Guide.Training, at.Guide.PretrainedLayers
	default:
		return 0, false
	}
	vocab := math.Min(float64(text.Distinct), float64(cmp.Or(at.Vocab.Size, text.Distinct)))
	words *= float64(r.BatchTokens) / math.Sqrt(speedUp(r.Precision)) // bfloat16 halves some
	ofText := text.Words * float64(text.Sentences[train])
	return int64(encoderMemory(*shape, cmp.Or(layers, shape.Layers), vocab, words, ofText)), true
}

// encoderMemory is the memory of a training from an encoder of so many layers, on batches of so
// many words and a text of so many, in bytes. It was measured with MiniLM of two and six layers and
// a shape like BERT-base's, in batches of 500 to 3,000 words, on the CPU, and is right within a
// fifth there.
func encoderMemory(shape recipe.SMLMShape, layers int, vocab, batch, text float64) float64 {
	const (
		program, aWeight, aTextWord = 220e6, 18, 130
		aNumber                     = 5.8 // four bytes, and some that go before others come
	)
	d := float64(shape.Dim)
	weights := transformer(shape, layers, false) + d*vocab
	kept := float64(layers)*(8*d+2*float64(shape.FF)) + maskedShare*vocab
	return program + aWeight*weights + aNumber*batch*kept + aTextWord*text
}

// recordBytes are about those of the small files of a stage.
const recordBytes = 3000

// once measures each number of threads at the first call.
func once(measure func(threads int) float64) func(int) float64 {
	var mu sync.Mutex
	known := map[int]float64{}
	return func(threads int) float64 {
		mu.Lock()
		defer mu.Unlock()
		if known[threads] == 0 {
			known[threads] = measure(threads)
		}
		return known[threads]
	}
}

// cyclesNow measures how many cycles a second each of so many threads gets at present: the median
// of some short times, since other programs stop single ones for long. A multiplication that needs
// the one before takes three cycles on every x86-64 of these years, and an addition one.
func cyclesNow(threads int) float64 {
	const rounds, cyclesEach = 1 << 20, 4
	ends := make([]uint64, threads)
	var found [25]float64
	for i := range found {
		var all sync.WaitGroup
		began := time.Now()
		for k := range threads {
			all.Go(func() {
				x := ends[k]
				for i := range uint64(rounds) {
					x = x*6364136223846793005 + i
				}
				ends[k] = x // otherwise a compiler may leave the loop out
			})
		}
		all.Wait()
		found[i] = rounds * cyclesEach / time.Since(began).Seconds()
	}
	slices.Sort(found[:])
	return found[len(found)/2]
}

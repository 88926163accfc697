package figure

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/smlm-exp/smlm-exp/internal/drawing"
)

// The paper's curves of its figure, read off by the team (s-BLEU and accuracy at lambda_eps 0, 0.1
// to 0.5).
var paperCurves = map[string][2][6]float64{
	"Yelp":   {{55, 62, 66, 70, 72, 75}, {69, 73, 73, 75, 77, 77}},
	"IMDb":   {{54, 65, 73, 78, 81, 84}, {72.2, 75, 78, 79, 81, 82}},
	"Amazon": {{48, 67, 78, 84, 88, 91}, {71, 76, 79, 82, 84, 85}},
	"SNLI":   {{56, 65, 72, 78, 82, 85}, {49, 49, 52, 56, 63, 67}},
}

func paperPoints(name string) []EpsPoint {
	var points []EpsPoint
	for i := range 6 {
		bleu, accuracy := paperCurves[name][0][i], paperCurves[name][1][i]
		points = append(points, EpsPoint{float64(i) / 10, single(bleu), single(accuracy)})
	}
	return points
}

func noise(seed uint64) func(scale float64) float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	return func(scale float64) float64 { return scale * r.NormFloat64() }
}

// fourDatasets has ours a few points beside the paper's, with deviations on two of them.
func fourDatasets() LambdaEps {
	n := noise(1)
	var f LambdaEps
	for i, name := range []string{"Yelp", "Amazon", "IMDb", "SNLI"} {
		s := EpsSeries{Name: name, Paper: paperPoints(name)}
		for j, p := range s.Paper {
			q := EpsPoint{
				LambdaEps: []float64{0, 0.1, 0.15, 0.2, 0.3, 0.5}[j],
				SBLEU:     single(p.SBLEU.Mean + 3 + n(1.5)),
				Accuracy:  single(p.Accuracy.Mean - 4 + n(1.5)),
			}
			if i%2 == 0 {
				q.SBLEU.Deviation, q.Accuracy.Deviation = 1.2, 0.9
			}
			s.Points = append(s.Points, q)
		}
		f.Series = append(f.Series, s)
	}
	return f
}

var longName = "SMLM-FT_with_a_very_long_name, λ_con = 10 %, 50 % of $x^2$ & {naïve} \\alpha #3 ~ 日本語 " +
	"<b>bold</b> and_no_end_to_it_at_all"

func longNames() LambdaEps {
	f := fourDatasets()
	f.Series[1].Name = longName
	f.Series[2].Paper = nil
	f.Series[3].Points = nil
	f.Series[3].Name = "50%_of_Ελληνικά"
	return f
}

// tradeOff is TST% over s-BLEU, with the front.
func tradeOff(panels ...TradeOffPanel) TradeOff {
	return TradeOff{X: "s-BLEU, %", Y: "TST, %", Front: true, Panels: panels}
}

// systems are n points in three bands, a third of them ours.
func systems(n int) TradeOff {
	r := noise(uint64(n))
	names := []string{
		"DirR",
		"Stable",
		"Transforming",
		"Tag",
		"CycleRL",
		"StyleEmbedding",
		"D&R",
		"cycleMulti",
		"CrossAligned",
	}
	var p TradeOffPanel
	for i := range n {
		x := 20 + 55*math.Abs(math.Mod(float64(i)*0.618, 1)) + r(2)
		q := TradeOffPoint{X: Value{Mean: x}, Y: Value{Mean: 100 - x*x/90 - math.Abs(r(9))}}
		switch {
		case i < len(names):
			q.Name, q.Published = names[i], true
		case i%3 == 0:
			q.Name = fmt.Sprintf("SMLM-FT, lambda_eps %.2f", float64(i)/40)
			q.X.Deviation, q.Y.Deviation = 0.8, 1.5
		default:
			q.Name = fmt.Sprintf("SMLM %d", i)
		}
		p.Points = append(p.Points, q)
	}
	return tradeOff(p)
}

// crowded are n points within two percent of each other, some of them equal.
func crowded(n int) TradeOff {
	f := systems(n)
	for i := range f.Panels[0].Points {
		q := &f.Panels[0].Points[i]
		q.X.Mean, q.Y.Mean = 60+float64(i%7)/5, 80+float64(i%5)/5
	}
	f.Panels[0].Points[0].X.Mean = 30
	return f
}

// courses are models of 30 epochs, two of them with three seeds.
func courses(epochs int) Training {
	n := noise(3)
	var f Training
	for m, model := range []string{"yelp, classifier", "yelp, divlstm", "yelp, smlm"} {
		for seed := range 3 {
			if m == 0 && seed > 0 {
				break
			}
			c := Curve{Panel: model}
			if m == 1 {
				c.Name = fmt.Sprintf("lambda_con %d", 10*seed)
			}
			best := math.Inf(1)
			for e := 1; e <= epochs; e++ {
				decay := math.Exp(-float64(e) / 6)
				loss := 0.2 + float64(m+1)*(0.6*decay) + math.Abs(n(0.01))
				dev := 0.3 + float64(m+1)*(0.55*decay+0.0004*float64(e*e)/float64(m+1)) + math.Abs(n(0.02))
				ep := Epoch{N: e, Loss: &loss, DevLoss: &dev}
				if m < 2 {
					acc := 97 - 30*decay + n(0.3)
					ep.DevAccuracy = &acc
				}
				c.Epochs = append(c.Epochs, ep)
			}
			at := 0
			for i, e := range c.Epochs {
				if *e.DevLoss < best {
					best, at = *e.DevLoss, i
				}
			}
			c.Epochs[at].Kept = true
			f.Curves = append(f.Curves, c)
		}
	}
	return f
}

func maskedParts(datasets, methods int) MaskedShare {
	n := noise(4)
	var f MaskedShare
	for d := range datasets {
		for m := range methods {
			s := ShareSeries{
				Panel: []string{"yelp", "amazon", "imdb", "snli"}[d],
				Name: []string{
					"EA+AS", "gradients", "integrated gradients", "LIME", "SHAP", "DeepLIFT", "attention", "occlusion",
					"random",
				}[m],
			}
			for i := range 10 {
				s.Parts = append(s.Parts, Part{Words: 1000, Masked: int(150 + 20*float64(i) + 60*float64(m%4) + n(15))})
			}
			f.Series = append(f.Series, s)
		}
	}
	if datasets == 1 {
		for i := range f.Series {
			f.Series[i].Panel = ""
		}
	}
	return f
}

// offFront are systems of which two have flaws, one all, and people.
func offFront() TradeOff {
	f := systems(12)
	q := f.Panels[0].Points
	q[2].Flaws, q[2].Signs = "left unchanged§", "§"
	q[9].Flaws, q[9].Signs = "collapsed‡, left unchanged§, shortened¶", "‡§¶"
	q[9].X.Mean, q[9].Y.Mean = 62, 97 // would be the front
	f.Panels[0].Points = append(
		q,
		TradeOffPoint{
			Name:      "human references",
			X:         Value{Mean: 45},
			Y:         Value{Mean: 93},
			Published: true,
			Human:     true,
		},
	)
	return f
}

// apart are courses of a model of which the training loss is another sum, beside one of which it is
// not.
func apart() Training {
	f := courses(10)
	f.Curves = f.Curves[4:6]
	f.Curves[0].Panel = "yelp, smlm-ft"
	for i := range f.Curves[0].Epochs {
		*f.Curves[0].Epochs[i].Loss += 12
	}
	return f
}

// figures are every figure, with data as they come and with odd ones.
func figures() map[string]Figure {
	wide := systems(24)
	wide.Panels = append(wide.Panels, crowded(9).Panels[0], systems(8).Panels[0])
	wide.Panels[0].Title, wide.Panels[1].Title, wide.Panels[2].Title = "yelp", "amazon", longName
	wide.Size = drawing.Size{Width: 17}
	long := systems(9)
	long.Panels[0].Points[3].Name = longName
	long.Panels[0].Points[5].Name = ""
	large := fourDatasets()
	large.Size = drawing.Size{Width: 12, Panel: 6, Font: 11}
	single := courses(1)
	single.Curves = single.Curves[:1]
	one := fourDatasets()
	one.Series = one.Series[:1]
	one.Series[0].Points, one.Series[0].Paper = one.Series[0].Points[:1], nil
	return map[string]Figure{
		"lambdaeps": fourDatasets(), "lambdaeps-long": longNames(), "lambdaeps-large": large, "lambdaeps-one": one,
		"tradeoff-8": systems(8), "tradeoff-24": systems(24), "tradeoff-40": systems(40),
		"tradeoff-crowded": crowded(40), "tradeoff-wide": wide, "tradeoff-long": long, "tradeoff-off": offFront(),
		"tradeoff-one": tradeOff(TradeOffPanel{Points: systems(1).Panels[0].Points}),
		"training-30":  courses(30), "training-1": courses(1), "training-single": single,
		"training-10": courses(10), "training-apart": apart(),
		"masked": maskedParts(1, 3), "masked-4": maskedParts(4, 9), "masked-one": maskedParts(1, 1),
	}
}

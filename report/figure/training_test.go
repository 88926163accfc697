package figure

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/report"
)

// Losses that are different sums stand in panels of their own, others together.
func TestTrainingPanels(t *testing.T) {
	course := func(panel string, losses ...[2]float64) Curve {
		c := Curve{Panel: panel}
		for i := range losses {
			c.Epochs = append(c.Epochs, Epoch{N: i + 1, Loss: &losses[i][0], DevLoss: &losses[i][1]})
		}
		return c
	}
	together := []string{lossTitle}
	apart := []string{trainLossTitle, devLossTitle}
	one, ninety := 1., 90.
	half := course("m", [2]float64{9, 1})
	half.Epochs[0].Loss = nil
	for _, c := range []struct {
		name   string
		curves []Curve
		want   []string
	}{
		{"near", []Curve{course("m", [2]float64{2, 1}, [2]float64{1, 1.5})}, together},
		{"far at every epoch", []Curve{course("m", [2]float64{9, 1}, [2]float64{4.1, 1})}, apart},
		{"dev loss far above", []Curve{course("m", [2]float64{.1, 1})}, apart},
		{"the factor itself", []Curve{course("m", [2]float64{4, 1})}, together},
		{"near at one epoch", []Curve{course("m", [2]float64{9, 1}, [2]float64{3, 1})}, together},
		{"one seed near", []Curve{course("m", [2]float64{9, 1}), course("m", [2]float64{2, 1})}, together},
		{"no factor to a loss of 0", []Curve{course("m", [2]float64{9, 0})}, together},
		{"one loss alone", []Curve{half}, together},
		{
			"what else is known",
			[]Curve{{Panel: "m", Epochs: []Epoch{{N: 1, Loss: &one, DevAccuracy: &ninety}}}},
			[]string{lossTitle, accuracyTitle},
		},
		{
			"each model for itself",
			[]Curve{course("smlm", [2]float64{2, 1}), course("smlm-ft", [2]float64{9, 1})},
			append(slices.Clone(together), apart...),
		},
	} {
		s, err := Training{Curves: c.curves}.sheet()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range s.Panels {
			got = append(got, p.Under)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: panels %q, want %q", c.name, got, c.want)
		}
	}
}

// Names have lines of their own, each of them named, also where nothing tells a model's runs apart;
// many panels stand in rows of three, in the width of a column.
func TestTrainingLines(t *testing.T) {
	one, two := 1., 2.
	epochs := []Epoch{{N: 1, Loss: &two, DevLoss: &two}, {N: 2, Loss: &one, DevLoss: &one}}
	var curves []Curve
	for _, panel := range []string{"lm", "a", "b", "c", "d"} {
		curves = append(curves, Curve{Panel: panel, Epochs: epochs})
	}
	for _, name := range []string{"lambda_con 1", "lambda_con 2"} {
		curves = append(curves, Curve{Panel: "smlm", Name: name, Epochs: epochs})
	}
	s, err := Training{Curves: curves}.sheet()
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Panels) != 6 || s.Columns != 3 || s.Size.Width != 0 {
		t.Errorf("%d panels in %d columns of %v cm", len(s.Panels), s.Columns, s.Size.Width)
	}
	seen := map[string]bool{}
	var texts []string
	for _, e := range s.Legend {
		if texts = append(texts, e.Text); e.Line != nil && len(texts) <= 3 {
			seen[fmt.Sprint(e.Line.Colour, e.Line.Pattern)] = true
		}
	}
	want := []string{noName, "lambda_con 1", "lambda_con 2", "dev set", "training set"}
	if !slices.Equal(texts, want) || len(seen) != 3 {
		t.Errorf("legend %q with %d lines, want %q with 3", texts, len(seen), want)
	}
}

// Lines are named by what tells the runs of a model apart, and by nothing else.
func TestTrainingNames(t *testing.T) {
	var rows []report.TrainingRow
	for _, r := range []struct{ model, con, eps string }{
		{"lm", "", ""}, {"divlstm", "1", ""}, {"divlstm", "2", ""}, {"smlm", "1", "0.5"}, {"smlm", "1", "1"},
	} {
		row := report.TrainingRow{Dataset: "market", Model: r.model, Epoch: 1, TrainLoss: new(float64)}
		for key, value := range map[string]string{"lambda_con": r.con, "lambda_eps": r.eps} {
			if value != "" {
				row.Axes = append(row.Axes, report.Axis{Key: key, Value: value})
			}
		}
		rows = append(rows, row)
	}
	var got []string
	for dataset, f := range TrainingOf(rows, "") {
		for _, c := range f.(Training).Curves {
			got = append(got, dataset+" "+c.Panel+": "+c.Name)
		}
	}
	want := []string{
		"market Language model: ", "market Diversity-LSTM: lambda_con 1", "market Diversity-LSTM: lambda_con 2",
		"market SMLM: lambda_eps 0.5", "market SMLM: lambda_eps 1",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("curves (-want +got):\n%s", d)
	}
}

// Losses and measures can stand in figures of their own; the legend of each names what it draws, in
// the line that it has in the other. Of a part that no model has there is no figure.
func TestTrainingParts(t *testing.T) {
	one, ninety := 1., 90.
	rows := []report.TrainingRow{
		{Dataset: "market", Model: "classifier", Epoch: 1, TrainLoss: &one, DevLoss: &one, DevAccuracy: &ninety},
	}
	for _, con := range []string{"1", "2"} {
		axes := []report.Axis{{Key: "lambda_con", Value: con}}
		rows = append(rows, report.TrainingRow{Dataset: "market", Model: "smlm", Axes: axes, Epoch: 1, TrainLoss: &one})
	}
	legend := func(part Shown) (texts, panels []string) {
		for _, f := range TrainingOf(rows, part) {
			s, err := f.sheet()
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range s.Legend {
				texts = append(texts, e.Text)
			}
			for _, p := range s.Panels {
				panels = append(panels, p.Title+": "+p.Under)
			}
		}
		return texts, panels
	}
	texts, panels := legend(Losses)
	if want := []string{noName, "lambda_con 1", "lambda_con 2", "dev set", "training set"}; !slices.Equal(texts, want) {
		t.Errorf("the legend of losses is %q, want %q", texts, want)
	}
	if want := []string{"Evaluation classifier: loss", "SMLM: loss"}; !slices.Equal(panels, want) {
		t.Errorf("panels of losses %q, want %q", panels, want)
	}
	texts, panels = legend(Measures)
	if want := []string{"dev set"}; !slices.Equal(texts, want) {
		t.Errorf("the legend of measures is %q, want %q", texts, want)
	}
	if want := []string{"Evaluation classifier: dev accuracy, %"}; !slices.Equal(panels, want) {
		t.Errorf("panels of measures %q, want %q", panels, want)
	}
	for dataset, f := range TrainingOf(rows[1:], Measures) {
		if f != nil {
			t.Errorf("there is a figure of measures of %s", dataset)
		}
	}
}

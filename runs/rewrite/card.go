package rewrite

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// CardFile is the model card in a pack and in an export.
const CardFile = "README.md"

// Card writes the model card of chosen models: what they do, their sizes, data, training, scores
// and limits, as Markdown. What the workspace does not have is said to be missing.
func (c *Chosen) Card(p *plan.Plan, ws *workspace.Workspace) (string, error) {
	scores, err := results.ScoresOf(p, ws, c.Model.Score)
	if err != nil {
		return "", err
	}
	parts, err := c.parts(ws)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(introduction(c.String(), c.Labels, p.Data[c.Point.Point.Dataset].Directions))
	models := partsTable("Models", []string{"Part", "What it does", "Parameters", "Shape"}, parts, part.model)
	models.Columns[2].Align = table.Right
	training := partsTable("Training", []string{"Part", "Trained", "Settings"}, parts, part.training)
	training.Notes = []string{madeBy(machine.ReadBuild())}
	write := func(t *table.Table) {
		b.WriteString("\n")
		err = cmp.Or(err, t.Write(&b, "markdown"))
	}
	write(models)
	b.WriteString("\n")
	err = cmp.Or(err, results.WriteData(&b, p, c.Point.Point.Dataset))
	err = cmp.Or(err, table.MarkdownList(&b, []string{dataInside}))
	write(training)
	if scores != nil {
		t := report.Score(results.Shown(scores))
		t.Title = "Scores on the test set"
		write(t)
	} else {
		fmt.Fprintf(&b, "\n## Scores on the test set\n\nNot recorded: the workspace has no finished scores of this model. "+
			"`smlm-exp run` of\nthe experiment computes them.\n")
	}
	b.WriteString("\n## Limits\n\n")
	err = cmp.Or(err, table.MarkdownList(&b, slices.Concat(c.limits(ws), results.Limits(scores))))
	return b.String(), err
}

// introduction is the beginning of a card: what the models do, and how they are used.
func introduction(name string, labels corpus.Styles, directions []corpus.Direction) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nThese models rewrite a sentence in another style. They mask the words that carry its style, "+
		"and fill the\nmasks with words of the style that you ask for. The directions:\n\n", name)
	for _, d := range directions {
		fmt.Fprintf(&b, "- %s\n", labels.Name(d))
	}
	to, from := labels[1], ""
	if len(directions) > 0 {
		if to = labels[directions[0].To]; directions[0].From == corpus.NoStyle {
			from = " --from " + corpus.None
		}
	}
	fmt.Fprintf(&b, `
## How to use it

If you have one file, a pack, install smlm-exp and run

    echo "The soup was cold." | smlm-exp transfer --packed FILE%s --to %s

It prints each line of its input in the other style.

If you have a folder with load.py, an export for PyTorch, install torch and safetensors and run

    python load.py 'the soup was <mask> .' %d

load.py fills the masks of a sentence in the style of that number; divlstm.py prints how much attention each word gets,
which says what to mask. Sentences must be in lower case, with spaces between words and signs, as in the example.

The method is of Narasimhan, Shekar, Dey and Desarkar, "On Text Style Transfer via Style Masked Language Models". Cite
the paper and the data set with your results.
`, from, wording.ShellWord(to), labels.Index(to))
	return b.String()
}

// dataInside is what a pack and an export hold of the data.
const dataInside = "No sentence of the data is in these files. The vocabulary, the weights and the counts of n-grams were " +
	"made of the training sentences: keep to the licence of the data when you hand the files on."

// madeBy says which program wrote a card.
func madeBy(build machine.Build, known bool) string {
	by := "smlm-exp"
	if known {
		by += " " + build.Version
		if build.Commit != "" {
			by += ", commit " + build.Short(10)
		}
	}
	return "This card was written by " + by + "."
}

// part is one of the models on a card.
type part struct {
	name, does     string
	record         *stage.Record // nil: no stage
	result         stages.TrainResult
	shape, setting string
}

// does says what a part is for, by what it is to the models.
var does = map[string]string{
	"divlstm": "finds the words that carry style", "model": "fills the masks",
	"guide": "says how much of the style asked for is in an output", "fluency": "counts n-grams: how usual an output is",
	"vocab": "the words that the models know", "rater": "says what readers would give an output",
}

// parts are what the models are made of, in the order of their work.
func (c *Chosen) parts(ws *workspace.Workspace) (parts []part, err error) {
	add := func(name, does string, s *plan.Stage) {
		if s == nil || err != nil || !ws.Done(s) { // an SMLM that SMLM-FT began with may be gone
			return
		}
		var p part
		if p, err = partOf(ws, s); err == nil {
			p.name, p.does = name, does
			parts = append(parts, p)
		}
	}
	for _, role := range []string{"vocab", "divlstm", "model", "guide", "fluency", "rater"} {
		s := c.Stages[role]
		if s == nil {
			continue
		}
		if role == "model" && c.Model.Train != nil { // SMLM-FT goes on from an SMLM
			add(string(stages.SMLM), "what SMLM-FT begins with", c.Model.Train.Inputs[string(stages.SMLM)])
		}
		add(string(s.Name), does[role], s)
	}
	if err != nil {
		return nil, err
	}
	return append(parts,
		part{name: "masks", does: "which words are masked", setting: flat(c.Request.Attribution, c.Request.Mask)},
		part{name: "outputs", does: "how masks are filled", setting: flat(c.Request.Settings)}), nil
}

// partOf reads what a finished stage tells of a model.
func partOf(ws *workspace.Workspace, s *plan.Stage) (p part, err error) {
	if p.record, err = ws.Record(s); err != nil {
		return p, err
	}
	p.setting = flat(p.record.Settings)
	if err := ws.ReadJSON(s, "result.json", &p.result); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	var shape json.RawMessage
	switch err := ws.ReadJSON(s, "model.json", &shape); {
	case err == nil:
		p.shape = flat(shape)
	case !errors.Is(err, fs.ErrNotExist):
		return p, err
	}
	if s.Name == stages.Vocab {
		words, err := os.ReadFile(filepath.Join(ws.StageDir(s), "vocab.txt"))
		if err != nil {
			return p, err
		}
		p.shape = wording.Count(bytes.Count(words, []byte("\n")), "word")
	}
	return p, nil
}

// model is the row of a part among the models, nil where it is none.
func (p part) model() []string {
	if p.record == nil {
		return nil
	}
	return []string{p.name, p.does, table.Count(p.result.Parameters), p.shape}
}

// training is the row of a part among what was trained and set.
func (p part) training() []string {
	trained := table.Absent
	if p.result.Epochs > 0 {
		trained = wording.Count(p.result.Epochs, "epoch")
		if p.result.BestEpoch > 0 && p.result.BestEpoch < p.result.Epochs {
			trained += fmt.Sprintf(", epoch %d kept", p.result.BestEpoch)
		}
		if p.record.Device != "" {
			trained += ", on " + p.record.Device
		}
		if p.record.Precision != "" {
			trained += ", " + string(p.record.Precision)
		}
	}
	return []string{p.name, trained, cmp.Or(p.setting, table.Absent)}
}

// partsTable is a table with a row for each part that has one.
func partsTable(title string, heads []string, parts []part, row func(part) []string) *table.Table {
	t := &table.Table{Name: strings.ToLower(title), Title: title}
	for _, h := range heads {
		t.Columns = append(t.Columns, table.Column{Head: h})
	}
	for _, p := range parts {
		var r table.Row
		for _, text := range row(p) {
			r.Cells = append(r.Cells, table.Cell{Text: text})
		}
		if r.Cells != nil {
			t.Rows = append(t.Rows, r)
		}
	}
	return t
}

// mostNumbers is how many values of a list of settings a card shows.
const mostNumbers = 4

// flat writes settings in a line, "epochs 15, lr 0.001", without those that are zero.
func flat(all ...any) string {
	var words []string
	var add func(key string, value any)
	add = func(key string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				add(strings.TrimPrefix(key+"."+k, "."), v[k])
			}
		case []any:
			if len(v) > mostNumbers {
				words = append(words, fmt.Sprintf("%s: %d values", key, len(v)))
			} else if len(v) > 0 {
				words = append(words, key+" "+strings.Trim(fmt.Sprint(v), "[]"))
			}
		case bool:
			if v {
				words = append(words, key)
			}
		case json.Number:
			if x, err := v.Float64(); err != nil || x != 0 {
				words = append(words, key+" "+v.String())
			}
		case string:
			if v != "" {
				words = append(words, key+" "+v)
			}
		}
	}
	for _, one := range all {
		text, err := json.Marshal(one)
		if err != nil { // settings are strings, numbers, booleans, lists and objects of them
			continue
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var value any
		if d.Decode(&value) == nil {
			add("", value)
		}
	}
	return strings.Join(words, ", ")
}

// limits are those of the models themselves.
func (c *Chosen) limits(ws *workspace.Workspace) []string {
	all := []string{
		"The models read one sentence at a time. A word that the vocabulary lacks is kept as it is.",
		"The models learned from the training sentences alone, with all their prejudices. An output may say something false " +
			"or hurtful that the source does not say: do not present it as its author's words.",
	}
	var r stages.TrainResult
	if !strings.Contains(string(c.Request.Attribution.Method), "attention") {
		return all // masks are by something else
	}
	if err := ws.ReadJSON(c.Stages["divlstm"], "result.json", &r); err != nil || r.Attention == nil || r.Attention.Found == nil {
		return append(all, "It is not recorded whether attention lies on words that carry style. If it does not, masks hide "+
			"the wrong words.")
	}
	a, found := r.Attention, []string{}
	for style, share := range a.Found {
		if style < len(c.Labels) && !slices.Contains(a.Silent, style) {
			found = append(found, fmt.Sprintf("%s %s %%", c.Labels[style], table.Percent(share)))
		}
	}
	if len(found) > 0 {
		said := "The most-attended words carry this share of the evidence for a style that one word of a sentence can carry: " +
			strings.Join(found, ", ") + "."
		if !a.Healthy() {
			said += " That is low: attention lies on words that say little of the style, and masks hide the wrong words."
		}
		all = append(all, said)
	}
	for _, style := range a.Silent {
		if style < len(c.Labels) {
			all = append(all, fmt.Sprintf("The style %s has no words of its own in the data: masks of its sentences say little.",
				c.Labels[style]))
		}
	}
	return all
}

// mostCard is the most bytes of a card.
const mostCard = 1 << 20

// Card is the model card of a packed file, which may be anybody's: nothing in it is what a terminal
// obeys. Of a file that was packed without one it is what the manifest tells.
func (p *Pack) Card() (string, error) {
	want, ok := p.Manifest.Files[CardFile]
	if !ok {
		m := &p.Manifest
		return introduction(m.Name, m.Labels, m.Labels.Directions()) + fmt.Sprintf("\n## Data, training and scores\n\n"+
			"Not recorded: the models were packed by smlm-exp %s, which wrote no card.\n", m.Program), nil
	}
	if want.Size > mostCard {
		return "", p.bad("its file %q has %d bytes", CardFile, want.Size)
	}
	text, err := contentOf(p.members[CardFile])
	if err != nil || files.Sum(text) != want.SHA256 {
		return "", p.changed(CardFile)
	}
	return wording.Visible(string(text)), nil
}

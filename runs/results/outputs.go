package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Outputs are systems whose outputs are to be published.
type Outputs struct {
	Systems []string // as Find takes them, each with all rows that it may mean; none: all of ours
	Sources bool     // the test sentences too
}

// writtenOutputs is a row of Results whose outputs are published.
type writtenOutputs struct {
	row   int
	name  string            // of its files, and of the system where they are read back
	files map[string]string // from name to path
}

// WriteOutputs makes dir, a new or empty folder, one to publish: outputs, settings, scores,
// signatures and a README.md. The outputs of a data set are named as its key "outputs" reads them.
// It returns how many systems there are; after an error dir is as before.
func (r *Results) WriteOutputs(dir string, o Outputs) (systems int, err error) {
	rows, err := r.outputRows(o.Systems)
	if err != nil {
		return 0, err
	}
	var all []writtenOutputs
	for i, name := range r.fileNames(rows) {
		w := writtenOutputs{row: rows[i], name: name}
		if err := r.findFiles(&w); err != nil {
			return 0, err
		}
		all = append(all, w)
	}
	err = files.WriteFolder(dir, func(apart string) error {
		for _, w := range all {
			if err := copyFiles(filepath.Join(apart, outputsFolder, r.Results[w.row].Dataset), w.files); err != nil {
				return err
			}
		}
		if o.Sources {
			if err := r.writeSources(apart, all); err != nil {
				return err
			}
		}
		return r.writeAbout(apart, all, o.Sources)
	})
	return len(all), err
}

// file names the outputs of a direction.
func (w *writtenOutputs) file(styles corpus.Styles, d corpus.Direction) string {
	return w.name + "." + styles.Mark(d) + ".txt"
}

// The parts of the folder.
const (
	outputsFolder, sourcesFolder      = "outputs", "sources"
	settingsName, outputsReadme       = "settings.toml", "README.md"
	scoresCSV, scoresJSON, signedName = "scores.csv", "scores.json", "signatures.txt"
)

// outputRows are the rows of Results to publish.
func (r *Results) outputRows(names []string) (rows []int, err error) {
	for i := range r.Results {
		if len(names) == 0 && !r.Results[i].Published {
			rows = append(rows, i)
		}
	}
	for _, name := range names {
		found, err := r.find("", name)
		if err != nil {
			return nil, err
		}
		for _, k := range found {
			if r.Results[k].System == stages.HumanReferences {
				return nil, userr.New(userr.BadInput, "the %s are part of the data and no system's outputs: leave them out",
					stages.HumanReferences)
			}
			rows = lists.AddOnce(rows, k)
		}
	}
	if len(rows) == 0 {
		e := r.plan.Experiment
		return nil, userr.New(userr.BadInput, "no system of %s has finished outputs: run `%s` first", e.File,
			e.CommandHere())
	}
	slices.Sort(rows)
	return rows, nil
}

// fileNames name rows in file names: the system, and of ours its settings and seed, so that no name
// is that of a row of our own where it is read back.
func (r *Results) fileNames(rows []int) (names []string) {
	taken := map[string]bool{}
	for _, k := range rows {
		row := &r.Results[k]
		parts := []string{row.System}
		for _, a := range row.Axes {
			if a.NamesSystem() {
				parts = append(parts, a.Value)
			} else {
				parts = append(parts, a.Key+"="+a.Value)
			}
		}
		if !row.Published {
			parts = append(parts, fmt.Sprintf("seed=%d", row.Seed))
		}
		name := strings.Map(func(c rune) rune {
			if strings.ContainsRune(`/\:*?"<>|`, c) || c <= ' ' {
				return '_'
			}
			return c
		}, strings.Join(parts, "-"))
		if strings.HasPrefix(name, ".") { // hidden files are not read
			name = "_" + name
		}
		unique := func(name string) bool { return !taken[row.Dataset+"/"+strings.ToLower(name)] }
		for n, first := 2, name; !unique(name); n++ {
			name = first + "-" + strconv.Itoa(n)
		}
		taken[row.Dataset+"/"+strings.ToLower(name)] = true
		names = append(names, name)
	}
	return names
}

// findFiles finds the outputs of a row.
func (r *Results) findFiles(w *writtenOutputs) error {
	row, score := &r.Results[w.row], r.scores[w.row]
	data := r.plan.Data[row.Dataset]
	styles := data.Labels
	w.files = map[string]string{}
	for i, d := range data.All() {
		path, has := score.Sources[strconv.Itoa(i)]
		if !row.Published {
			var err error
			path, err = r.ws.File(score.Inputs["transfer"], stages.OutputName(styles, d))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			has = err == nil
		}
		if has {
			w.files[w.file(styles, d)] = path
		}
	}
	if len(w.files) == 0 {
		return userr.New(userr.BadInput, "the outputs of %s are not in the workspace %q any more: run `%s` first",
			r.title([]int{w.row}), r.ws.Dir, r.plan.Experiment.CommandHere())
	}
	return nil
}

// copyFiles copies files into a folder, by their new names.
func copyFiles(dir string, from map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, path := range from {
		text, err := files.Read(path)
		if err != nil {
			return err
		}
		if err := files.WriteBytes(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

// writeSources copies the test sentences of the data sets.
func (r *Results) writeSources(dir string, all []writtenOutputs) error {
	for _, set := range r.datasetsOf(all) {
		i := slices.IndexFunc(r.plan.Points, func(p *plan.PointStages) bool {
			return p.Point.Dataset == set && r.ws.Done(p.TestSet)
		})
		if i < 0 {
			return userr.New(userr.BadInput, "the test sentences of %s are not in the workspace %q: run `%s` first", set,
				r.ws.Dir, r.plan.Experiment.CommandHere())
		}
		from := map[string]string{}
		for style := range r.plan.Data[set].Labels {
			name := corpus.FileName(corpus.Test, style)
			path, err := r.ws.File(r.plan.Points[i].TestSet, name)
			if err != nil {
				return err
			}
			from[name] = path
		}
		if err := r.addNoStyle(from, set); err != nil {
			return err
		}
		if err := copyFiles(filepath.Join(dir, sourcesFolder, set), from); err != nil {
			return err
		}
	}
	return nil
}

// addNoStyle adds the test sentences of no style of a data set, from name to path, where it has
// some.
func (r *Results) addNoStyle(from map[string]string, set string) error {
	if !r.plan.Data[set].HasNoStyle() {
		return nil
	}
	for _, p := range r.plan.Points {
		holds := p.PlannedInstruments()["no-style"]
		if p.Point.Dataset != set || holds == nil || !r.ws.Done(holds) {
			continue
		}
		name := corpus.FileName(corpus.Test, corpus.NoStyle)
		path, err := r.ws.File(holds, name)
		from[name] = path
		return err
	}
	return nil
}

// datasetsOf are the data sets of some rows, in the order of the experiment.
func (r *Results) datasetsOf(all []writtenOutputs) []string {
	names := lists.Map(r.plan.Experiment.Datasets, func(set *experiment.Dataset) string { return set.Name })
	return lists.Where(names, func(name string) bool {
		return slices.ContainsFunc(all, func(w writtenOutputs) bool { return r.Results[w.row].Dataset == name })
	})
}

// scoredOutputs is an entry of scores.json.
type scoredOutputs struct {
	Dataset  string            `json:"dataset"`
	Files    string            `json:"files"` // name of the files
	System   string            `json:"system"`
	Settings map[string]string `json:"settings,omitempty"`
	Seed     *uint64           `json:"seed,omitempty"`
	Scores   *metrics.Scores   `json:"scores"`
}

// writeAbout writes what stands beside the outputs.
func (r *Results) writeAbout(dir string, all []writtenOutputs, sources bool) error {
	var rows []report.ResultRow
	var scored []scoredOutputs
	for _, w := range all {
		row := r.Results[w.row]
		rows = append(rows, row)
		s := scoredOutputs{Dataset: row.Dataset, Files: w.name, System: row.System, Scores: row.Metrics}
		if !row.Published {
			s.Seed, s.Settings = &row.Seed, map[string]string{}
			for _, a := range row.Axes {
				s.Settings[a.Key] = a.Value
			}
		}
		scored = append(scored, s)
	}
	var csv, readme bytes.Buffer
	if err := report.Results(rows, r.aboutOf("results")).Write(&csv, "csv"); err != nil {
		return err
	}
	text, err := json.MarshalIndent(scored, "", "  ")
	if err != nil {
		return err
	}
	if err := r.writeReadme(&readme, all, rows, sources); err != nil {
		return err
	}
	var signed strings.Builder
	merged := signatures(rows, r.datasetsOf(all))
	for _, metric := range slices.Sorted(maps.Keys(merged)) {
		fmt.Fprintf(&signed, "%s: %s\n", metric, merged[metric])
	}
	for name, text := range map[string][]byte{
		settingsName: []byte(r.plan.Experiment.Text()), scoresCSV: csv.Bytes(),
		scoresJSON: append(text, '\n'), signedName: []byte(signed.String()), outputsReadme: readme.Bytes(),
	} {
		if err := files.WriteBytes(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

// writeReadme writes the README.md of published outputs.
func (r *Results) writeReadme(b *bytes.Buffer, all []writtenOutputs, rows []report.ResultRow, sources bool) error {
	e, sets := r.plan.Experiment, r.datasetsOf(all)
	first, in := all[0], r.plan.Data[r.Results[all[0].row].Dataset]
	d := in.Directions[slices.IndexFunc(in.Directions, func(d corpus.Direction) bool {
		return first.files[first.file(in.Labels, d)] != ""
	})]
	fmt.Fprintf(b, "# Outputs of %s\n\nThis folder has what %s wrote for the test sentences of %s, with scores. Line i of a "+
		"file of\noutputs belongs to test sentence i.\n\n", e.Name, wording.Count(len(all), "system"),
		strings.Join(sets, ", "))
	content := []string{
		fmt.Sprintf("%s/DATASET/SYSTEM.%s.txt: the outputs of a system from %s. The number is that of the direction.",
			outputsFolder, in.Labels.Mark(d), in.Labels.Name(d)),
		settingsName + ": every setting of the experiment, for smlm-exp run. Paths in it are those of its author.",
		scoresCSV + ", " + scoresJSON + ": the scores of every system, in JSON with each direction and with intervals.",
		signedName + ": how each metric was computed.",
	}
	if sources {
		content = append(content, sourcesFolder+"/DATASET: the test sentences.")
	}
	if err := table.MarkdownList(b, content); err != nil {
		return err
	}
	t := &table.Table{
		Name: "systems", Title: "Systems",
		Columns: []table.Column{{Head: "Data set"}, {Head: "Files"}, {Head: "System"}, {Head: "Settings"}},
	}
	for i, w := range all {
		settings := "published by others"
		if !rows[i].Published {
			settings = rowSettings(&rows[i])
		}
		t.Rows = append(t.Rows, table.Row{Cells: []table.Cell{
			{Text: rows[i].Dataset}, {Text: w.name}, {Text: rows[i].System}, {Text: settings},
		}})
	}
	b.WriteString("\n")
	if err := t.Write(b, "markdown"); err != nil {
		return err
	}
	scores := report.Main(rows, false, r.aboutOf("main"))
	scores.Title = "Scores"
	b.WriteString("\n")
	if err := scores.Write(b, "markdown"); err != nil {
		return err
	}
	for _, set := range sets {
		b.WriteString("\n")
		if err := WriteData(b, r.plan, set); err != nil {
			return err
		}
	}
	data := "The test sentences are not in this folder: get the data set from its source."
	if sources {
		data = "The test sentences are in this folder."
	}
	if err := table.MarkdownList(b, []string{data + " An output repeats most words of its sentence: keep to the licence " +
		"of the data when you publish the outputs."}); err != nil {
		return err
	}
	b.WriteString("\n## Limits of the scores\n\n")
	if err := table.MarkdownList(b, limits); err != nil {
		return err
	}
	fmt.Fprintf(b, `
## Use

An experiment of smlm-exp scores these outputs beside its own, if it has the same test sentences:

    [datasets.%[1]s]
    outputs = "FOLDER/%[2]s/%[1]s"

One system alone needs no experiment:

    smlm-exp score --direction %[3]s --source %[4]s --output %[2]s/%[1]s/%[5]s

The outputs were made by

    %[6]s
`, in.Name, outputsFolder, wording.ShellWord(in.Labels.Label(d.From)+" -> "+in.Labels[d.To]), corpus.FileName(corpus.Test, d.From),
		first.file(in.Labels, d), e.CommandForOthers())
	return nil
}

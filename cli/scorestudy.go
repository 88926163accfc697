package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// givenSystem is the name of the outputs that `score --experiment` measures.
const givenSystem = "given outputs"

// scoreInStudy measures the given outputs as an experiment measures its own: with its test
// sentences, references and judges. For this purpose, it adds the outputs to the data set as
// another system. It leaves out the experiment's models and shows only the stages that measured the
// outputs, so that no note below the table describes other stages.
func scoreInStudy(ctx context.Context, e *env, o *scoreOptions) error {
	for _, f := range []struct {
		flag  string
		given bool
	}{
		{"source", o.sources != nil},
		{"reference", o.references != nil},
		{"direction", o.directions != nil},
		{"naturalness", o.naturalness != ""},
		{"vectors", o.vectors != ""},
		{"wordnet", o.wordnet != ""},
	} {
		if f.given {
			return userr.New(userr.BadInput, "--experiment and --%s cannot be combined, because the experiment decides that: "+
				"leave one of them out", f.flag)
		}
	}
	if o.against != nil {
		return userr.New(userr.BadInput, "--experiment and --against cannot be combined: leave --against out, or name "+
			"both systems' outputs in the experiment file and run `smlm-exp compare`")
	}
	study, err := openExperiment(o.experiment, o.file)
	if err != nil {
		return err
	}
	name, err := study.OneDataset()
	if err != nil {
		return err
	}
	set := study.Plan.Sets[name]
	folder, err := o.asSystem(e, set.Labels, set.Directions)
	defer os.RemoveAll(folder) // removes nothing if folder is ""
	if err != nil {
		return err
	}
	folders := lists.Map(append(study.Experiment.Datasets[0].Outputs, folder), strconv.Quote)
	run := study.Experiment.Command()
	study, err = openExperiment(o.experiment, o.file, fmt.Sprintf("datasets.%s.outputs=[%s]", name, strings.Join(folders, ", ")),
		`report.tables=["results", "content"]`, "smlm.models=[]")
	if err != nil {
		return userr.New(userr.CodeOf(err), "%s", o.named(err.Error(), folder, set))
	}
	var said bytes.Buffer
	only := stagesOfGiven(study.Plan)
	err = scoreSystem(ctx, study, run, runs.Options{Only: only, Quiet: true, Out: &said, Backend: e.backend})
	fmt.Fprint(e.stderr, o.named(said.String(), folder, set))
	if err != nil {
		return err
	}
	study.Plan.Stages = study.Plan.Select(only)
	found, err := study.Results()
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "smlm-exp: to keep this row in all tables, name the folder of the outputs in the experiment "+
		"file: outputs under [datasets.%s]\n", name)
	if o.json {
		return writeJSON(e.data(), scored{Scores: found.Systems[0].Scores})
	}
	tables := found.Tables()
	for _, t := range tables { // there is one system with one setting
		t.Title = strings.Replace(t.Title, ": all systems and settings", "", 1)
	}
	return table.WriteAll(e.data(), o.format, tables)
}

// asSystem copied the user's files of outputs into folder. In text, such as an error message, the
// method named replaces the paths of the copies by the user's paths.
func (o *scoreOptions) named(text, folder string, set *data.Set) string {
	for k, direction := range set.Directions {
		text = strings.ReplaceAll(text, filepath.Join(folder, fileOfGiven(set.Labels, direction)), o.outputs[k])
	}
	return text
}

// fileOfGiven returns the name of the file with the outputs of a direction.
func fileOfGiven(styles corpus.Styles, of corpus.Direction) string {
	return givenSystem + "." + styles.Mark(of) + ".txt"
}

// asSystem copies the given outputs into a new folder, with the file names that the folder of a
// published system has.
func (o *scoreOptions) asSystem(e *env, styles corpus.Styles, directions []corpus.Direction) (dir string, err error) {
	if len(o.outputs) != len(directions) {
		return "", userr.New(userr.BadInput, "--output must be given once for each direction of the data set (%s), but is "+
			"given %s", strings.Join(lists.Map(directions, styles.Name), ", then "), wording.Count(len(o.outputs), "time"))
	}
	text := map[string]string{} // by file name
	for k, direction := range directions {
		lines, err := e.readOutputs(o.outputs[k])
		if err != nil {
			return "", err
		}
		name := fileOfGiven(styles, direction)
		for _, words := range lines {
			text[name] += strings.Join(words, " ") + "\n"
		}
	}
	if dir, err = os.MkdirTemp("", "smlm-exp-score-"); err != nil {
		return "", err
	}
	for name, lines := range text {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(lines), 0o600))
	}
	return dir, err
}

// isOfGiven reports whether a stage measures the given outputs.
func isOfGiven(s *plan.Stage) bool { return s.Points[0].SystemName() == givenSystem }

// stagesOfGiven returns patterns for the stages that measure the given outputs.
func stagesOfGiven(p *plan.Plan) []string {
	pattern := func(s *plan.Stage) string { return string(s.Name) + "/" + s.ID }
	return lists.Map(lists.Filter(p.Stages, isOfGiven), pattern)
}

// scoreSystem runs the stages that measure the given outputs. It trains nothing: if a trained judge
// is missing, the error names the command that trains it.
func scoreSystem(ctx context.Context, study *runs.Study, command string, options runs.Options) error {
	todo, err := runs.Todo(study.Plan, study.Workspace, options)
	if err != nil {
		return err
	}
	if missing := slices.IndexFunc(todo, func(s *plan.Stage) bool { return !isOfGiven(s) }); missing >= 0 {
		return userr.New(userr.BadInput, "the experiment has not finished the stage %s, which the scores need: run `%s` first",
			todo[missing].Short(), command)
	}
	return study.Run(ctx, options)
}

package results

import (
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// WriteOutputs fills dir, a new or empty folder, with the outputs of all trained systems, the
// settings, the scores as CSV and Markdown, and sentences.csv. The key "outputs" of a data set may
// later name the folder dir/outputs/DATASET. WriteOutputs returns the number of systems. After an
// error, dir is unchanged.
func (r *Results) WriteOutputs(dir string) (systems int, err error) {
	ours := lists.Filter(r.Systems, func(s *System) bool { return s.Kind == report.Ours })
	err = files.WriteFolder(dir, func(apart string) error {
		for _, system := range ours {
			if err := r.writeOutputs(apart, system); err != nil {
				return err
			}
		}
		if len(ours) == 0 {
			e := r.plan.Experiment
			return userr.New(userr.BadInput, "no system of %s has finished outputs: run `%s` first", e.File, e.Command())
		}
		if err := files.WriteBytes(filepath.Join(apart, "settings.toml"), []byte(r.plan.Experiment.Text())); err != nil {
			return err
		}
		if err := r.writePairs(filepath.Join(apart, "sentences.csv")); err != nil {
			return err
		}
		about := r.aboutOf("results")
		about.Legend = r.chosenLegend()
		scores := report.Build("results", records(ours), about)
		return errors.Join(
			files.Write(filepath.Join(apart, "scores.csv"), func(w io.Writer) error { return scores.Write(w, "csv") }),
			files.Write(filepath.Join(apart, "scores.md"), func(w io.Writer) error { return scores.Write(w, "markdown") }),
		)
	})
	return len(ours), err
}

// writeOutputs copies the outputs of a system.
func (r *Results) writeOutputs(dir string, of *System) error {
	data := r.plan.Sets[of.Dataset()]
	to := filepath.Join(dir, "outputs", of.Dataset())
	found := false
	for _, d := range data.Labels.Directions() {
		from, err := r.ws.File(of.score.Inputs["transfer"], stages.OutputName(data.Labels, d))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		text, err := files.Read(from)
		if err != nil {
			return err
		}
		found = true
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		name := fileName(of.Record) + "." + data.Labels.Mark(d) + ".txt"
		if err := files.WriteBytes(filepath.Join(to, name), text); err != nil {
			return err
		}
	}
	if !found {
		return userr.New(userr.BadInput, "the outputs of %s are not in the workspace %q any more: run `%s` first",
			r.title([]*System{of}), r.ws.Dir, r.plan.Experiment.Command())
	}
	return nil
}

// writePairs writes the pairs of source and output of all systems, each pair only once. Another
// program can add its scores to the file. The key report.scores can then name the file.
func (r *Results) writePairs(path string) error {
	pairs, seen := [][]string{{"source", "output"}}, map[[2]string]bool{}
	for _, system := range r.Systems {
		dirs, err := r.textOf(system)
		if err != nil {
			return err
		}
		for _, d := range dirs {
			for k, output := range d.Output {
				pair := [2]string{strings.Join(d.Source[k], " "), strings.Join(output, " ")}
				if !seen[pair] {
					seen[pair] = true
					pairs = append(pairs, pair[:])
				}
			}
		}
	}
	return files.Write(path, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(pairs) })
}

// fileName names a record by system, settings and seed. Characters that a file name cannot have are
// escaped as in URLs.
func fileName(r *report.Record) string {
	parts := []string{r.System()}
	for _, a := range r.Settings() {
		if a.NamesSystem() {
			parts = append(parts, a.Value)
		} else {
			parts = append(parts, a.Key+"="+a.Value)
		}
	}
	return url.PathEscape(strings.Join(parts, "-"))
}

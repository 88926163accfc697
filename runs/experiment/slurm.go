package experiment

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// SlurmSettings sets what `run --executor slurm` asks Slurm for (slurm.md). It changes no result.
type SlurmSettings struct {
	// Partition is the partition. Default: the cluster's.
	Partition string `json:"partition"`
	// Account is the account to charge.
	Account string `json:"account"`
	// QOS is the quality of service.
	QOS string `json:"qos"`
	// Time is the time limit of a task, as Slurm writes it: "30" (minutes), "8:00:00", "1-12".
	Time string `json:"time"`
	// Memory is the memory of a task, such as "16G".
	Memory string `json:"memory"`
	// CPUs is the number of cores of a task. 0: its number of threads, or 1 if that is 0 too.
	CPUs int `json:"cpus" must:"from 0 to 4096"`
	// GRES is generic resources, such as "gpu:1".
	GRES string `json:"gres"`
	// Parallel is the number of an array's tasks that run at once. 0: as many as fit.
	Parallel int `json:"parallel" must:"from 0 to 1048576"`
	// Grace is the number of seconds before the time limit at which a task gets SIGTERM.
	Grace int `json:"grace" default:"120" must:"from 1 to 65535"`
	// Options are further options of sbatch, such as ["--constraint=a100"].
	Options []string `json:"options"`
	// Setup are lines of bash that run before the program, such as ["module load cuda"].
	Setup []string `json:"setup"`
}

// Trainings are the stages that lead a Slurm task.
var Trainings = []string{"classifier", "whole", "unseen-cnn", "guide", "divlstm", "smlm", "smlm-g", "smlm-ft", "lm"}

// Slurm is the table [slurm] with those of single stages.
type Slurm struct {
	all     SlurmSettings
	ofStage map[string]SlurmSettings
}

// Of returns what a task asks for that begins with a stage of the name.
func (s *Slurm) Of(stage string) SlurmSettings {
	if of, ok := s.ofStage[stage]; ok {
		return of
	}
	return s.all
}

// slurm reads [slurm] and [slurm.STAGE], which has the values of [slurm] where it sets none.
func (l *loader) slurm() {
	s := &l.exp.Slurm
	setDefaults("slurm", &s.all)
	s.ofStage = map[string]SlurmSettings{}
	keys := l.slurmTable("slurm", l.raw["slurm"], Trainings, &s.all)
	for _, stage := range Trainings {
		if table, ok := keys[stage]; ok {
			of := s.all
			l.slurmTable("slurm."+stage, table, nil, &of)
			s.ofStage[stage] = of
		}
	}
}

// slurmTable reads one table into s, whose values stay where it sets none, and returns the table.
func (l *loader) slurmTable(path string, table any, inner []string, s *SlurmSettings) map[string]any {
	if table == nil {
		return nil
	}
	keys, ok := l.tree(path, table)
	if !ok {
		return nil
	}
	l.table(path, keys, s, inner...)
	of := reflect.ValueOf(s).Elem()
	for _, f := range reflect.VisibleFields(of.Type()) {
		at := path + "." + keyOf(f)
		if _, set := keys[keyOf(f)]; !set || l.unread[at] {
			continue
		}
		if wrong := slurmWrong(keyOf(f), of.FieldByIndex(f.Index)); wrong != "" {
			l.bad(at, "%s %s", at, wrong)
		}
	}
	return keys
}

var (
	slurmTime   = regexp.MustCompile(`^(\d+|\d+(:\d\d){1,2}|\d+-\d+(:\d\d){0,2})$`)
	slurmMemory = regexp.MustCompile(`^[1-9]\d*[KMGT]?$`)
	// slurmOwn are the options of sbatch that the program sets.
	slurmOwn = regexp.MustCompile(`^(-[adeoJDiWH]|--(array|dependency|output|error|job-name|chdir|input|wait|hold|wrap|parsable|` +
		`signal|no-requeue|requeue|open-mode|test-only)\b)`)
)

// slurmWrong says what is wrong with a value, or "".
func slurmWrong(key string, value reflect.Value) string {
	switch text := value.String(); {
	case key == "time" && text != "" && !slurmTime.MatchString(text):
		return "is the string " + strconv.Quote(text) + `, but must be minutes ("90"), hours ("8:00:00") or days ("1-12")`
	case key == "memory" && text != "" && !slurmMemory.MatchString(text):
		return "is the string " + strconv.Quote(text) + `, but must be a number with K, M, G or T, such as "16G"`
	case key == "options":
		for _, option := range value.Interface().([]string) {
			switch {
			case !strings.HasPrefix(option, "-"):
				return fmt.Sprintf("contains %q, but an option of sbatch starts with a dash, and its value "+
					"follows after =", option)
			case slurmOwn.MatchString(option):
				return fmt.Sprintf("contains %q, which smlm-exp sets itself: leave it out", option)
			}
		}
	}
	return ""
}

package experiment

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// SlurmSettings say what `run --executor slurm` asks Slurm for. They change no result and no
// identity.
type SlurmSettings struct {
	Partition string `json:"partition"` // "" = the cluster's default
	Account   string `json:"account"`   // that pays
	QOS       string `json:"qos"`       // quality of service
	// Time is the longest that a task may take, as Slurm writes it: "30" minutes, "8:00:00",
	// "1-12"; what takes longer goes on from its checkpoint
	Time   string `json:"time"`
	Memory string `json:"memory"` // of a task: "16G"
	// CPUs is cores of a task, 0 = as many as it has threads, or 1 where those are 0 too
	CPUs     int    `json:"cpus"`
	GRES     string `json:"gres"`     // generic resources: "gpu:1"
	Parallel int    `json:"parallel"` // tasks of an array at once, 0 = as many as fit
	// Grace is seconds from SIGTERM, at which a task writes its checkpoint, to the end of its time;
	// 120
	Grace   int      `json:"grace"`
	Options []string `json:"options"` // more options of sbatch: ["--constraint=a100"]
	Setup   []string `json:"setup"`   // lines of bash before the program starts: ["module load cuda"]
}

// Slurm is the table [slurm] with those of kinds of stages.
type Slurm struct {
	all  SlurmSettings
	kind map[string]SlurmSettings
}

// Of returns what a task asks for that begins with a stage of the kind.
func (s *Slurm) Of(kind string) SlurmSettings {
	if of, ok := s.kind[kind]; ok {
		return of
	}
	return s.all
}

// slurm reads [slurm] and [slurm.KIND], which has the values of [slurm] where it sets none.
func (l *loader) slurm() {
	s := &l.exp.Slurm
	s.all, s.kind = SlurmSettings{Grace: 120}, map[string]SlurmSettings{}
	keys := l.slurmTable("slurm", l.raw["slurm"], Trainings, &s.all)
	for _, kind := range Trainings {
		if table, ok := keys[kind]; ok {
			of := s.all
			l.slurmTable("slurm."+kind, table, nil, &of)
			s.kind[kind] = of
		}
	}
}

// slurmTable reads one table into s, whose values stay where it sets none, and returns the table.
func (l *loader) slurmTable(path string, table any, inner []string, s *SlurmSettings) map[string]any {
	if table == nil {
		return nil
	}
	keys, ok := table.(map[string]any)
	if !ok {
		l.bad(path, "%s is %s, but must be a table: [%s]", path, describe(table), path)
		return nil
	}
	known := slices.Clone(inner)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[SlurmSettings]()) {
		key := keyOf(f)
		known = append(known, key)
		v, ok := keys[key]
		if !ok {
			continue
		}
		value, wrong := convert(v, f.Type)
		if wrong == "" {
			wrong = slurmWrong(key, value)
		}
		if wrong != "" {
			l.bad(path+"."+key, "%s.%s %s", path, key, wrong)
			continue
		}
		reflect.ValueOf(s).Elem().FieldByIndex(f.Index).Set(value)
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if !slices.Contains(known, key) {
			l.bad(path+"."+key, "unknown key %q in [%s]: %s", key, path,
				wording.Suggest(key, known, "known keys are "+strings.Join(known, ", ")))
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
	must := func(ok bool, what string) string {
		if ok {
			return ""
		}
		return "is " + describe(value.Interface()) + ", but must be " + what
	}
	switch key {
	case "time":
		return must(value.IsZero() || slurmTime.MatchString(value.String()),
			`minutes ("90"), hours ("8:00:00") or days ("1-12")`)
	case "memory":
		return must(value.IsZero() || slurmMemory.MatchString(value.String()),
			`a number with K, M, G or T, such as "16G"`)
	case "grace", "cpus", "parallel":
		most, least := map[string]int64{"grace": 65535, "cpus": 4096, "parallel": 1 << 20}[key], int64(0)
		if key == "grace" {
			least = 1
		}
		n := value.Int()
		if n < least || n > most {
			return fmt.Sprintf("is %d, but must be from %d to %d", n, least, most)
		}
	case "options":
		for _, option := range value.Interface().([]string) {
			switch {
			case !strings.HasPrefix(option, "-"):
				return fmt.Sprintf("has %q, but an option of sbatch starts with a dash, and its value follows after =", option)
			case slurmOwn.MatchString(option):
				return fmt.Sprintf("has %q, which smlm-exp sets itself: leave it out", option)
			}
		}
	}
	return ""
}

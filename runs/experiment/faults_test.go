package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// faulty lists malformed experiment files. In the field "text", a plus sign stands for the two
// lines of a data set. The field "set" has the overrides, separated by spaces.
var faulty = []struct{ name, text, set string }{
	{"empty file", "", ""},
	{"only blanks and comments", "\n\n# nothing\n", ""},
	{"no TOML", "this is no TOML\n", ""},
	{"table not closed", "+[smlm\n", ""},
	{"string not closed", "+[smlm]\nloss = \"all\nepochs = 0\n", ""},
	{"list not closed", "seeds = [1, 2\n+", ""},
	{"value missing", "name =\n+", ""},
	{"key twice", "name = \"a\"\nname = \"b\"\n+", ""},
	{"table twice", "+[smlm]\nepochs = 1\n[vocab]\n[smlm]\n", ""},
	{"not UTF-8", "+[report]\nagainst = \"caf\xe9\"\n", ""},
	{"NUL in a string", "+[report]\nagainst = \"a\x00b\"\n", ""},
	{"ESC in a key", "+[smlm]\n\x1bepochs = 1\n", ""},
	{"UTF-16", "\xff\xfen\x00a\x00m\x00e\x00", ""},
	{"CRLF and a fault", "+[smlm]\r\nepochs = 0\r\n", ""},
	{"byte order mark and a fault", "\xef\xbb\xbfnmae = \"x\"\n+", ""},
	{"huge line", "+[report]\nagainst = 1 # " + strings.Repeat("x", 300_000) + "\n", ""},
	{"unknown top key", "sedes = [1]\n+", ""},
	{"unknown table", "+[maskin]\nlambda_eps = 0.1\n", ""},
	{"unknown key", "+[masking]\nlamda_eps = 0.1\n", ""},
	{"key of another table", "+[vocab]\nlambda_con = 1.0\n", ""},
	{"key like nothing", "+[vocab]\nxylophone = 1\n", ""},
	{"key that went", "+[decoder]\ndropout = 0.1\n", ""},
	{
		"wrong types, all told",
		"seeds = 3\nthreads = \"two\"\n+[smlm]\nepochs = \"many\"\nlr = [0.1, \"a\", true]\nmodels = \"smlm\"\nlayers = 1.5\n", "",
	},
	{"tables that are none", "smlm = 3\nvariants = []\ndatasets = \"demo\"\n", ""},
	{"list of tables", "+[[smlm]]\nepochs = 1\n", ""},
	{"date for a number", "+[smlm]\nlr = 2026-01-01\n", ""},
	{
		"numbers out of range, all told",
		"checkpoint_seconds = 0\n+[smlm]\nepochs = 0\nlr = -1.0\ndropout = 1.0\n[divlstm]\nhidden = 1_000_000\n[vocab]\nsize = 1_000_000_000\n", "",
	},
	{"lambda_eps = 1e308", "+[masking]\nlambda_eps = 1e308\n", ""},
	{"weight of 1e308", "+[divlstm]\nlambda_con = 1e308\n[finetune]\nlambda_rec = [1, 1e300]\n", ""},
	{"infinite and no number", "+[masking]\nlambda_eps = [0.1, inf]\n[smlm]\nlr = nan\n", ""},
	{"number beyond 64 bits", "seeds = [99999999999999999999]\n+", ""},
	{"number beyond doubles", "seeds = [9007199254740993]\n+[vocab]\nsize = 9007199254740993\n", ""},
	{"negative values of a sweep", "+[masking]\nlambda_eps = [-0.1, 0.1, -0.2]\n", ""},
	{
		"duplicates, all told",
		"seeds = [1, 2, 1]\n+labels = [\"a\", \"a\"]\n[masking]\nmethods = [\"random\", \"random\"]\nlambda_eps = [0.3, 3e-1, 0.5, 0.5]\n", "",
	},
	{"names nearly right", "profile = \"autors\"\n+[smlm]\nmodels = [\"SMLM\", \"smlm-gt\"]\n[report]\ntables = [\"result\"]\n", ""},
	{"empty lists", "seeds = []\n+[divlstm]\nlambda_con = []\n[masking]\nmethods = []\n[report]\ntables = []\n", ""},
	{"dir and builtin", "+dir = \"x\"\n", ""},
	{"dim and heads", "+[smlm]\ndim = [64, 100]\nheads = [7, 8]\n", ""},
	{"masked loss, predicted outputs", "+[smlm]\nloss = \"masked\"\ndecoding = [\"predicted\"]\n", ""},
	{"trained on what is not made", "+[masking]\nmethods = [\"random\"]\ntrain_on = [\"gradients\", \"none\"]\n", ""},
	{
		"what merely follows is not told",
		"profile = \"author\"\n+[smlm]\nsource_tokn = true\ndim = \"wide\"\nheads = 7\n", "",
	},
	{"no data set, and wrong settings", "name = \"a/b\"\n[smlm]\nepochs = 0\nheads = 7\n", ""},
	{"data set without data, and wrong settings", "[datasets.d]\nmax_train = -1\n[datasets.d.smlm]\nepochs = 0\n", ""},
	{
		"names of data sets and variants, and what is in them",
		"[datasets.\"a b\"]\nbuiltin = \"demmo\"\n[variants.\"c d\".smlm]\nepochs = 0\n", "",
	},
	{"report of a data set and of a variant", "+[datasets.d.report]\npage = false\n[variants.v.report]\npage = true\n", ""},
	{"swept report", "+[report]\nexamples = [1, 2]\n[lm]\nhidden = [1, 2]\n", ""},
	{"too many points", "+[smlm]\nff = [" + many(200) + "]\nlayers = [" + many(60) + "]\n", ""},
	{"too many seeds", "seeds = [" + many(2000) + "]\n+[masking]\nlambda_eps = [" + many(6) + "]\n", ""},
	{"device, threads, workspace", "devices = \"gpu\"\nthreads = 5000\nworkspace = \"\"\n+", ""},
	{"Slurm that is no table", "slurm = true\n+", ""},
	{
		"Slurm, all told",
		"+[slurm]\ntime = \"8:00:00\"\noptions = \"--nice=3\"\nsetup = [1]\nsetups = []\n[slurm.smlm]\noptions = [\"--array=1-3\"]\n",
		"slurm.parallel=-2",
	},
	{"track, all told", "+[track]\ntensorboard = \"runs\"\nwandb = true\n", ""},
	{"track that is no table", "track = true\n+", ""},
	{
		"keys that guided outputs do not have",
		"+[guided]\nprice = 2\nlengths = [\"rude -> polite: -3\"]\n[variants.v.guided]\nrated = true\n[variants.v.smlm]\nslots = 1\n", "",
	},
	{"guided outputs, numbers out of range", "+[guided]\nstyle = -1\nfluency = -4.5\n", ""},
	{"guided outputs of smlm-g alone", "+[smlm]\nmodels = [\"smlm\", \"smlm-g\"]\ndecoding = [\"guided\"]\n", ""},
	{"overrides, all told", "+", "smlm.epochs=0 vocab.siz=3 x = smlm={} datasets.e.dir=x masking.methods=[1"},
}

// The function many returns the numbers from 1 to n, separated by commas.
func many(n int) string {
	var s []string
	for i := range n {
		s = append(s, fmt.Sprint(i+1))
	}
	return strings.Join(s, ", ")
}

// place matches the beginning of every message, which names a line of the file, the file, or the
// override.
var place = regexp.MustCompile(`^(e\.toml(:[0-9]+)?|--set [^:]+): .{10}`)

// TestFaultyExperiments compares the messages for malformed files with testdata/faults.txt.
func TestFaultyExperiments(t *testing.T) {
	path, err := filepath.Abs(filepath.Join("testdata", "faults.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(faulty) < 48 {
		t.Errorf("only %d cases", len(faulty))
	}
	t.Chdir(t.TempDir())
	var golden strings.Builder
	for _, c := range faulty {
		testkit.WriteFile(t, "e.toml", strings.Replace(c.text, "+", "[datasets.d]\nbuiltin = \"demo\"\n", 1))
		_, err := Load("e.toml", strings.Fields(c.set))
		testkit.WantError(t, err, userr.BadInput)
		fmt.Fprintf(&golden, "# %s\n%v\n\n", c.name, err)
		for line := range strings.Lines(err.Error()) {
			if !place.MatchString(line) || len(line) > 600 || strings.ContainsAny(line, "\x00\x1b") {
				t.Errorf("%s: no place, too long or no text: %q", c.name, line)
			}
		}
	}
	testkit.Golden(t, path, golden.String())
}

// TestFaultyPaths: for a path that cannot be read as a file, the message says why.
func TestFaultyPaths(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink("loop.toml", "loop.toml"); err != nil {
		t.Skip("no symbolic link can be made here: ", err)
	}
	for path, want := range map[string]string{
		"none.toml": `there is no experiment file "none.toml": give the path of one, such as experiments.toml`,
		".":         `the experiment file "." cannot be read (is a directory): give the path of a TOML file`,
		"loop.toml": `the experiment file "loop.toml" cannot be read (too many levels of symbolic links): give the path of a TOML file`,
		"/dev/zero": `the experiment file "/dev/zero" cannot be read (it is not a regular file): give the path of a TOML file`,
	} {
		_, err := Load(path, nil)
		testkit.WantError(t, err, userr.BadInput)
		if err.Error() != want {
			t.Errorf("%s, want %s", err, want)
		}
	}
}

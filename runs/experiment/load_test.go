package experiment

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// TestBadExperiments checks files that have exactly one problem each. The message must start with
// the text in "want": the place, the key and what is wrong.
func TestBadExperiments(t *testing.T) {
	head := "name = \"x\"\n[datasets.d]\nbuiltin = \"demo\"\n" // lines 1-3
	for _, c := range []struct{ name, text, want string }{
		{"unknown top key", "workspce = \"a\"\n" + head, `e.toml:1: unknown key "workspce": did you mean "workspace"?`},
		{
			"unknown table", head + "[maskin]\nlambda_eps = 0.1\n",
			`e.toml:4: unknown key "maskin": did you mean "masking"?`,
		},
		{
			"unknown key", head + "[masking]\n\nlamda_eps = 0.1\n",
			`e.toml:6: unknown key "lamda_eps" in [masking]: did you mean "lambda_eps"?`,
		},
		{
			"key of another table", head + "[vocab]\nlambda_con = 1\n",
			`e.toml:5: unknown key "lambda_con" in [vocab]: leave it out, or move it to [divlstm], where this name is known`,
		},
		{
			"key like nothing", head + "[vocab]\nxxxxxxxxxxxxx = 1\n",
			`e.toml:5: unknown key "xxxxxxxxxxxxx" in [vocab]: leave it out, or use one of size`,
		},
		{
			"unknown data set key", head + "lable = [\"a\", \"b\"]\n",
			`e.toml:4: unknown key "lable" in [datasets.d]: did you mean "labels"?`,
		},
		{"embedded struct is no key", head + "[smlm]\nTraining = 1\n", `e.toml:5: unknown key "Training" in [smlm]`},
		{
			"string for a number", head + "[smlm]\nepochs = \"many\"\n",
			`e.toml:5: smlm.epochs is the string "many", but must be a whole number`,
		},
		{
			"float for a whole number", head + "[smlm]\nepochs = 2.5\n",
			`e.toml:5: smlm.epochs is the number 2.5, but must be a whole number`,
		},
		{
			"number for a string", head + "[smlm]\nloss = 1\n",
			`e.toml:5: smlm.loss is the whole number 1, but must be a string`,
		},
		{
			"number for a bool", head + "[smlm]\nsource_token = 1\n",
			`e.toml:5: smlm.source_token is the whole number 1, but must be true or false`,
		},
		{"date", head + "[smlm]\nlr = 2026-01-01\n", `e.toml:5: smlm.lr is a date or time, but must be a number`},
		{
			"string for a list", head + "[smlm]\nmodels = \"smlm\"\n",
			`e.toml:5: smlm.models is the string "smlm", but must be a list of strings`,
		},
		{
			"number in a list of names", head + "[smlm]\nmodels = [\"smlm\", 2]\n",
			`e.toml:5: smlm.models has an entry (number 2) that is the whole number 2, but must be a string`,
		},
		{
			"wrong type in a sweep", head + "[smlm]\nepochs = [1, \"a\"]\n",
			`e.toml:5: smlm.epochs has a value (number 2) that is the string "a", but must be a whole number`,
		},
		{
			"nested list", head + "[smlm]\nepochs = [[1]]\n",
			`e.toml:5: smlm.epochs has a value (number 1) that is a list, but must be a whole number`,
		},
		{"value for a table", "smlm = 3\n" + head, `e.toml:1: smlm is the whole number 3, but must be a table: [smlm]`},
		{
			"list of tables", head + "[[smlm]]\nepochs = 1\n",
			`e.toml:4: smlm is a list of tables, but must be a table: [smlm]`,
		},
		{
			"table for a value", head + "[smlm.epochs]\na = 1\n",
			`e.toml:4: smlm.epochs is a table, but must be a whole number`,
		},
		{
			"negative lambda", head + "[masking]\nlambda_eps = -0.1\n",
			`e.toml:5: masking.lambda_eps is -0.1, but must be from 0 to 1000`,
		},
		{
			"negative lambda in a sweep", head + "[divlstm]\nlambda_con = [10, -1.0]\n",
			`e.toml:5: divlstm.lambda_con is -1, but must be 0 or more`,
		},
		{
			"negative lambda_sta", head + "[finetune]\nlambda_sta = -1\n",
			`e.toml:5: finetune.lambda_sta is -1, but must be 0 or more`,
		},
		{
			"negative lambda_rec", head + "[finetune]\nlambda_rec = -1\n",
			`e.toml:5: finetune.lambda_rec is -1, but must be 0 or more`,
		},
		{"zero size", head + "[divlstm]\nhidden = 0\n", `e.toml:5: divlstm.hidden is 0, but must be from 1 to 16384`},
		{
			"more weights than any memory", head + "[divlstm]\nhidden = 1_000_000\n",
			`e.toml:5: divlstm.hidden is 1000000, but must be from 1 to 16384`,
		},
		{"negative size", head + "[vocab]\nsize = -5\n", `e.toml:5: vocab.size is -5, but must be 1 or more`},
		{
			"huge size", head + "[vocab]\nsize = 1_000_000_000\n",
			`e.toml:5: vocab.size is 1000000000, but must be at most 100000000`,
		},
		{"no epochs", head + "[decoder]\nepochs = 0\n", `e.toml:5: decoder.epochs is 0, but must be from 1 to 10000`},
		{"huge rate", head + "[smlm]\nlr = 1e8\n", `e.toml:5: smlm.lr is 1e+08, but must be above 0 and at most 10`},
		{
			"endless restarts", head + "[divlstm]\nrestarts = 100_000_000\n",
			`e.toml:5: divlstm.restarts is 100000000, but must be from 0 to 1000`,
		},
		{"zero rate", head + "[classifier]\nlr = 0.0\n", `e.toml:5: classifier.lr is 0, but must be above 0 and at most 10`},
		{
			"dropout of 1", head + "[smlm]\ndropout = 1.0\n",
			`e.toml:5: smlm.dropout is 1, but must be at least 0 and below 1`,
		},
		{
			"negative dropout", head + "[smlm]\ndropout = -0.5\n",
			`e.toml:5: smlm.dropout is -0.5, but must be at least 0 and below 1`,
		},
		{
			"dropout of the decoder", head + "[decoder]\ndropout = 0.1\n",
			`e.toml:5: unknown key "dropout" in [decoder]: leave it out, or use one of epochs, lr, warmup`,
		},
		{
			"patience of fine-tuning", head + "[finetune]\npatience = 2\n",
			`e.toml:5: unknown key "patience" in [finetune]: leave it out, or use one of epochs, lr, clip`,
		},
		{
			"the same of a variant", head + "[variants.a.finetune]\npatience = 2\n",
			`e.toml:5: unknown key "patience" in [variants.a.finetune]: leave it out, or use one of epochs, lr, clip`,
		},
		{"beta", head + "[smlm]\nbeta1 = 1.5\n", `e.toml:5: smlm.beta1 is 1.5, but must be at least 0 and below 1`},
		{"not a number", head + "[smlm]\nlr = nan\n", `e.toml:5: smlm.lr is NaN, but must be a finite number`},
		{
			"infinite", head + "[masking]\nlambda_eps = [0.1, inf]\n",
			`e.toml:5: masking.lambda_eps has a value (number 2) that is +Inf, but must be a finite number`,
		},
		{
			"heads", head + "[smlm]\nheads = 7\n",
			`e.toml:5: smlm.heads does not fit: smlm.dim 512 is not divisible by smlm.heads 7`,
		},
		{
			"heads of one point", head + "[smlm]\nheads = [4, 8]\ndim = [64, 100]\n",
			`e.toml:5: smlm.heads does not fit: smlm.dim 100 is not divisible by smlm.heads 8`,
		},
		{
			"dim against default heads", head + "[smlm]\ndim = 100\n",
			`e.toml:5: smlm.dim does not fit: smlm.dim 100 is not divisible by smlm.heads 8`,
		},
		{
			"unknown reading", head + "[finetune]\nreading = \"min-max\"\n",
			`e.toml:5: finetune.reading is "min-max", but must be "algorithm" or "minmax", did you mean "minmax"?`,
		},
		{
			"unknown method", head + "[masking]\nmethods = [\"explainable_atention\"]\n",
			`e.toml:5: masking.methods contains "explainable_atention", which is none of "explainable_attention", "vanilla_attention", "attention_x_input", "gradients", "gradients_x_input", "integrated_gradients", "random" or "none", did you mean "explainable_attention"?`,
		},
		{
			"method twice", head + "[masking]\nmethods = [\"random\", \"random\"]\n",
			`e.toml:5: masking.methods lists "random" twice`,
		},
		{"no method", head + "[masking]\nmethods = []\n", `e.toml:5: masking.methods is an empty list`},
		{
			"trained on what is not made", head + "[masking]\ntrain_on = [\"random\"]\n",
			`e.toml:5: masking.train_on lists "random", which is not in masking.methods`,
		},
		{
			"unknown model", head + "[smlm]\nmodels = [\"smlm-x\"]\n",
			`e.toml:5: smlm.models contains "smlm-x", which is none of ` + wording.Choice(TransferModels),
		},
		{
			"unknown table of the report", head + "[report]\ntables = [\"result\"]\n",
			`e.toml:5: report.tables contains "result", which is none of`,
		},
		{"no examples", head + "[report]\nexamples = 0\n", `e.toml:5: report.examples is 0, but must be 1 or more`},
		{
			"swept report", head + "[report]\nexamples = [1, 2]\n",
			`e.toml:5: report.examples is a list, but settings of [report] cannot be swept`,
		},
		{
			"unknown loss", head + "[smlm]\nloss = \"some\"\n",
			`e.toml:5: smlm.loss is "some", but must be "all" or "masked"`,
		},
		{
			"unknown loss", head + "[smlm]\nloss = \"mask\"\n",
			`e.toml:5: smlm.loss is "mask", but must be "all" or "masked", did you mean "masked"?`,
		},
		{
			"unknown precision", head + "[smlm]\nprecision = \"fp16\"\n",
			`e.toml:5: smlm.precision is "fp16", but must be "fp32", "bf16" or "auto"`,
		},
		{
			"empty sweep", head + "[divlstm]\nlambda_con = []\n",
			`e.toml:5: divlstm.lambda_con is an empty list: give the values to sweep over, or one value`,
		},
		{"value twice", head + "[masking]\nlambda_eps = [0.3, 3e-1]\n", `e.toml:5: masking.lambda_eps lists 0.3 twice`},
		{
			"zero and minus zero", head + "[masking]\nlambda_eps = [0.0, -0.0]\n",
			`e.toml:5: masking.lambda_eps lists 0 twice`,
		},
		// The test fills in the text and the message of this case below.
		{"too many points", head + "[smlm]\nff = [" + strings.TrimSuffix(strings.Repeat("X,", 20), ",") + "]\n", ``},
		{"no data set", "name = \"x\"\n", `e.toml: there is no data set: add a table [datasets.NAME]`},
		{
			"data set without data", "[datasets.d]\n",
			`e.toml:1: [datasets.d] names no data: set dir = "FOLDER" or builtin = "demo"`,
		},
		{
			"dir and builtin", head + "dir = \"a\"\n",
			`e.toml:3: [datasets.d] has both dir and builtin: keep one of them`,
		},
		{
			"unknown builtin", "[datasets.d]\nbuiltin = \"demmo\"\n",
			`e.toml:2: datasets.d.builtin is "demmo", but the corpus inside the program is "demo"`,
		},
		{
			"unseen of several folders", "[datasets.d]\ndir = \"x\"\nunseen = [\"a\", \"b\"]\n",
			`e.toml:3: datasets.d.unseen is a list, but must be a string`,
		},
		{
			"unseen of a number", "[datasets.d]\ndir = \"x\"\nunseen = 3\n",
			`e.toml:3: datasets.d.unseen is the whole number 3, but must be a string`,
		},
		{
			"extra sentences of a builtin", "[datasets.d]\nbuiltin = \"demo\"\ntrain_extra = true\n",
			`e.toml:3: datasets.d.train_extra is true, but a builtin corpus has no such files: remove one of the two keys`,
		},
		{"one label", head + "labels = [\"a\"]\n", `e.toml:4: the data set "d" has 1 label: give at least two names`},
		{
			"label twice of three", head + "labels = [\"a\", \"b\", \"a\"]\n",
			`e.toml:4: the labels ["a" "b" "a"] of the data set "d" must be different names`,
		},
		{"label twice", head + "labels = [\"a\", \"a\"]\n", `e.toml:4: the labels ["a" "a"] of the data set "d" must be different names`},
		{
			"label with a tab", head + "labels = [\"a\", \"b\\tc\"]\n",
			`e.toml:4: the label "b\tc" of the data set "d" contains the control character U+0009, which no table can show: remove it`,
		},
		{"empty label", head + "labels = [\"a\", \" \"]\n", `e.toml:4: the labels ["a" " "] of the data set "d" must be different names, none of them empty`},
		{
			"negative sample", head + "max_train = -1\n",
			`e.toml:4: datasets.d.max_train is -1, but must be 0 (all) or more`,
		},
		{
			"swept data setting", head + "max_train = [10, 20]\n",
			`e.toml:4: datasets.d.max_train is a list, but must be a whole number`,
		},
		{
			"data set name", "[datasets.\"a/b\"]\nbuiltin = \"demo\"\n",
			`e.toml:1: the data set's name "a/b" must be letters`,
		},
		{
			"data set no table", "datasets.d = 4\n",
			`e.toml:1: datasets.d is the whole number 4, but must be a table: [datasets.d]`,
		},
		{
			"bad override of a data set", head + "[datasets.d.masking]\nlambda_eps = -1.0\n",
			`e.toml:5: datasets.d.masking.lambda_eps is -1, but must be from 0 to 1000`,
		},
		{
			"unknown override of a data set", head + "[datasets.d.masking]\nlambda_ep = 1.0\n",
			`e.toml:5: unknown key "lambda_ep" in [datasets.d.masking]: did you mean "lambda_eps"?`,
		},
		{
			"report of a data set", head + "[datasets.d.report]\nexamples = 2\n",
			`e.toml:4: [report] is for the whole experiment, not for one data set`,
		},
		{
			"seeds no list", "seeds = 3\n" + head,
			`e.toml:1: seeds is the whole number 3, but must be a list of whole numbers`,
		},
		{"no seeds", "seeds = []\n" + head, `e.toml:1: seeds is an empty list, but must contain at least one number`},
		{"seed twice", "seeds = [1, 2, 1]\n" + head, `e.toml:1: seeds lists 1 twice`},
		{"negative seed", "seeds = [-1]\n" + head, `e.toml:1: seeds has an entry (number 1) that is -1, but must be from 0 to 2^53`},
		{
			"fractional seed", "seeds = [1.5]\n" + head,
			`e.toml:1: seeds has an entry (number 1) that is the number 1.5, but must be a whole number`,
		},
		{
			"unknown profile", "profile = \"fited\"\n" + head,
			`e.toml:1: profile is "fited", but must be "paper" or "fitted", did you mean "fitted"?`,
		},
		{
			"variants no tables", "variants = 3\n" + head,
			`e.toml:1: variants is the whole number 3, but must be tables: [variants.NAME]`,
		},
		{
			"variant no table", head + "[variants]\na = 1\n",
			`e.toml:5: variants.a is the whole number 1, but must be a table: [variants.a]`,
		},
		{
			"variant name", head + "[variants.\"a b\"]\n",
			`e.toml:4: the variant's name "a b" must be letters, digits, dashes or underscores`,
		},
		{
			"profile of a variant", head + "[variants.a]\nprofile = \"paper\"\n",
			`e.toml:5: unknown key "profile" in [variants.a]: leave it out, or use one of`,
		},
		{
			"unknown key of a variant", head + "[variants.a]\nsmml = 1\n",
			`e.toml:5: unknown key "smml" in [variants.a]: did you mean "smlm"?`,
		},
		{
			"unknown setting of a variant", head + "[variants.a.smlm]\nepoch = 1\n",
			`e.toml:5: unknown key "epoch" in [variants.a.smlm]: did you mean "epochs"?`,
		},
		{
			"bad setting of a variant", head + "[variants.a.smlm]\nepochs = 0\n",
			`e.toml:5: variants.a.smlm.epochs is 0, but must be from 1 to 10000`,
		},
		{
			"report of a variant", head + "[variants.a.report]\nexamples = 1\n",
			`e.toml:4: [report] is for the whole experiment, not for one variant`,
		},
		{
			"unknown policy", head + "[masking]\npolicy = \"top_k\"\n",
			`e.toml:5: masking.policy is "top_k", but must be "surplus" or "top_share"`,
		},
		{
			"share of nothing", head + "[masking]\ntop_share = 0.0\n",
			`e.toml:5: masking.top_share is 0, but must be above 0 and at most 1`,
		},
		{
			"a table of terabytes", head + "[fasttext]\nbuckets = 100000000\n",
			"e.toml:5: fasttext.buckets is 100000000, but must be from 1 to 20000000",
		},
		{
			"a fixed setting", head + "[fasttext]\ndim = 3\n",
			`e.toml:5: unknown key "dim" in [fasttext]: leave it out, or use one of epochs, buckets`,
		},
		{
			"a table without keys", head + "[cnn]\nepochs = 3\n",
			`e.toml:4: unknown key "cnn": leave it out, or use one of name`,
		},
		{
			"guided outputs of smlm-g", head + "[smlm]\ndecoding = [\"guided\"]\n",
			`e.toml:5: smlm.decoding does not fit: smlm-g writes no guided outputs, so smlm.decoding must contain "copied" or "predicted"`,
		},
		{
			"predicted by a masked loss", head + "[smlm]\nloss = \"masked\"\ndecoding = [\"predicted\"]\n",
			`e.toml:6: smlm.decoding does not fit: with smlm.loss "masked" smlm never learns to predict unmasked words, so smlm.decoding must contain "copied"`,
		},
		{"name", "name = \"a/b\"\n" + head[len("name = \"x\"\n"):], `e.toml:1: name is "a/b", but must be letters`},
		{"empty workspace", "workspace = \"\"\n" + head, `e.toml:1: workspace is empty, but must name a folder`},
		{
			"no time between checkpoints", "checkpoint_seconds = 0\n" + head,
			`e.toml:1: checkpoint_seconds is 0, but must be from 1 to 86400`,
		},
		{"threads", "threads = -2\n" + head, `e.toml:1: threads is -2, but must be from 0 to 4096`},
		{
			"devices", "devices = \"gpu\"\n" + head,
			`e.toml:1: devices is "gpu", but must be "auto", "cpu", "cuda", or "cuda:N"`,
		},
		{"no device", "devices = \"\"\n" + head, `e.toml:1: devices is "", but must be "auto"`},
		{"devices as a list", "devices = [\"cpu\"]\n" + head, `e.toml:1: devices `},
		{"syntax", head + "[smlm\n", `e.toml:4: not valid TOML: `},
		{
			"key twice", head + "builtin = \"demo\"\n",
			`e.toml:4: not valid TOML: Key 'datasets.d.builtin' has already been defined`,
		},
		{"not UTF-8", head + "labels = [\"a\", \"\xff\"]\n", `e.toml:4: not valid TOML: `},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "too many points" {
				c.text = strings.Replace(
					c.text, strings.TrimSuffix(strings.Repeat("X,", 20), ","), numbers(200), 1,
				) + "layers = [" + numbers(51) + "]\n"
				c.want = `e.toml:2: the sweep axes of data set "d" span more than 10000 points: sweep over fewer values`
			}
			dir := t.TempDir()
			testkit.WriteFile(t, filepath.Join(dir, "e.toml"), c.text)
			t.Chdir(dir)
			_, err := Load("e.toml", nil)
			testkit.WantError(t, err, userr.BadInput)
			if !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error\n%s\nwant\n%s", err, c.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one problem found: %s", err)
			}
		})
	}
}

func TestMissingExperiment(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "none.toml"), nil)
	testkit.WantError(t, err, userr.BadInput, "there is no experiment file", "none.toml")
	_, err = Load(t.TempDir(), nil)
	testkit.WantError(t, err, userr.BadInput, "the experiment file", "cannot be read (is a directory)")
}

// TestFileName checks that an experiment without the key "name" has the name of its file, and that
// an invalid file name is an error.
func TestFileName(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "[datasets.d]\nbuiltin = \"demo\"\n"
	testkit.WriteFile(t, "exp.v1.toml", text)
	if e, err := Load("exp.v1.toml", nil); err != nil || e.Name != "exp.v1" {
		t.Errorf("%+v, %v", e, err)
	}
	testkit.WriteFile(t, "my exp.v1.toml", text)
	_, err := Load("my exp.v1.toml", nil)
	testkit.WantError(t, err, userr.BadInput,
		`my exp.v1.toml: name is "my exp.v1", but must be letters, `, "without the key it is the file's own name")
	if e, err := Load("my exp.v1.toml", []string{"name=mine"}); err != nil || e.Name != "mine" {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestAllProblems: all problems are reported at once, in the order of the file.
func TestAllProblems(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteFile(
		t, filepath.Join(dir, "e.toml"),
		"[smlm]\nloss = \"no\"\nepochs = 0\n[vocab]\nsiz = 3\n[datasets.d]\nbuiltin = \"demo\"\n",
	)
	t.Chdir(dir)
	_, err := Load("e.toml", []string{"masking.lambda_eps=-1"})
	testkit.WantError(t, err, userr.BadInput)
	want := []string{
		`e.toml:2: smlm.loss is "no", but must be "all" or "masked"`,
		`e.toml:3: smlm.epochs is 0, but must be from 1 to 10000`,
		`e.toml:5: unknown key "siz" in [vocab]: did you mean "size"?`,
		`--set masking.lambda_eps=-1: masking.lambda_eps is -1, but must be from 0 to 1000`,
	}
	if got := strings.Split(err.Error(), "\n"); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got\n%s", err)
	}
}

func numbers(n int) string {
	var s []string
	for i := range n {
		s = append(s, formatValue(refInt(i+1)))
	}
	return strings.Join(s, ", ")
}

func TestKeyLines(t *testing.T) {
	text := "# comment = 1\n" +
		"name = \"a # no comment\" # b = 2\n" + // line 2
		"list = [\n  1, # ]\n  2,\n]\n" + // line 3
		"text = \"\"\"\nfake = 1\n[fake]\nends in quotes\"\"\"\"\"\n" + // line 7
		"raw = '''\n'x' = 3\n'''\n" + // line 11
		"\n  [ table . \"quoted key\" ]  # c\n" + // line 15
		"a.b = {c = 1, d = [2]}\n" + // line 16
		"\"e f\" = 'it'\n" + // line 17
		"[[many]]\nx = 1\n[[many]]\nx = 2\r\n" + // line 18
		"last = 1"
	want := map[string]int{
		"name": 2, "list": 3, "text": 10, "raw": 13, "table.quoted key": 15, "table.quoted key.a.b": 16,
		"table.quoted key.a.b.c": 16, "table.quoted key.a.b.d": 16,
		"table.quoted key.e f": 17, "many": 20,
	}
	lines := keyLines(t, text)
	if d := cmp.Diff(want, lines); d != "" {
		t.Errorf("lines (-want +got):\n%s", d)
	}
	if got := lineOf(lines, "table.quoted key.a.b.d"); got != 16 {
		t.Errorf("a key of an inline table is on line %d, want its parent's 16", got)
	}
	if got := lineOf(lines, "none.of.these"); got != 0 {
		t.Errorf("an absent key is on line %d", got)
	}
}

func keyLines(t *testing.T, text string) map[string]int {
	t.Helper()
	var root toml.Primitive
	md, err := toml.Decode(text, &root)
	if err != nil {
		t.Fatal(err)
	}
	return linesOf(&md, root)
}

// TestExperimentsLoad: every experiment file of the repository loads.
func TestExperimentsLoad(t *testing.T) {
	files, err := filepath.Glob("../../experiments/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d experiment files, %v", len(files), err)
	}
	for _, file := range append(files, "../../experiments.toml") {
		if _, err := Load(file, nil); err != nil {
			t.Error(err)
		}
	}
}

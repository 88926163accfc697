package experiment

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

func TestOverrides(t *testing.T) {
	e := load(
		t,
		testkit.SmallStudy,
		"masking.lambda_eps=0.4",
		"smlm.epochs = [2, 3]",
		"finetune.reading=minmax",
		`smlm.models=["smlm"]`,
		"datasets.tiny.labels=['sad', \"glad\"]",
		"seeds=[5]",
		"datasets.tiny.vocab.size=77",
		"name=other-1",
		"smlm.source_token=false",
	)
	points := e.Points()
	if len(points) != 2 || e.Name != "other-1" || points[0].Seed != 5 {
		t.Fatalf("%d points of %s", len(points), e.Name)
	}
	s := points[1].Settings
	if s.Masking.LambdaEps != 0.4 || s.SMLM.Epochs != 3 || s.Finetune.Reading != "minmax" || len(s.SMLM.Models) != 1 ||
		s.Vocab.Size != 77 ||
		s.SMLM.SourceToken {
		t.Errorf("settings %+v", s)
	}
	if d := cmp.Diff([]string{"sad", "glad"}, e.Datasets[0].Labels); d != "" {
		t.Error(d)
	}
}

func TestBadOverrides(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "e.toml"), testkit.SmallStudy)
	t.Chdir(dir)
	for set, want := range map[string]string{
		"masking.lambda_eps":          "--set masking.lambda_eps: write table.key=value",
		"masking.lambda_eps=":         "--set masking.lambda_eps=: write table.key=value",
		"=3":                          "--set =3: write table.key=value",
		"masking..x=3":                "--set masking..x=3: the part before the = is not a key",
		"masking={lambda_eps=0.1}":    "--set masking={lambda_eps=0.1}: set one key at a time, not a table",
		"masking.lambda_eps=[0.1, x]": "--set masking.lambda_eps=[0.1, x]: this is not a TOML list: words in it need quotes",
		"masking.methods=[random]": "--set masking.methods=[random]: this is not a TOML list: words in it need quotes, " +
			`in a shell as 'masking.methods=["a", "b"]'`,
		"masking.lambda_eps=[0.1":   "--set masking.lambda_eps=[0.1: this is not a TOML value",
		"masking.lambda_eps=much":   `--set masking.lambda_eps=much: masking.lambda_eps is the string "much", but must be a number`,
		"masking.lamda_eps=1":       `--set masking.lamda_eps=1: unknown key "lamda_eps" in [masking]: did you mean "lambda_eps"?`,
		"cnn.epochs=3":              `--set cnn.epochs=3: unknown key "cnn": leave it out, or use one of name`,
		"foo.bar=1":                 `--set foo.bar=1: unknown key "foo": leave it out, or use one of name`,
		"smlmm.epochs=1":            `--set smlmm.epochs=1: unknown key "smlmm": did you mean "smlm"?`,
		"lambda_eps=1":              `--set lambda_eps=1: unknown key "lambda_eps": leave it out, or move it to [masking], where this name is known`,
		"name.x=1":                  "--set name.x=1: in the file name is not a table",
		"variants.a.vocab.size=1":   `--set variants.a.vocab.size=1: the file has no variant "a"`,
		"datasets.tyny.max_train=1": `--set datasets.tyny.max_train=1: the file has no data set "tyny": did you mean "tiny"?`,
		"smlm.heads=7": "--set smlm.heads=7: smlm.heads does not fit: smlm.dim 512 is not divisible " +
			"by smlm.heads 7",
		"seeds=[1]\nx=2": "write it on one line",
		"masking.lambda_eps=-1.7976931348623157e308": "masking.lambda_eps is -1.7976931348623157e+308, but must be from 0 to 1000",
		"guided.style=-1.7976931348623157e308":       "guided.style is -1.7976931348623157e+308, but must be 0 or more",
	} {
		_, err := Load("e.toml", []string{set})
		testkit.WantError(t, err, userr.BadInput, want)
	}
}

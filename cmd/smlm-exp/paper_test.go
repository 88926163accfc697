package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPaperStudy runs experiments/paper.toml for a user who has none of its data: the demo corpus
// replaces each of the four data sets, and the models are tiny. It checks that the table of results
// has all three models for every data set, that the paper's five metrics come first, and that there
// are rows with the paper's values.
func TestPaperStudy(t *testing.T) {
	if testing.Short() {
		t.Skip("trains the models of four data sets")
	}
	workspace := t.TempDir()
	args := []string{"run", filepath.Join("..", "..", "experiments", "paper.toml"), "--workspace", workspace, "--threads", "1", "--quiet"}
	set := func(key, value string) { args = append(args, "--set", key+"="+value) }
	datasets := []string{"yelp", "amazon", "imdb", "snli"}
	for _, name := range datasets {
		set("datasets."+name+".builtin", `"demo"`)
		set("datasets."+name+".dir", `""`)
		set("datasets."+name+".max_train", "100")
		set("datasets."+name+".naturalness", `""`)
	}
	for _, name := range datasets[:3] { // the last data set, SNLI, has no published outputs
		set("datasets."+name+".outputs", "[]")
	}
	for _, key := range []string{
		"classifier.embedding", "classifier.hidden", "divlstm.embedding", "divlstm.hidden", "divlstm.attention", "smlm.dim", "smlm.ff",
	} {
		set(key, "16")
	}
	for _, key := range []string{"classifier.epochs", "divlstm.epochs", "smlm.epochs", "decoder.epochs"} {
		set(key, "1")
	}
	set("fasttext.buckets", "1000")
	set("report.figures", "[]")
	set("finetune.max_steps", "5")
	set("masking.lambda_eps", "0") // attention is nearly uniform after so little training
	set("datasets.snli.masking.lambda_eps", "0")
	out, _ := run(t, 0, "", args...)

	results, err := os.ReadFile(filepath.Join(workspace, "tables", "paper", "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "Data set,System,row,TST%,r-BLEU,s-BLEU,Nat.,Mean,"; !strings.Contains(string(results), want) {
		t.Errorf("the table of results lacks the columns %q:\n%s", want, results)
	}
	for _, name := range datasets {
		for _, model := range []string{"SMLM", "SMLM-G", "SMLM-FT"} {
			for _, row := range []string{"ours", "paper", "difference"} {
				if want := "\n" + name + "," + model + "," + row + ","; strings.Count(string(results), want) != 1 {
					t.Errorf("the table of results has not one row %q:\n%s", want, results)
				}
			}
		}
	}
	if !strings.Contains(out, "difference: ours minus the paper's") {
		t.Errorf("the run prints no table beside the paper's:\n%s", out)
	}
}

package folder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSentences checks which settings are read for each sentence encoder, and the errors for
// unsupported ones.
func TestSentences(t *testing.T) {
	pooling := func(modes string) map[string]string { return map[string]string{"1_Pooling/config.json": modes} }
	modules := func(list, modes string) map[string]string {
		return map[string]string{modulesName: list, "2_P/config.json": modes}
	}
	const transformer = `{"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"}, `
	const named = `[` + transformer + `{"path": "2_P", "type": "sentence_transformers.models.Pooling"}`
	for _, c := range []struct {
		name      string
		files     map[string]string
		want      Pooling
		bad       string // part of the error; "" if there is none
		maxPieces int
	}{
		{"at most 128 pieces", map[string]string{sentencesName: `{"max_seq_length": 128, "do_lower_case": false}`}, Mean, "", 128},
		{"no maximum", map[string]string{sentencesName: `{"max_seq_length": null}`}, Mean, "", 0},
		{"maximum of another type", map[string]string{sentencesName: `{"max_seq_length": "128"}`}, "", "max_seq_length is of type string", 0},
		{"no sentence encoder", nil, Mean, "", 0},
		{"mean", pooling(`{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false}`), Mean, "", 0},
		{"scaled mean", pooling(`{"pooling_mode_mean_sqrt_len_tokens": true}`), Mean, "", 0},
		{"none is set", pooling(`{"word_embedding_dimension": 32}`), Mean, "", 0},
		{"first piece", pooling(`{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}`), CLS, "", 0},
		{"maximum", pooling(`{"pooling_mode_max_tokens": true}`), "", `the pooling "max_tokens" is not read, only mean or cls: use another encoder`, 0},
		{"since 2026", pooling(`{"pooling_mode": "cls"}`), CLS, "", 0},
		{"a list of one", pooling(`{"pooling_mode": ["cls"]}`), CLS, "", 0},
		{"two", pooling(`{"pooling_mode_max_tokens": true, "pooling_mode_cls_token": true}`), "", `the pooling "cls_token and max_tokens" is not read`, 0},
		{"a list of two", pooling(`{"pooling_mode": ["mean", "max"]}`), "", `the pooling "mean max" is not read`, 0},
		{"last piece", pooling(`{"pooling_mode_lasttoken": true}`), "", `1_Pooling/config.json: the pooling "lasttoken" is not read`, 0},
		{"weighted", pooling(`{"pooling_mode": "weightedmean"}`), "", `the pooling "weightedmean"`, 0},
		{"not JSON", pooling(`pooling`), "", "1_Pooling/config.json is damaged", 0},
		{"named", modules(named+`]`, `{"pooling_mode_cls_token": true}`), CLS, "", 0},
		{"normalised", modules(named+`, {"path": "3_N", "type": "sentence_transformers.models.Normalize"}]`, `{"pooling_mode": "cls"}`), CLS, "", 0},
		{"dense", modules(named+`, {"path": "3_D", "type": "sentence_transformers.models.Dense"}]`, `{}`), "", `has the module "sentence_transformers.models.Dense", which is not read: use another encoder, or remove the module from modules.json`, 0},
		{"outside", modules(`[{"path": "../1_Pooling", "type": "models.Pooling"}]`, `{}`), "", `the module "models.Pooling"`, 0},
		{"missing", modules(`[{"path": "1_Pooling", "type": "models.Pooling"}]`, `{}`), "", "1_Pooling/config.json cannot be read", 0},
		{"folder of a dense layer", map[string]string{"2_Dense/config.json": "{}"}, "", `has the module "Dense"`, 0},
		{"no list", map[string]string{modulesName: "{}"}, "", "it is of type object", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range c.files {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				write(t, []byte(text), path)
			}
			got, err := ReadSentences(dir)
			if c.bad == "" && (err != nil || got.Pooling != c.want || got.MaxPieces != c.maxPieces) {
				t.Errorf("%+v, %v, want %q and %d", got, err, c.want, c.maxPieces)
			}
			if c.bad != "" && (!isSentence(err, dir) || !strings.Contains(err.Error(), c.bad)) {
				t.Errorf("%v\nwant %q", err, c.bad)
			}
		})
	}
}

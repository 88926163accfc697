package folder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPooling checks which pooling is read for each sentence encoder, and the errors for
// unsupported ones.
func TestPooling(t *testing.T) {
	pooling := func(modes string) map[string]string { return map[string]string{"1_Pooling/config.json": modes} }
	modules := func(list, modes string) map[string]string {
		return map[string]string{modulesName: list, "2_P/config.json": modes}
	}
	const transformer = `{"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"}, `
	const named = `[` + transformer + `{"path": "2_P", "type": "sentence_transformers.models.Pooling"}`
	for _, c := range []struct {
		name  string
		files map[string]string
		want  Pooling
		bad   string // part of the error; "" if there is none
	}{
		{"no sentence encoder", nil, Mean, ""},
		{"mean", pooling(`{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false}`), Mean, ""},
		{"scaled mean", pooling(`{"pooling_mode_mean_sqrt_len_tokens": true}`), Mean, ""},
		{"none is set", pooling(`{"word_embedding_dimension": 32}`), Mean, ""},
		{"first piece", pooling(`{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}`), CLS, ""},
		{"maximum", pooling(`{"pooling_mode_max_tokens": true}`), "", `the pooling "max_tokens" is not read, only mean or cls: use another encoder`},
		{"since 2026", pooling(`{"pooling_mode": "cls"}`), CLS, ""},
		{"a list of one", pooling(`{"pooling_mode": ["cls"]}`), CLS, ""},
		{"two", pooling(`{"pooling_mode_max_tokens": true, "pooling_mode_cls_token": true}`), "", `the pooling "cls_token and max_tokens" is not read`},
		{"a list of two", pooling(`{"pooling_mode": ["mean", "max"]}`), "", `the pooling "mean max" is not read`},
		{"last piece", pooling(`{"pooling_mode_lasttoken": true}`), "", `1_Pooling/config.json: the pooling "lasttoken" is not read`},
		{"weighted", pooling(`{"pooling_mode": "weightedmean"}`), "", `the pooling "weightedmean"`},
		{"not JSON", pooling(`pooling`), "", "1_Pooling/config.json is damaged"},
		{"named", modules(named+`]`, `{"pooling_mode_cls_token": true}`), CLS, ""},
		{"normalised", modules(named+`, {"path": "3_N", "type": "sentence_transformers.models.Normalize"}]`, `{"pooling_mode": "cls"}`), CLS, ""},
		{"dense", modules(named+`, {"path": "3_D", "type": "sentence_transformers.models.Dense"}]`, `{}`), "", `has the module "sentence_transformers.models.Dense", which is not read: use another encoder, or remove the module from modules.json`},
		{"outside", modules(`[{"path": "../1_Pooling", "type": "models.Pooling"}]`, `{}`), "", `the module "models.Pooling"`},
		{"missing", modules(`[{"path": "1_Pooling", "type": "models.Pooling"}]`, `{}`), "", "1_Pooling/config.json cannot be read"},
		{"folder of a dense layer", map[string]string{"2_Dense/config.json": "{}"}, "", `has the module "Dense"`},
		{"no list", map[string]string{modulesName: "{}"}, "", "it is of type object"},
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
			got, err := ReadPooling(dir)
			if c.bad == "" && (err != nil || got != c.want) {
				t.Errorf("%q, %v, want %q", got, err, c.want)
			}
			if c.bad != "" && (!isSentence(err, dir) || !strings.Contains(err.Error(), c.bad)) {
				t.Errorf("%v\nwant %q", err, c.bad)
			}
		})
	}
}

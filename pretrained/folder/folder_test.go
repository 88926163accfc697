package folder

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/nlpodyssey/safetensors"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// copyFolder copies all files of the small folder.
func copyFolder(t testing.TB) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(small)); err != nil {
		t.Fatal(err)
	}
	return to
}

// onlyVocabulary replaces tokenizer.json by vocab.txt in a copy of the small folder.
func onlyVocabulary(t testing.TB, dir string) {
	t.Helper()
	var file tokenizerFile
	var vocabulary map[string]int
	if err := json.Unmarshal(read(t, dir, tokenizerName), &file); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(file.Model.Vocabulary, &vocabulary); err != nil {
		t.Fatal(err)
	}
	pieces := slices.SortedFunc(maps.Keys(vocabulary), func(a, b string) int { return vocabulary[a] - vocabulary[b] })
	write(t, []byte(strings.Join(pieces, "\n")+"\n"), dir, vocabularyName)
	if err := os.Remove(filepath.Join(dir, tokenizerName)); err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, raw []byte, path ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(path...), raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path ...string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func mustOpen(t testing.TB, dir string) *Folder {
	t.Helper()
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The function refused checks that opening a folder fails with one sentence that contains the given
// words.
func refused(t testing.TB, dir string, words ...string) {
	t.Helper()
	f, err := Open(dir)
	if !isSentence(err, dir) || f != nil {
		t.Errorf("want one sentence with %q, not %.1000v", words, err)
		return
	}
	for _, want := range words {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in: %v", want, err)
		}
	}
}

// allocates returns the number of bytes that fn allocates on the heap. Memory that is freed before
// fn returns counts too.
func allocates(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// tensors holds the tensors of a file by name.
type tensors map[string]safetensors.TensorView

func readWeights(t testing.TB, path ...string) tensors {
	t.Helper()
	file, err := safetensors.Deserialize(read(t, path...))
	if err != nil {
		t.Fatal(err)
	}
	all := tensors{}
	for _, tensor := range file.Tensors() {
		all[tensor.Name] = tensor.TensorView
	}
	return all
}

func (all tensors) write(t testing.TB, path ...string) {
	t.Helper()
	raw, err := safetensors.Serialize(all, nil)
	if err != nil {
		t.Fatal(err)
	}
	write(t, raw, path...)
}

// The method as replaces the tensor with the given name, which must exist, by a new tensor.
func (all tensors) as(t testing.TB, name string, kind safetensors.DType, shape []uint64, raw []byte) {
	t.Helper()
	if _, ok := all[name]; !ok {
		t.Fatalf("there is no %s", name)
	}
	view, err := safetensors.NewTensorView(kind, shape, raw)
	if err != nil {
		t.Fatal(err)
	}
	all[name] = view
}

// settingsOf is the content of a config.json. Its method "with" writes a copy in which one key has
// another value.
type settingsOf map[string]any

func readSettingsOf(t testing.TB, dir string) (j settingsOf) {
	t.Helper()
	if err := json.Unmarshal(read(t, dir, configFile), &j); err != nil {
		t.Fatal(err)
	}
	return j
}

func (j settingsOf) with(t testing.TB, dir, key string, value any) {
	t.Helper()
	j = maps.Clone(j)
	j[key] = value
	raw, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	write(t, raw, dir, configFile)
}

// TestCutFolders truncates one file of a folder at a time, at 60 places. The error must name this
// file. A truncated vocab.txt is still valid if it lacks no more than a few lines.
func TestCutFolders(t *testing.T) {
	for _, vocabulary := range []bool{false, true} {
		dir := copyFolder(t)
		if vocabulary {
			onlyVocabulary(t, dir)
		}
		for _, name := range mustOpen(t, dir).Files() {
			whole := read(t, dir, name)
			for i := range 60 {
				cut := bytes.TrimRight(whole, "\n")
				cut = cut[:len(cut)*i/60]
				write(t, cut, dir, name)
				if name == vocabularyName && bytes.HasSuffix(cut, []byte("\n")) &&
					bytes.Count(cut, []byte("\n")) >= 350 {
					continue
				}
				refused(t, dir, name)
			}
			write(t, whole, dir, name)
		}
		mustOpen(t, dir)
	}
}

// TestConfig checks that the values of config.json are read.
func TestConfig(t *testing.T) {
	c := mustOpen(t, small).Config
	want := Config{Vocab: 400, Types: 2}
	want.Layers, want.Heads, want.Dim, want.FF = 2, 4, 32, 48
	want.Embedding, want.Positions, want.Activation, want.Eps = 32, 40, "gelu", 1e-12
	if !reflect.DeepEqual(c, want) {
		t.Errorf("%+v\nwant %+v", c, want)
	}
}

// TestOnlyVocabulary checks that vocab.txt without tokenizer.json gives the same tokenizer.
func TestOnlyVocabulary(t *testing.T) {
	dir := copyFolder(t)
	onlyVocabulary(t, dir)
	one, other := mustOpen(t, small).Tokenizer, mustOpen(t, dir).Tokenizer
	for _, text := range readRecorded(t).Texts {
		if got, want := other.Encode(text), one.Encode(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestAbsurdNumbers replaces each number of a config by a value that no model has, or by something
// that is not a number. The config must be refused.
func TestAbsurdNumbers(t *testing.T) {
	shape := reflect.TypeFor[configJSON]()
	dir := copyFolder(t)
	was := readSettingsOf(t, dir)
	tried := 0
	for i := range shape.NumField() {
		key := shape.Field(i).Tag.Get("json")
		if _, ok := was[key].(float64); !ok {
			continue
		}
		tried++
		values := []any{"12", []int{}, map[string]int{}, true, json.Number("1e30"), json.Number(strings.Repeat("9", 100000))}
		if key == "layer_norm_eps" {
			values = append(values, -1e-12, 0, 1, 1e9, json.Number("1e400"))
		} else {
			values = append(values, 12.5, 0, -1, -1e9, math.MinInt64, 1e9, math.MaxInt64)
		}
		for _, value := range values {
			was.with(t, dir, key, value)
			grown := allocates(func() { refused(t, dir, configFile) })
			if grown > 64<<20 {
				t.Errorf("%s %.40v: %d MB were taken", key, value, grown>>20)
			}
		}
	}
	if tried < 8 {
		t.Errorf("%d numbers in %v", tried, was)
	}
}

// TestBadConfigs checks the errors for configs of models that cannot be read.
func TestBadConfigs(t *testing.T) {
	dir := copyFolder(t)
	was := readSettingsOf(t, dir)
	for _, c := range []struct {
		key   string
		value any
		want  string
	}{
		{"model_type", "roberta", `model_type "roberta", but only model_type "bert" with WordPiece is read: use a BERT, MiniLM`},
		{"model_type", strings.Repeat("gpt\n", 100000), `but only model_type "bert" with WordPiece is read`},
		{"model_type", nil, `model_type "", but only`},
		{"is_decoder", true, "is_decoder is true: use an encoder"},
		{"is_decoder", "no", "is_decoder is of type string"},
		{"position_embedding_type", "relative_key_query", "use a model with absolute positions"},
		{"hidden_act", "relu", `the activation "relu": only gelu can be read`},
		{"hidden_act", strings.Repeat("gelu\n", 100000), "only gelu can be read"},
		{"num_hidden_layers", 1000000000, "layers 1000000000: it must be from 1 to 16384"},
		{"num_hidden_layers", 16384, `no tensor "bert.encoder.layer.2.attention.self.query.weight"`},
		{"num_attention_heads", 5, "do not divide"},
		{"hidden_size", 64, "but config.json says [400 64]"},
		{"intermediate_size", 64, "but config.json says [64 32]"},
		{"vocab_size", 1 << 26, "but config.json says [67108864 32]"},
		{"vocab_size", 379, "but config.json says [379 32]"},
		{"max_position_embeddings", 512, "but config.json says [512 32]"},
		{"type_vocab_size", 3, "but config.json says [3 32]"},
	} {
		was.with(t, dir, c.key, c.value)
		refused(t, dir, configFile, c.want)
	}
	was.with(t, dir, "tokenizer_class", "BertJapaneseTokenizer")
	mustOpen(t, dir) // tokenizer_config.json names a supported class, which takes precedence
	if err := os.Remove(filepath.Join(dir, settingsName)); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, `has the tokenizer "BertJapaneseTokenizer"`)
	for text, want := range map[string]string{
		"": "not JSON from byte 0", "[]": "it is of type array", "null": `model_type ""`, "{\"model_type\"": "not JSON",
		strings.Repeat("[", 1<<20): "not JSON",
	} {
		write(t, []byte(text), dir, configFile)
		refused(t, dir, configFile, want)
	}
	write(t, bytes.Repeat([]byte(" "), maxConfig+1), dir, configFile)
	refused(t, dir, configFile, "has 4 MB, but at most 4 are read")
}

// TestMissingTensors checks that opening a folder fails if a tensor of the encoder is missing or
// has another shape or type.
func TestMissingTensors(t *testing.T) {
	shapes := [][]uint64{{0}, {1}, {7, 9}, {1, 400, 32}, {0, 1 << 60}}
	kinds := []safetensors.DType{
		safetensors.I32, safetensors.U32, safetensors.I8, safetensors.I64, safetensors.F64, safetensors.BOOL,
	}
	dir := copyFolder(t)
	all := readWeights(t, dir, weightsFile)
	encoder := 0
	for i, name := range slices.Sorted(maps.Keys(all)) {
		part, ofEncoder := strings.CutPrefix(name, "bert.")
		if !ofEncoder {
			continue
		}
		encoder++
		less := maps.Clone(all)
		delete(less, name)
		less.write(t, dir, weightsFile)
		lacks := name
		// Without this tensor, the method Folder.Name does not add "bert." to names.
		if part == "embeddings.word_embeddings.weight" {
			lacks = part
		}
		refused(t, dir, fmt.Sprintf("no tensor %q", lacks))

		shape, n := shapes[i%len(shapes)], uint64(1)
		for _, dim := range shape {
			n *= dim
		}
		other := maps.Clone(all)
		other.as(t, name, safetensors.F32, shape, make([]byte, 4*n))
		other.write(t, dir, weightsFile)
		refused(t, dir, weightsFile, fmt.Sprintf("tensor %q is %v", name, shape))

		kind := kinds[i%len(kinds)]
		other.as(t, name, kind, all[name].Shape(), make([]byte, all[name].DataLen()/4*kind.Size()))
		other.write(t, dir, weightsFile)
		refused(t, dir, weightsFile, fmt.Sprintf("tensor %q is of type %v, but only float32, float16 and bfloat16 can", name, kind))
	}
	if encoder < 35 {
		t.Errorf("%d tensors of the encoder", encoder)
	}
}

// TestBadWeights checks the errors for files that are not valid weights.
func TestBadWeights(t *testing.T) {
	header := func(text string) []byte {
		return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
	}
	dir := copyFolder(t)
	for _, c := range []struct {
		name string
		raw  []byte
		want string
	}{
		{"pointer", []byte(lfsPointer + ".github.com/spec/v1\noid sha256:0\nsize 1\n"), "download them with `git lfs pull`"},
		{"empty", nil, "does not start like a safetensors file"},
		{"text", []byte("<html>not found</html>"), "does not start like a safetensors file"},
		{"long header", binary.LittleEndian.AppendUint64(nil, 1<<63), "does not start like a safetensors file"},
		{"longer than the file", binary.LittleEndian.AppendUint64(nil, 100), "cut off or damaged"},
		{"no object", header("[]"), "cut off or damaged"},
		{"null", header("null"), "no tensor"},
		{"null tensor", header(`{"a":null}`), "cut off or damaged"},
		{"type", header(`{"a":{"dtype":"F8_E4M3","shape":[],"data_offsets":[0,0]}}`), "a type that cannot be read"},
		{"offsets", header(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`), "cut off or damaged"},
		{"wide", header(`{"a":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]}}`), "cut off or damaged"},
		{"name", header("{" + strings.Repeat(`"`+strings.Repeat("a", 1<<20)+`":{"shape":[`+strings.Repeat("{},", 100000)+"{}]}", 1) + "}"), "cut off or damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			write(t, c.raw, dir, weightsFile)
			refused(t, dir, c.want)
		})
	}
	if err := os.Remove(filepath.Join(dir, weightsFile)); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, "has no model.safetensors", "huggingface-cli download")
	for name, what := range otherWeights {
		write(t, []byte("\x80\x02"), dir, name)
		refused(t, dir, name, what, "save_pretrained(DIR, safe_serialization=True, max_shard_size")
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// numbers returns the values of all float tensors.
func numbers(t testing.TB, f *Folder) map[string][]float32 {
	t.Helper()
	names := slices.Sorted(maps.Keys(f.tensors))
	var shapes [][]int64
	for _, name := range names {
		var shape []int64
		for _, dim := range f.tensors[name].shape {
			shape = append(shape, int64(dim))
		}
		shapes = append(shapes, shape)
	}
	out := map[string][]float32{}
	err := f.Floats(names, shapes, func(i int, data []float32) error {
		out[names[i]] = slices.Clone(data)
		return nil
	})
	if err != nil || len(out) != len(names) {
		t.Fatalf("%d of %d tensors: %v", len(out), len(names), err)
	}
	return out
}

func digestOf(t testing.TB, f *Folder) string {
	t.Helper()
	digest, err := f.Digest()
	if err != nil || len(digest) != 64 {
		t.Fatalf("%q, %v", digest, err)
	}
	return digest
}

// TestDigests checks that the digest depends only on the files that define the model, and not on
// where the folder is.
func TestDigests(t *testing.T) {
	dir := copyFolder(t)
	write(t, []byte("what people say of it"), dir, "README.md")
	f := mustOpen(t, dir)
	want := digestOf(t, mustOpen(t, small))
	if got := digestOf(t, f); got != want {
		t.Errorf("the digest of a copy is %s, that of the folder %s", got, want)
	}
	if names := f.Files(); !slices.Equal(names, []string{configFile, tokenizerName, settingsName, weightsFile}) {
		t.Errorf("files %v", names)
	}
	if n := len(read(t, dir, weightsFile)); f.Bytes() != int64(n) {
		t.Errorf("%d bytes, want %d", f.Bytes(), n)
	}
	seen := map[string]string{want: "itself"}
	for _, name := range f.Files() {
		whole := read(t, dir, name)
		for _, at := range []int{0, len(whole) / 2, len(whole) - 1} {
			other := bytes.Clone(whole)
			other[at] ^= 1
			write(t, other, dir, name)
			got := digestOf(t, f)
			if as := seen[got]; as != "" {
				t.Errorf("another byte %d of %s has the digest of %s", at, name, as)
			}
			seen[got] = fmt.Sprint(name, at)
		}
		write(t, whole, dir, name)
	}
	write(t, []byte("{}"), dir, specialName)
	if digestOf(t, mustOpen(t, dir)) == want {
		t.Error("a file of the tokenizer more leaves the digest")
	}
	if err := os.Remove(filepath.Join(dir, weightsFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Digest(); !isSentence(err, filepath.Join(dir, weightsFile)) {
		t.Errorf("without the weights: %v", err)
	}
}

// TestUnreadable checks the errors for folders and files that are missing, of the wrong type or not
// readable.
func TestUnreadable(t *testing.T) {
	dir := copyFolder(t)
	refused(t, filepath.Join(dir, configFile), "not a readable folder")
	refused(t, filepath.Join(dir, "none"), "not a readable folder")
	for _, name := range mustOpen(t, dir).Files() {
		path := filepath.Join(dir, name)
		whole := read(t, path)
		for what, make := range map[string]func() error{
			"is a directory":                    func() error { return os.Mkdir(path, 0o700) },
			"it is not a regular file":          func() error { return syscall.Mkfifo(path, 0o600) },
			"too many levels of symbolic links": func() error { return os.Symlink(path, path) },
		} {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := make(); err != nil {
				t.Fatal(err)
			}
			// Weights whose path is a link to itself count as missing.
			if name == weightsFile && strings.HasPrefix(what, "too") {
				what = "has no model.safetensors"
			}
			refused(t, dir, what, name)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		write(t, whole, path)
		if os.Geteuid() != 0 { // the user root can read files of any mode
			if err := os.Chmod(path, 0); err != nil {
				t.Fatal(err)
			}
			refused(t, dir, "permission denied", name)
			if err := os.Chmod(path, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	mustOpen(t, dir)
}

// TestHugeFolders checks that files larger than the machine's memory are refused without reading
// them.
func TestHugeFolders(t *testing.T) {
	long := `{"` + strings.Repeat("a", 100) + `":{"dtype":"F32","data_offsets":[0,4],"shape":[`
	for _, c := range []struct {
		name, file, want string
		begins           string // the header of the weights file
		size             int64
	}{
		{"weights", weightsFile, "have 1024 GB, but at most 16 are read", "{}", 1 << 40},
		{"weights of nothing", weightsFile, "cut off or damaged", "", 15 << 30},
		{"weights of one tensor", weightsFile, "no tensor", fmt.Sprintf(
			`{"a":{"dtype":"F32","shape":[%d],"data_offsets":[0,%d]}}`, 3<<30, int64(12<<30)), 12 << 30},
		{"header of dimensions", weightsFile, "cut off or damaged", long + strings.Repeat("1,", maxHeader/2-100) + `1]}}`, 0},
		{"header of objects", weightsFile, "cut off or damaged", long + strings.Repeat("{},", maxHeader/3-100) + `{}]}}`, 0},
		{"header of tensors", weightsFile, "cut off or damaged", "{" + strings.Repeat(`"":{},`, maxHeader/6-100) + `"":{}}`, 0},
		{"config", configFile, "has 1048576 MB, but at most 4 are read", "", 1 << 40},
		{"tokenizer", tokenizerName, "has 1024 MB, but at most 16 are read", "", 1 << 30},
		{"settings", settingsName, "has 1024 MB, but at most 4 are read", "", 1 << 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := copyFolder(t)
			path := filepath.Join(dir, c.file)
			if c.file == weightsFile {
				write(t, append(binary.LittleEndian.AppendUint64(nil, uint64(len(c.begins))), c.begins...), path)
				if c.size > 0 {
					c.size += int64(8 + len(c.begins))
				}
			}
			if c.size > 0 {
				if err := os.Truncate(path, c.size); err != nil {
					t.Skipf("the file system has no room for a file of %d GB with a hole: %v", c.size>>30, err)
				}
			}
			if grown := allocates(func() { refused(t, dir, c.want) }); grown > 500<<20 {
				t.Errorf("%d MB were taken", grown>>20)
			}
		})
	}
}

// TestHalves checks the conversion of all 65,536 float16 and all 65,536 bfloat16 values. It reads
// them from a folder and compares them with numbers computed from the definition of each format.
func TestHalves(t *testing.T) {
	for bits, want := range map[uint16]float32{
		0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0xfbff: -65504, 0x0400: 6.103515625e-05, 0x03ff: 6.0975552e-05,
		0x0001: 5.9604645e-08, 0x8001: -5.9604645e-08, 0x3555: 0.33325195, 0x2e66: 0.099975586, 0x0000: 0,
		0x7c00: float32(math.Inf(1)), 0xfc00: float32(math.Inf(-1)), 0x3c01: 1.0009766,
	} {
		if got := halfToFloat(bits); got != want {
			t.Errorf("%#04x is %v, want %v", bits, got, want)
		}
	}
	value := func(h uint16, exponent, fraction, bias int) float64 {
		e, f := int(h)>>fraction&(1<<exponent-1), float64(int(h)&(1<<fraction-1))
		sign, unit := 1., math.Ldexp(1, -fraction)
		if h>>15 == 1 {
			sign = -1
		}
		switch {
		case e == 1<<exponent-1 && f == 0:
			return math.Inf(int(sign))
		case e == 1<<exponent-1:
			return math.NaN()
		case e == 0:
			return math.Copysign(math.Ldexp(f*unit, 1-bias), sign)
		}
		return sign * math.Ldexp(1+f*unit, e-bias)
	}
	dir := copyFolder(t)
	was := readWeights(t, dir, weightsFile)
	for kind, of := range map[safetensors.DType]func(h uint16) float64{
		safetensors.F16:  func(h uint16) float64 { return value(h, 5, 10, 15) },
		safetensors.BF16: func(h uint16) float64 { return value(h, 8, 7, 127) },
	} {
		// Distribute all values over the folder's tensors. An additional tensor holds the values
		// that do not fit.
		all, next, written := maps.Clone(was), 0, map[string]int{}
		fill := func(n uint64) (raw []byte) {
			for range n {
				raw = binary.LittleEndian.AppendUint16(raw, uint16(next))
				next++
			}
			return raw
		}
		for name, tensor := range was {
			written[name] = next
			all.as(t, name, kind, tensor.Shape(), fill(tensor.DataLen()/4))
		}
		written["rest"] = next
		view, err := safetensors.NewTensorView(kind, []uint64{65536}, fill(65536))
		if err != nil {
			t.Fatal(err)
		}
		all["rest"] = view
		all.write(t, dir, weightsFile)
		for name, got := range numbers(t, mustOpen(t, dir)) {
			for i, v := range got {
				h := uint16(written[name] + i)
				want := of(h)
				if math.IsNaN(want) != math.IsNaN(float64(v)) || !math.IsNaN(want) && float64(v) != want ||
					math.Signbit(want) != math.Signbit(float64(v)) && !math.IsNaN(want) {
					t.Fatalf("%v %#04x is %v, want %v", kind, h, v, want)
				}
			}
		}
	}
}

// TestFloats checks that Floats returns an error if a tensor is missing or has another shape, or if
// the callback returns an error.
func TestFloats(t *testing.T) {
	dir := copyFolder(t)
	all := readWeights(t, dir, weightsFile)
	position, err := safetensors.NewTensorView(safetensors.I64, []uint64{1, 2}, make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	// Older folders have this tensor. No code reads it.
	all["bert.embeddings.position_ids"] = position
	all.write(t, dir, weightsFile)
	f := mustOpen(t, dir)
	of := func(name string, shape ...int64) error {
		return f.Floats([]string{name}, [][]int64{shape}, func(int, []float32) error {
			return userr.New(userr.BadInput, "stopped")
		})
	}
	for want, err := range map[string]error{
		`tensor "cls.predictions.bias": stopped`:                  of("cls.predictions.bias", 400),
		`no tensor "classifier.weight"`:                           of("classifier.weight", 3, 32),
		`tensor "cls.predictions.bias" is [400]`:                  of("cls.predictions.bias", 400, 1),
		`tensor "bert.embeddings.position_ids" is of type I64`:    of("bert.embeddings.position_ids", 1, 2),
		`tensor "cls.predictions.bias" is [400], but config.json`: of("cls.predictions.bias", 401),
	} {
		if !isSentence(err, dir) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	// Replace the file after it was inspected.
	delete(all, "cls.predictions.bias")
	all.write(t, dir, weightsFile)
	if err := of("cls.predictions.bias", 400); !isSentence(err, dir) || !strings.Contains(err.Error(), "has changed since it was checked") {
		t.Error(err)
	}
}

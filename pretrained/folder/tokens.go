package folder

type Tokenizer struct{ n int }
type Special struct{ CLS, SEP, Mask, Unk, Pad int64 }
var tokenizerFiles = []string{"tokenizer.json"}
func openTokenizer(dir string, family Family) (*Tokenizer, error) { return &Tokenizer{}, nil }
func (t *Tokenizer) Len() int { return t.n }
func (t *Tokenizer) Special() Special { return Special{} }
func (t *Tokenizer) Word(string) []int64 { return []int64{0} }
func (t *Tokenizer) Encode(string) ([]int64, error) { return []int64{0}, nil }

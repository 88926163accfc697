package folder

type Tokenizer struct{ n int }
type Special struct{ CLS, SEP, Mask, Unk, Pad int64 }

var tokenizerFiles = []string{"tokenizer.json"}

func openTokenizer(dir string, family Family) (*Tokenizer, error) { return &Tokenizer{}, nil }
func (t *Tokenizer) Len() int                                     { return t.n }

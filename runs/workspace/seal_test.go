package workspace

import (
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzUnseal: whatever stands in a record, it is taken with the right sum alone, and with another
// byte anywhere it is refused or says the same.
func FuzzUnseal(f *testing.F) {
	f.Add([]byte(`{"kind":"vocab","id":"ab","state":"done","inputs":{"prepare":"cd"},"seconds":1.5e-3,
"files":{"out.txt":{"size":3,"sha256":"00"}},"start":"2026-01-02T03:04:05.6Z",
"settings":{"a":[1,null,"\u00e9"]}}`), 7, byte(1))
	f.Add([]byte(`{"state":"failed","error":"no luck"}`), 3, byte(4))
	f.Add([]byte(`{"state":"done","State":"done","sum":"x","SUM":"y","x":{"b":1,"a":1,"b":2}}`), 20, byte(32))
	f.Add([]byte(`{"state":"done","settings":1e999}`), 0, byte(255))
	f.Fuzz(func(t *testing.T, text []byte, at int, change byte) {
		r, err := unseal(text)
		if err != nil || r.State == StateDone {
			var fields map[string]json.RawMessage
			if json.Unmarshal(text, &fields) != nil {
				return
			}
			delete(fields, "sum")
			if text, err = json.Marshal(fields); err != nil {
				t.Fatal(err)
			}
			sum, err := sumOf(text, "")
			if err != nil {
				return
			}
			fields["sum"], _ = json.Marshal(sum)
			if text, err = json.Marshal(fields); err != nil {
				t.Fatal(err)
			}
			if r, err = unseal(text); err != nil {
				return // its fields are of other types than a record's, or repeated in other letters
			}
		}
		if r.State != StateDone || len(text) == 0 {
			return
		}
		text[uint(at)%uint(len(text))] ^= change
		if other, err := unseal(text); err == nil && other.State == StateDone && !reflect.DeepEqual(r, other) {
			t.Errorf("damaged, it is taken as another record: %s", text)
		}
	})
}

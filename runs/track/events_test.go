package track

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestEventBytes: the bytes that tensorboard 2.21.0 writes, by
// tensorboard.summary.writer.record_writer.RecordWriter and tensorboard.compat.proto.event_pb2.
func TestEventBytes(t *testing.T) {
	for name, c := range map[string]struct {
		got  []byte
		want string
	}{
		"record": {appendRecord(nil, []byte("smlm")), "040000000000000042455204736d6c6d1a1aa3c8"},
		"scalars": {
			scalarsEvent(1700000000.5, 7, map[string]float64{"train_loss": 1.5, "dev_loss": 0.25}),
			"0900002040fc54d94110072a240a0f0a086465765f6c6f7373150000803e0a110a0a747261696e5f6c6f7373150000c03f",
		},
		"version": {firstEvent(1), "09000000000000f03f1a0d627261696e2e4576656e743a32"},
	} {
		if got := hex.EncodeToString(c.got); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestEventsBack: what is written is read back, and any damage of a record is seen.
func TestEventsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := event{Seconds: rapid.Float64Range(0, 2e9).Draw(t, "time"), Step: rapid.IntRange(0, 1<<40).Draw(t, "step")}
		values := map[string]float64{}
		for range rapid.IntRange(1, 4).Draw(t, "values") {
			values[rapid.StringMatching(`[a-z_/]{1,12}`).Draw(t, "name")] = float64(rapid.Float32Range(-1e9, 1e9).Draw(t, "value"))
		}
		e.Values = short(values)
		text := appendRecord(nil, scalarsEvent(e.Seconds, e.Step, values))
		data, rest, err := nextRecord(append(bytes.Clone(text), "next"...))
		if err != nil || string(rest) != "next" {
			t.Fatalf("%q, %v", rest, err)
		}
		got, err := readEvent(data)
		if d := cmp.Diff(e, got); d != "" || err != nil {
			t.Errorf("%s, %v", d, err)
		}
		cut := rapid.IntRange(0, len(text)-1).Draw(t, "cut")
		if _, _, err := nextRecord(text[:cut]); !errors.Is(err, errRecord) {
			t.Errorf("cut to %d bytes: %v", cut, err)
		}
		text[rapid.IntRange(0, len(text)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if _, _, err := nextRecord(text); !errors.Is(err, errRecord) {
			t.Errorf("a flipped bit: %v", err)
		}
	})
}

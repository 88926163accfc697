package track

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"
)

// TestEventBytes: the bytes are those that tensorboard 2.21.0 writes, with
// tensorboard.summary.writer.record_writer.RecordWriter and tensorboard.compat.proto.event_pb2.
func TestEventBytes(t *testing.T) {
	const version = "09000000000000f03f1a0d627261696e2e4576656e743a32"
	const scalars = "0900002040fc54d94110072a240a0f0a086465765f6c6f7373150000803e0a110a0a747261696e5f6c6f7373150000c03f"
	if got := hex.EncodeToString(appendRecord(nil, []byte("smlm"))); got != "040000000000000042455204736d6c6d1a1aa3c8" {
		t.Errorf("record: %s", got)
	}
	later := step{7, time.UnixMilli(1700000000500), map[string]float64{"train_loss": 1.5, "dev_loss": 0.25}}
	if got := hex.EncodeToString(scalarsEvent(later)); got != scalars {
		t.Errorf("scalars: %s", got)
	}
	first := step{0, time.UnixMilli(1000), map[string]float64{}}
	want, err := hex.DecodeString(version)
	if err != nil {
		t.Fatal(err)
	}
	want = appendRecord(appendRecord(nil, want), scalarsEvent(first))
	if got := events([]step{first}); !slices.Equal(got, want) {
		t.Errorf("file: %x, want %x", got, want)
	}
}

// TestEventsBack: steps that are written as events are read back unchanged.
func TestEventsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []step
		var want []string
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			s := step{
				rapid.IntRange(0, 1<<40).Draw(t, "number"), time.UnixMilli(rapid.Int64Range(0, 2e12).Draw(t, "time")),
				map[string]float64{},
			}
			for range rapid.IntRange(1, 4).Draw(t, "values") {
				s.values[rapid.StringMatching(`[a-z_/]{1,12}`).Draw(t, "name")] = float64(rapid.Float32Range(-1e9, 1e9).Draw(t, "value"))
			}
			all, want = append(all, s), append(want, s.line())
		}
		got, err := readEvents(events(all))
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s, %v", d, err)
		}
	})
}

// line formats a step in the same way as readEvents.
func (s step) line() string {
	values := map[string]float32{}
	for name, v := range s.values {
		values[name] = float32(v)
	}
	return fmt.Sprintf("%d: %v", s.number, values)
}

// eventsIn reads the steps of an event file.
func eventsIn(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := readEvents(text)
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return lines
}

// readEvents decodes the text of an event file into one line per step.
func readEvents(text []byte) (lines []string, err error) {
	for len(text) > 0 {
		if len(text) < 16 || uint64(len(text)) < 16+binary.LittleEndian.Uint64(text) {
			return lines, fmt.Errorf("a record is cut short after %q", lines)
		}
		n := binary.LittleEndian.Uint64(text)
		data := text[12 : 12+n]
		if binary.LittleEndian.Uint32(text[8:]) != masked(text[:8]) ||
			binary.LittleEndian.Uint32(text[12+n:]) != masked(data) {
			return lines, fmt.Errorf("a checksum is wrong after %q", lines)
		}
		text = text[16+n:]
		event, err := fieldsOf(data)
		if err != nil {
			return lines, err
		}
		if summary, has := event[5]; has {
			line, err := summaryLine(event[2], summary[0].text)
			if err != nil {
				return lines, err
			}
			lines = append(lines, line)
		}
	}
	return lines, nil
}

func summaryLine(number []value, summary []byte) (string, error) {
	values := map[string]float32{}
	found, err := fieldsOf(summary)
	for _, one := range found[1] {
		fields, wrong := fieldsOf(one.text)
		if wrong != nil {
			return "", wrong
		}
		values[string(fields[1][0].text)] = math.Float32frombits(uint32(fields[2][0].bits))
	}
	if number == nil {
		number = []value{{}}
	}
	return fmt.Sprintf("%d: %v", number[0].bits, values), err
}

// value is the value of a field in a message: the bits of a number, or a text.
type value struct {
	bits uint64
	text []byte
}

// fieldsOf decodes a message into the values of each field.
func fieldsOf(message []byte) (map[protowire.Number][]value, error) {
	fields := map[protowire.Number][]value{}
	for len(message) > 0 {
		number, typ, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		message = message[n:]
		var v value
		switch typ {
		case protowire.VarintType:
			v.bits, n = protowire.ConsumeVarint(message)
		case protowire.Fixed64Type:
			v.bits, n = protowire.ConsumeFixed64(message)
		case protowire.Fixed32Type:
			var short uint32
			short, n = protowire.ConsumeFixed32(message)
			v.bits = uint64(short)
		default:
			v.text, n = protowire.ConsumeBytes(message)
		}
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		fields[number] = append(fields[number], v)
		message = message[n:]
	}
	return fields, nil
}

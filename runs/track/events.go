package track

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// TensorBoard's files are records (TFRecord): the length as 8 bytes, a checksum of these, the data,
// a checksum of the data, all little-endian. Data is an Event of tensorboard/compat/proto, of which
// these fields are written:
//
//	Event: wall_time = 1, step = 2, file_version = 3, summary = 5
//	Summary: value = 1; Value: tag = 1, simple_value = 2, tensor = 8, metadata = 9
//	SummaryMetadata: plugin_data = 1; PluginData: plugin_name = 1
//	TensorProto: dtype = 1, string_val = 8
const (
	dtString    = 7
	fileVersion = "brain.Event:2"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked is the CRC32C of a text as records have it: rotated and shifted, so that a checksum of
// text that holds checksums is none of these.
func masked(text []byte) uint32 {
	c := crc32.Checksum(text, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}

// appendRecord frames data.
func appendRecord(to, data []byte) []byte {
	head := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	to = binary.LittleEndian.AppendUint32(append(to, head...), masked(head))
	return binary.LittleEndian.AppendUint32(append(to, data...), masked(data))
}

var errRecord = errors.New("a record is cut short or damaged")

// nextRecord takes the first record from a text.
func nextRecord(text []byte) (data, rest []byte, err error) {
	if len(text) < 12 || masked(text[:8]) != binary.LittleEndian.Uint32(text[8:]) {
		return nil, nil, errRecord
	}
	n := binary.LittleEndian.Uint64(text)
	if rest = text[12:]; n > uint64(len(rest)) || uint64(len(rest))-n < 4 {
		return nil, nil, errRecord
	}
	data, rest = rest[:n], rest[n:]
	if masked(data) != binary.LittleEndian.Uint32(rest) {
		return nil, nil, errRecord
	}
	return data, rest[4:], nil
}

// field appends a field that has a length.
func field(to []byte, n protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(to, n, protowire.BytesType), value)
}

// firstEvent names the format.
func firstEvent(seconds float64) []byte {
	return field(header(seconds, 0), 3, []byte(fileVersion))
}

func header(seconds float64, step int) []byte {
	e := protowire.AppendFixed64(protowire.AppendTag(nil, 1, protowire.Fixed64Type), math.Float64bits(seconds))
	if step == 0 {
		return e
	}
	return protowire.AppendVarint(protowire.AppendTag(e, 2, protowire.VarintType), uint64(step))
}

// scalarsEvent has the figures of a step, in the order of their names.
func scalarsEvent(seconds float64, step int, values map[string]float64) []byte {
	var summary []byte
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := field(nil, 1, []byte(name))
		v = protowire.AppendTag(v, 2, protowire.Fixed32Type)
		v = protowire.AppendFixed32(v, math.Float32bits(float32(values[name])))
		summary = field(summary, 1, v)
	}
	return field(header(seconds, step), 5, summary)
}

// textEvent has a text, of which TensorBoard's text plugin shows the Markdown.
func textEvent(seconds float64, tag, text string) []byte {
	plugin := field(nil, 1, field(nil, 1, []byte("text")))
	tensor := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), dtString)
	tensor = field(tensor, 8, []byte(text))
	value := field(field(field(nil, 1, []byte(tag)), 8, tensor), 9, plugin)
	return field(header(seconds, 0), 5, field(nil, 1, value))
}

// event is what is read back of an Event.
type event struct {
	Seconds float64
	Step    int
	Version string
	Values  map[string]float32 // scalars
}

// readEvent decodes an Event, of which it passes over what is not ours.
func readEvent(data []byte) (e event, err error) {
	err = eachField(data, func(n protowire.Number, bits uint64, value []byte) error {
		switch n {
		case 1:
			e.Seconds = math.Float64frombits(bits)
		case 2:
			e.Step = int(bits)
		case 3:
			e.Version = string(value)
		case 5:
			return eachField(value, func(n protowire.Number, _ uint64, one []byte) error {
				tag, scalar := "", math.NaN()
				err := eachField(one, func(n protowire.Number, bits uint64, value []byte) error {
					switch n {
					case 1:
						tag = string(value)
					case 2:
						scalar = float64(math.Float32frombits(uint32(bits)))
					}
					return nil
				})
				if n == 1 && !math.IsNaN(scalar) {
					if e.Values == nil {
						e.Values = map[string]float32{}
					}
					e.Values[tag] = float32(scalar)
				}
				return err
			})
		}
		return nil
	})
	return e, err
}

// eachField calls f with the fields of a message: a number's bits, or a text.
func eachField(message []byte, f func(n protowire.Number, bits uint64, value []byte) error) error {
	for len(message) > 0 {
		number, typ, n := protowire.ConsumeTag(message)
		if n < 0 {
			return fmt.Errorf("a field's tag: %w", protowire.ParseError(n))
		}
		message = message[n:]
		var bits uint64
		var value []byte
		switch typ {
		case protowire.VarintType:
			bits, n = protowire.ConsumeVarint(message)
		case protowire.Fixed64Type:
			bits, n = protowire.ConsumeFixed64(message)
		case protowire.Fixed32Type:
			var short uint32
			short, n = protowire.ConsumeFixed32(message)
			bits = uint64(short)
		case protowire.BytesType:
			value, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(number, typ, message)
		}
		if n < 0 {
			return fmt.Errorf("field %d: %w", number, protowire.ParseError(n))
		}
		if err := f(number, bits, value); err != nil {
			return err
		}
		message = message[n:]
	}
	return nil
}

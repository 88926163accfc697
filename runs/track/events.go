package track

import (
	"encoding/binary"
	"hash/crc32"
	"maps"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// TensorBoard's files consist of records (TFRecord). A record consists of the length of the data (8
// bytes), the checksum of the length, the data, and the checksum of the data, all little-endian.
// The data is an Event of tensorboard/compat/proto, with these fields:
//
//	Event: wall_time = 1, step = 2, file_version = 3, summary = 5
//	Summary: value = 1; Value: tag = 1, simple_value = 2
const fileVersion = "brain.Event:2"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// events encodes an event file.
func events(all []step) []byte {
	text := appendRecord(nil, field(header(all[0]), 3, []byte(fileVersion)))
	for _, s := range all {
		text = appendRecord(text, scalarsEvent(s))
	}
	return text
}

// appendRecord appends data as a record.
func appendRecord(to, data []byte) []byte {
	head := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	to = binary.LittleEndian.AppendUint32(append(to, head...), masked(head))
	return binary.LittleEndian.AppendUint32(append(to, data...), masked(data))
}

// masked returns the CRC32C of a text as records store it: rotated, with a constant added. TFRecord
// stores CRCs in this form because computing the CRC of text that contains CRCs is problematic.
func masked(text []byte) uint32 {
	c := crc32.Checksum(text, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}

// field appends a length-delimited field to a message.
func field(to []byte, n protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(to, n, protowire.BytesType), value)
}

// header encodes an Event's wall time.
func header(s step) []byte {
	seconds := float64(s.time.UnixMilli()) / 1000
	return protowire.AppendFixed64(protowire.AppendTag(nil, 1, protowire.Fixed64Type), math.Float64bits(seconds))
}

// scalarsEvent encodes the values of a step, sorted by name.
func scalarsEvent(s step) []byte {
	var summary []byte
	for _, name := range slices.Sorted(maps.Keys(s.values)) {
		v := field(nil, 1, []byte(name))
		v = protowire.AppendTag(v, 2, protowire.Fixed32Type)
		v = protowire.AppendFixed32(v, math.Float32bits(float32(s.values[name])))
		summary = field(summary, 1, v)
	}
	event := header(s)
	if s.number > 0 {
		event = protowire.AppendVarint(protowire.AppendTag(event, 2, protowire.VarintType), uint64(s.number))
	}
	return field(event, 5, summary)
}

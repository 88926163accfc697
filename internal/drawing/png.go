package drawing

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"

	"gonum.org/v1/plot/vg/vgimg"
)

// pngDPI is the resolution that printers ask of pictures with letters.
const pngDPI = 300

// png is a canvas whose file says how large it is on paper. Go's encoder leaves that out, and a
// typesetter then takes a picture for four times as wide as it is.
type png struct{ vgimg.PngCanvas }

// afterHead is where the chunks of a PNG begin that follow its first: 8 bytes that name the format,
// and IHDR with 13 bytes of data, its length, name and checksum.
const afterHead = 8 + 4 + 4 + 13 + 4

// WriteTo writes the picture with its resolution, in the chunk pHYs.
func (p png) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if _, err := p.PngCanvas.WriteTo(&b); err != nil {
		return 0, err
	}
	perMetre := uint32(math.Round(pngDPI / 0.0254))
	chunk := []byte("pHYs")
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre) // across
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre) // and up
	chunk = append(chunk, 1)                               // the unit is the metre
	whole := binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-4))
	whole = append(whole, chunk...)
	whole = binary.BigEndian.AppendUint32(whole, crc32.ChecksumIEEE(chunk))
	text := b.Bytes()
	n, err := w.Write(append(append(bytes.Clone(text[:afterHead]), whole...), text[afterHead:]...))
	return int64(n), err
}

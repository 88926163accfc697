package files

import "bytes"

// Gzip is the format that Foreign returns for a gzip file. Callers that can unpack gzip compare the
// format with Gzip.
const Gzip = "gzip"

// Foreign recognises common formats other than UTF-8 text by the first bytes of a file. It returns
// the format and advice on how to convert the file, or "" if it recognises none.
func Foreign(head []byte) (format, advice string) {
	for _, known := range []struct{ begin, format, advice string }{
		{"\x1f\x8b", Gzip, "unpack it with gunzip"},
		{"BZh91AY&SY", "bzip2", "unpack it with bunzip2"},
		{"\xfd7zXZ\x00", "xz", "unpack it with unxz"},
		{"\x28\xb5\x2f\xfd", "zstd", "unpack it with unzstd"},
		{"PK\x03\x04", "a zip archive or a spreadsheet", "unpack it, or save the sheet as text"},
		{"PAR1\x15", "Parquet", "write it as JSON lines"},
		{"\x7fELF", "a program", "give a text file"},
		{"\xff\xfe\x00\x00", "UTF-32", "convert it to UTF-8, with iconv -f UTF-32 -t UTF-8"},
		{"\x00\x00\xfe\xff", "UTF-32", "convert it to UTF-8, with iconv -f UTF-32 -t UTF-8"},
		{"\xff\xfe", "UTF-16", "convert it to UTF-8, with iconv -f UTF-16 -t UTF-8"},
		{"\xfe\xff", "UTF-16", "convert it to UTF-8, with iconv -f UTF-16 -t UTF-8"},
	} {
		if bytes.HasPrefix(head, []byte(known.begin)) {
			return known.format, known.advice
		}
	}
	// UTF-16 and UTF-32 without a byte order mark have at least one zero byte in each ASCII letter.
	head = head[:min(len(head), 1000)]
	zeros, even := bytes.Count(head, []byte{0}), 0 // even counts zeros at even places
	for i := 0; i < len(head); i += 2 {
		if head[i] == 0 {
			even++
		}
	}
	// In UTF-32, the highest byte of a letter is 0, and the second highest byte (the Unicode plane)
	// is at most the constant second.
	const second = 3
	encoding := "UTF-16LE"
	switch {
	case len(head) < 2 || 4*zeros < len(head):
		return "", ""
	case fourth(head, 3, 0) && fourth(head, 2, second):
		encoding = "UTF-32LE"
	case fourth(head, 0, 0) && fourth(head, 1, second):
		encoding = "UTF-32BE"
	case 4*even > zeros && 4*even < 3*zeros:
		return "binary data", "give a text file"
	case 2*even > zeros:
		encoding = "UTF-16BE"
	}
	return encoding[:len("UTF-16")], "convert it to UTF-8, with iconv -f " + encoding + " -t UTF-8"
}

// fourth reports whether the bytes at the indices from, from+4, from+8 and so on are at most limit.
// It returns false if there are none.
func fourth(head []byte, from int, limit byte) bool {
	for i := from; i < len(head); i += 4 {
		if head[i] > limit {
			return false
		}
	}
	return from < len(head)
}

package files

import "bytes"

// Gzip is the format that Foreign returns for a gzip file. Callers that can unpack gzip compare the
// format with Gzip.
const Gzip = "gzip"

// Foreign recognises, by the first bytes of a file, common formats other than UTF-8 text. It
// returns the format and advice on how to convert the file, or "" if it recognises none.
func Foreign(head []byte) (format, advice string) {
	for _, known := range []struct{ begin, format, advice string }{
		{"\x1f\x8b", Gzip, "unpack it with gunzip"},
		{"BZh91AY&SY", "bzip2", "unpack it with bunzip2"},
		{"\xfd7zXZ\x00", "xz", "unpack it with unxz"},
		{"\x28\xb5\x2f\xfd", "zstd", "unpack it with unzstd"},
		{"PK\x03\x04", "a zip archive or a spreadsheet", "unpack it, or save the sheet as text"},
		{"PAR1\x15", "Parquet", "write its texts to a file, one per line"},
		{"\xff\xfe", "UTF-16", "convert it to UTF-8, with iconv -f UTF-16 -t UTF-8"},
		{"\xfe\xff", "UTF-16", "convert it to UTF-8, with iconv -f UTF-16 -t UTF-8"},
	} {
		if bytes.HasPrefix(head, []byte(known.begin)) {
			return known.format, known.advice
		}
	}
	// UTF-16 without a byte order mark has a zero byte with each ASCII letter.
	head = head[:min(len(head), 1000)]
	if zeros := bytes.Count(head, []byte{0}); len(head) > 1 && 4*zeros >= len(head) {
		encoding := "UTF-16LE"
		if head[0] == 0 {
			encoding = "UTF-16BE"
		}
		return "UTF-16", "convert it to UTF-8, with iconv -f " + encoding + " -t UTF-8"
	}
	return "", ""
}

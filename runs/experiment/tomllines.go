package experiment

import "strings"

// keyLines returns the line (from 1) on which every key and table header of a TOML text first stands, by dotted
// path. The TOML library gives lines only with its own errors. The text has been parsed before, so the scanner
// trusts its syntax; keys inside an inline table are not listed and take their parent's line (see lineOf).
func keyLines(text string) map[string]int {
	s := &lineScanner{text: text, line: 1, lines: map[string]int{}}
	for !s.end() {
		s.statement()
	}
	return s.lines
}

// lineOf returns the line of path or of its nearest listed parent, 0 when there is none.
func lineOf(lines map[string]int, path string) int {
	for {
		if n, ok := lines[path]; ok {
			return n
		}
		cut := strings.LastIndexByte(path, '.')
		if cut < 0 {
			return 0
		}
		path = path[:cut]
	}
}

type lineScanner struct {
	text  string
	pos   int
	line  int
	table []string // of the last header
	lines map[string]int
}

func (s *lineScanner) end() bool { return s.pos >= len(s.text) }

func (s *lineScanner) next() {
	if s.text[s.pos] == '\n' {
		s.line++
	}
	s.pos++
}

// statement consumes one line-level construct: blank, comment, header or key with its value.
func (s *lineScanner) statement() {
	s.skip(" \t\r\n")
	if s.end() {
		return
	}
	switch s.text[s.pos] {
	case '#':
		s.restOfLine()
	case '[':
		s.skip("[")
		s.table = s.keys("]")
		s.record(nil)
		s.restOfLine()
	default:
		s.record(s.keys("="))
		s.value()
	}
}

func (s *lineScanner) record(key []string) {
	path := strings.Join(append(append([]string{}, s.table...), key...), ".")
	if _, known := s.lines[path]; !known {
		s.lines[path] = s.line
	}
}

func (s *lineScanner) skip(set string) {
	for !s.end() && strings.IndexByte(set, s.text[s.pos]) >= 0 {
		s.next()
	}
}

func (s *lineScanner) restOfLine() {
	for !s.end() && s.text[s.pos] != '\n' {
		s.next()
	}
}

// keys reads a dotted key up to and including one of the stop bytes; it gives up at the end of the line.
func (s *lineScanner) keys(stop string) []string {
	var parts []string
	var bare strings.Builder
	flush := func() {
		if p := strings.TrimSpace(bare.String()); p != "" {
			parts = append(parts, p)
		}
		bare.Reset()
	}
	for !s.end() && s.text[s.pos] != '\n' {
		c := s.text[s.pos]
		switch {
		case strings.IndexByte(stop, c) >= 0:
			flush()
			s.next()
			return parts
		case c == '"' || c == '\'':
			start := s.pos + 1
			s.quoted()
			parts = append(parts, strings.TrimRight(s.text[min(start, s.pos):s.pos], `"'`))
		case c == '.':
			flush()
			s.next()
		default:
			bare.WriteByte(c)
			s.next()
		}
	}
	flush()
	return parts
}

// value skips a value: to the end of its line, or further while a bracket or a multi-line string is open.
func (s *lineScanner) value() {
	depth := 0
	for !s.end() {
		switch c := s.text[s.pos]; {
		case c == '#':
			s.restOfLine()
			continue
		case c == '"' || c == '\'':
			s.quoted()
			continue
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == '\n' && depth <= 0:
			return
		}
		s.next()
	}
}

// quoted skips a string of any of TOML's four kinds, starting at its opening quote.
func (s *lineScanner) quoted() {
	quote := s.text[s.pos : s.pos+1]
	if strings.HasPrefix(s.text[s.pos:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	s.pos += len(quote)
	for !s.end() {
		switch {
		case strings.HasPrefix(s.text[s.pos:], quote):
			s.pos += len(quote)
			// A multi-line string may end in up to two quotes of its own: """a"" + """.
			for len(quote) == 3 && !s.end() && s.text[s.pos] == quote[0] {
				s.pos++
			}
			return
		case s.text[s.pos] == '\\' && quote[0] == '"' && s.pos+1 < len(s.text):
			s.next()
			s.next()
		case s.text[s.pos] == '\n' && len(quote) == 1:
			return
		default:
			s.next()
		}
	}
}

package stages

import "strings"

// mappedFile returns the path of the mapped file called name in the text of /proc/self/maps.
func mappedFile(maps, name string) string {
	for line := range strings.Lines(maps) {
		if i := strings.IndexByte(line, '/'); i >= 0 && strings.HasSuffix(strings.TrimSpace(line), "/"+name) {
			return strings.TrimSpace(line[i:])
		}
	}
	return "path unknown"
}

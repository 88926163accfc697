package testkit

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Hangs is how long a test waits for a program before it takes it to hang: far more than it needs
// on a busy machine.
const Hangs = 10 * time.Minute

// ProcessorTime returns what a process or thread has used so far outside of the kernel, in
// hundredths of a second; stat is its file in /proc, such as "/proc/self/stat".
func ProcessorTime(stat string) (time.Duration, error) {
	text, err := os.ReadFile(stat)
	if err != nil {
		return 0, err
	}
	const utime = 14 // field of proc(5); those after the name, which may hold spaces, begin with the third
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) <= utime-3 {
		return 0, fmt.Errorf("%s has %d fields after the name", stat, len(fields))
	}
	ticks, err := strconv.Atoi(string(fields[utime-3]))
	return time.Duration(ticks) * 10 * time.Millisecond, err
}

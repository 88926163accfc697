package stages

import "sync"

// last keeps what was read last: stages that come one after another often read the same.
type last[T any] struct {
	sync.Mutex
	key   string
	value T
}

// get returns what load gives for key, which it calls only where another key was asked for last.
func (l *last[T]) get(key string, load func() (T, error)) (T, error) {
	l.Lock()
	defer l.Unlock()
	if l.key == key && key != "" {
		return l.value, nil
	}
	v, err := load()
	if err == nil {
		l.key, l.value = key, v
	}
	return v, err
}

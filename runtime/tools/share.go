package tools

import (
	"sync"

	"openclaw/sandbox"
)

// share is a sandbox's session that a set and its commands in the background use. It is closed when the last of them lets go.
type share struct {
	*sandbox.Session
	closed func() // after the session has been closed

	mu    sync.Mutex
	users int
}

func newShare(s *sandbox.Session, closed func()) *share {
	return &share{Session: s, closed: closed, users: 1}
}

// acquire adds a user. It reports false when the session has been closed.
func (s *share) acquire() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == 0 {
		return false
	}
	s.users++
	return true
}

func (s *share) release() {
	s.mu.Lock()
	if s.users == 0 {
		s.mu.Unlock()
		return
	}
	s.users--
	last := s.users == 0
	s.mu.Unlock()
	if last {
		_ = s.Close() // what it held is gone either way
		s.closed()
	}
}

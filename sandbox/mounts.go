package sandbox

import "slices"

// Mounts lists what the session was granted of the host's files.
func (s *Session) Mounts() []Mount { return slices.Clone(s.grant.Mounts) }

// Env is the environment of the session's grant.
func (s *Session) Env() []string { return slices.Clone(s.grant.Env) }

package wasi

import (
	"context"
	"encoding/binary"
	"io"
	"runtime"

	"openclaw/sandbox/internal/vfs"
)

func argsGet(s *System, m memory, a args) vfs.Errno {
	return putStrings(m, s.args, a.u32(0), a.u32(1))
}

func argsSizesGet(s *System, m memory, a args) vfs.Errno {
	return putSizes(m, s.args, a.u32(0), a.u32(1))
}

func environGet(s *System, m memory, a args) vfs.Errno {
	return putStrings(m, s.env, a.u32(0), a.u32(1))
}

func environSizesGet(s *System, m memory, a args) vfs.Errno {
	return putSizes(m, s.env, a.u32(0), a.u32(1))
}

// putStrings writes NUL-terminated strings one after another to text, and a
// pointer to each to pointers.
func putStrings(m memory, list []string, pointers, text uint32) vfs.Errno {
	slots, ok := m.array(pointers, uint32(len(list)), 4)
	if !ok {
		return vfs.EFAULT
	}
	for i, str := range list {
		dst, ok := m.bytes(text, uint32(len(str))+1)
		if !ok {
			return vfs.EFAULT
		}
		copy(dst, str)
		dst[len(str)] = 0
		binary.LittleEndian.PutUint32(slots[4*i:], text)
		text += uint32(len(dst))
	}
	return vfs.OK
}

func putSizes(m memory, list []string, count, size uint32) vfs.Errno {
	total := 0
	for _, str := range list {
		total += len(str) + 1
	}
	if e := m.putU32(count, uint32(len(list))); e != vfs.OK {
		return e
	}
	return m.putU32(size, uint32(total))
}

// The clocks of preview 1.
const (
	clockRealtime uint32 = iota
	clockMonotonic
	clockProcessCPU
	clockThreadCPU
)

// clockResolution is what all clocks count in: nanoseconds.
const clockResolution = 1

func clockResGet(_ *System, m memory, a args) vfs.Errno {
	if a.u32(0) > clockThreadCPU {
		return vfs.EINVAL
	}
	return m.putU64(a.u32(1), clockResolution)
}

func clockTimeGet(s *System, m memory, a args) vfs.Errno {
	t, e := s.clock(a.u32(0))
	if e != vfs.OK {
		return e
	}
	return m.putU64(a.u32(2), uint64(t))
}

// clock reads a clock. The CPU time clocks give the time since the start: a
// guest has the processor to itself.
func (s *System) clock(id uint32) (int64, vfs.Errno) {
	switch id {
	case clockRealtime:
		return s.now().UnixNano(), vfs.OK
	case clockMonotonic:
		return s.monotonic(), vfs.OK
	case clockProcessCPU, clockThreadCPU:
		return s.monotonic() - s.started, vfs.OK
	}
	return 0, vfs.EINVAL
}

func procExit(_ context.Context, s *System, _ []byte, a []uint64) (uint64, error) {
	s.calls++
	return 0, ExitError{Code: args(a).u32(0)}
}

// The signals of preview 1 that do not end a process by default.
const (
	signalNone  = 0
	signalChild = 16
	signalCont  = 17
	signalStop  = 18
	signalTTOU  = 21
	signalUrg   = 22
	signalWinch = 27
	signalLast  = 30

	signalPipe = 13

	// fatalSignalStatus is added to a signal's number to make the exit status, as shells do.
	fatalSignalStatus = 128
)

// procRaise does what the default action of the signal is: no guest can handle one here.
func procRaise(_ context.Context, _ *System, _ memory, a args) (vfs.Errno, error) {
	sig := a.u32(0)
	switch {
	case sig > signalLast:
		return vfs.EINVAL, nil
	case sig == signalNone, sig == signalChild, sig == signalCont, sig == signalUrg, sig == signalWinch:
		return vfs.OK, nil
	case sig >= signalStop && sig <= signalTTOU:
		return vfs.ENOTSUP, nil
	}
	return vfs.OK, ExitError{Code: fatalSignalStatus + sig}
}

func schedYield(ctx context.Context, _ *System, _ memory, _ args) (vfs.Errno, error) {
	runtime.Gosched()
	return vfs.OK, done(ctx)
}

func randomGet(ctx context.Context, s *System, m memory, a args) (vfs.Errno, error) {
	buf, ok := m.bytes(a.u32(0), a.u32(1))
	if !ok {
		return vfs.EFAULT, nil
	}
	for len(buf) > 0 {
		n := min(len(buf), randomChunk)
		if _, err := io.ReadFull(s.rand, buf[:n]); err != nil {
			return vfs.EIO, nil
		}
		buf = buf[n:]
		if err := done(ctx); err != nil {
			return vfs.OK, err
		}
	}
	return vfs.OK, nil
}

// sockCall answers every call on a socket: there are none.
func sockCall(s *System, _ memory, a args) vfs.Errno {
	if s.table.get(a.u32(0)) == nil {
		return vfs.EBADF
	}
	return vfs.ENOTSOCK
}

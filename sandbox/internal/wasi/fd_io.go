package wasi

import (
	"context"
	"math"

	"openclaw/sandbox/internal/vfs"
)

// atPosition, as an offset, stands for the file's own position.
const atPosition = -1

func fdRead(ctx context.Context, s *System, m memory, a args) (vfs.Errno, error) {
	return s.read(ctx, m, a.u32(0), a.u32(1), a.u32(2), atPosition, a.u32(3))
}

func fdPread(ctx context.Context, s *System, m memory, a args) (vfs.Errno, error) {
	if a.i64(3) < 0 {
		return vfs.EINVAL, nil
	}
	return s.read(ctx, m, a.u32(0), a.u32(1), a.u32(2), a.i64(3), a.u32(4))
}

func fdWrite(ctx context.Context, s *System, m memory, a args) (vfs.Errno, error) {
	return s.write(ctx, m, a.u32(0), a.u32(1), a.u32(2), atPosition, a.u32(3))
}

func fdPwrite(ctx context.Context, s *System, m memory, a args) (vfs.Errno, error) {
	if a.i64(3) < 0 {
		return vfs.EINVAL, nil
	}
	return s.write(ctx, m, a.u32(0), a.u32(1), a.u32(2), a.i64(3), a.u32(4))
}

func (s *System) read(ctx context.Context, m memory, fd, iovs, count uint32, off int64, result uint32) (vfs.Errno, error) {
	d, e := s.seekable(fd, rightFDRead)
	if e != vfs.OK {
		return e, nil
	}
	n, e, err := s.transfer(ctx, d, m, iovs, count, off, (*System).readChunk)
	return finish(m, result, n, e), err
}

func (s *System) write(ctx context.Context, m memory, fd, iovs, count uint32, off int64, result uint32) (vfs.Errno, error) {
	d, e := s.writable(fd)
	if e != vfs.OK {
		return e, nil
	}
	n, e, err := s.transfer(ctx, d, m, iovs, count, off, (*System).writeChunk)
	if n > 0 {
		if fe := flush(d); fe != vfs.OK {
			return fe, err
		}
	}
	if e == vfs.EPIPE && err == nil {
		err = s.broken()
	}
	return finish(m, result, n, e), err
}

// broken ends a guest that goes on writing to pipes without readers, as SIGPIPE would have at once. Guests that handle the error
// write a few times more, for what they have in buffers.
func (s *System) broken() error {
	if !s.sigpipe {
		return nil
	}
	if s.brokenWrites++; s.brokenWrites <= maxBrokenWrites {
		return nil
	}
	return ExitError{Code: fatalSignalStatus + signalPipe}
}

// writable is seekable for the calls that write: a directory cannot be open for
// writing, so the answer is that of any file that is not.
func (s *System) writable(fd uint32) (*descriptor, vfs.Errno) {
	d, e := s.seekable(fd, rightFDWrite)
	if e == vfs.EISDIR {
		return nil, vfs.EBADF
	}
	return d, e
}

// finish reports how many bytes were moved. An error after the first byte is
// left for the next call to find.
func finish(m memory, ptr uint32, n int, e vfs.Errno) vfs.Errno {
	if n == 0 && e != vfs.OK {
		return e
	}
	return m.putU32(ptr, uint32(n))
}

// mover moves bytes between a file and p. first says that the call has not moved any yet.
type mover func(s *System, ctx context.Context, d *descriptor, p []byte, off int64, first bool) (int, vfs.Errno, error)

// transfer goes through the guest's buffers in order until one is not moved whole.
func (s *System) transfer(ctx context.Context, d *descriptor, m memory, iovs, count uint32, off int64, move mover) (int, vfs.Errno, error) {
	v, e := m.iovecs(iovs, count)
	if e != vfs.OK {
		return 0, e, nil
	}
	total, unchecked := 0, 0 // bytes: moved, and of them since the last look at the context
	for {
		p, e := v.next(min(ioChunk, maxTransfer-total))
		if e != vfs.OK || len(p) == 0 {
			return total, e, nil
		}
		n, e, err := move(s, ctx, d, p, off, total == 0)
		total += n
		if err != nil || e != vfs.OK || n < len(p) {
			return total, e, err
		}
		if off != atPosition {
			if off > math.MaxInt64-int64(n) {
				return total, vfs.OK, nil
			}
			off += int64(n)
		}
		if unchecked += n; unchecked >= ioChunk {
			unchecked = 0
			if err := done(ctx); err != nil {
				return total, vfs.OK, err
			}
		}
	}
}

// readChunk reads once. It waits for a stream only when the call has nothing to
// give to the guest yet and the descriptor is a blocking one.
func (s *System) readChunk(ctx context.Context, d *descriptor, p []byte, off int64, first bool) (int, vfs.Errno, error) {
	if off != atPosition {
		n, e := d.file.Pread(p, off)
		return n, e, nil
	}
	for {
		n, e := d.file.Read(p)
		if e != vfs.EAGAIN || !first || d.stream == nil || d.nonblock() {
			return n, e, nil
		}
		if err := s.poll.waitFor(ctx, d.stream, vfs.Poller.Readable); err != nil {
			return 0, vfs.OK, err
		}
	}
}

// flush makes what was written durable when the descriptor promises that.
func flush(d *descriptor) vfs.Errno {
	var e vfs.Errno
	switch {
	case d.flags&fdflagSync != 0:
		e = d.file.Sync()
	case d.flags&fdflagDsync != 0:
		e = d.file.Datasync()
	}
	if e == vfs.EINVAL {
		return vfs.OK // a stream has nothing to flush
	}
	return e
}

// writeChunk writes once; on a blocking stream it writes all of p, as often as it takes.
func (s *System) writeChunk(ctx context.Context, d *descriptor, p []byte, off int64, _ bool) (int, vfs.Errno, error) {
	if off != atPosition {
		n, e := d.file.Pwrite(p, off)
		return n, e, nil
	}
	n, e := d.file.Write(p)
	if d.stream == nil || d.nonblock() {
		return n, e, nil
	}
	total := n
	for total < len(p) && (e == vfs.OK || e == vfs.EAGAIN) {
		if err := s.poll.waitFor(ctx, d.stream, vfs.Poller.Writable); err != nil {
			return total, vfs.OK, err
		}
		n, e = d.file.Write(p[total:])
		total += n
	}
	return total, e, nil
}

func fdSeek(s *System, m memory, a args) vfs.Errno {
	right := rightFDSeek
	if a.i64(1) == 0 && a.u32(2) == 1 {
		right = rightFDTell
	}
	return s.seek(m, a.u32(0), right, a.i64(1), a.u32(2), a.u32(3))
}

func fdTell(s *System, m memory, a args) vfs.Errno {
	return s.seek(m, a.u32(0), rightFDTell, 0, 1, a.u32(1))
}

func (s *System) seek(m memory, fd uint32, right uint64, off int64, whence, result uint32) vfs.Errno {
	d, e := s.seekable(fd, right)
	if e != vfs.OK {
		return e
	}
	if whence > 2 {
		return vfs.EINVAL
	}
	if _, ok := m.bytes(result, 8); !ok {
		return vfs.EFAULT
	}
	pos, e := d.file.Seek(off, int(whence))
	if e != vfs.OK {
		return e
	}
	return m.putU64(result, uint64(pos))
}

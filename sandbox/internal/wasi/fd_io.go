package wasi

import (
	"context"
	"math"

	"openclaw/sandbox/internal/vfs"
)

// atPosition, as an offset, stands for the file's own position.
const atPosition = -1

func fdRead(ctx context.Context, s *System, m memory, a args) (vfs.Errno, error) {
	d, e := s.seekable(a.u32(0), rightFDRead)
	if e != vfs.OK {
		return e, nil
	}
	n, e, err := s.readv(ctx, d, m, a.u32(1), a.u32(2), atPosition)
	return finish(m, a.u32(3), n, e), err
}

func fdPread(ctx context.Context, s *System, m memory, a args) (vfs.Errno, error) {
	d, e := s.seekable(a.u32(0), rightFDRead)
	if e != vfs.OK {
		return e, nil
	}
	if a.i64(3) < 0 {
		return vfs.EINVAL, nil
	}
	n, e, err := s.readv(ctx, d, m, a.u32(1), a.u32(2), a.i64(3))
	return finish(m, a.u32(4), n, e), err
}

func fdWrite(ctx context.Context, s *System, m memory, a args) (vfs.Errno, error) {
	d, e := s.writable(a.u32(0))
	if e != vfs.OK {
		return e, nil
	}
	n, e, err := s.writev(ctx, d, m, a.u32(1), a.u32(2), atPosition)
	return finish(m, a.u32(3), n, e), err
}

func fdPwrite(ctx context.Context, s *System, m memory, a args) (vfs.Errno, error) {
	d, e := s.writable(a.u32(0))
	if e != vfs.OK {
		return e, nil
	}
	if a.i64(3) < 0 {
		return vfs.EINVAL, nil
	}
	n, e, err := s.writev(ctx, d, m, a.u32(1), a.u32(2), a.i64(3))
	return finish(m, a.u32(4), n, e), err
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

// readv fills the guest's buffers in order until one stays short.
func (s *System) readv(ctx context.Context, d *descriptor, m memory, iovs, count uint32, off int64) (int, vfs.Errno, error) {
	v, e := m.iovecs(iovs, count)
	if e != vfs.OK {
		return 0, e, nil
	}
	total := 0
	for {
		buf, e := v.next(maxTransfer - total)
		if e != vfs.OK || len(buf) == 0 {
			return total, e, nil
		}
		for len(buf) > 0 {
			chunk := buf[:min(len(buf), ioChunk)]
			n, e, err := s.readChunk(ctx, d, chunk, off, total == 0)
			total += n
			if err != nil || e != vfs.OK || n < len(chunk) {
				return total, e, err
			}
			buf = buf[n:]
			if off != atPosition {
				if off > math.MaxInt64-int64(n) {
					return total, vfs.OK, nil
				}
				off += int64(n)
			}
			if n == ioChunk {
				if err := done(ctx); err != nil {
					return total, vfs.OK, err
				}
			}
		}
	}
}

// readChunk reads once. It waits for a stream only when the call has nothing to
// give to the guest yet and the descriptor is a blocking one.
func (s *System) readChunk(ctx context.Context, d *descriptor, p []byte, off int64, wait bool) (int, vfs.Errno, error) {
	if off != atPosition {
		n, e := d.file.Pread(p, off)
		return n, e, nil
	}
	for {
		n, e := d.file.Read(p)
		if e != vfs.EAGAIN || !wait || d.stream == nil || d.nonblock() {
			return n, e, nil
		}
		if err := s.poll.waitFor(ctx, d.stream, vfs.Poller.Readable); err != nil {
			return 0, vfs.OK, err
		}
	}
}

// writev writes the guest's buffers in order until one does not go through whole.
func (s *System) writev(ctx context.Context, d *descriptor, m memory, iovs, count uint32, off int64) (int, vfs.Errno, error) {
	v, e := m.iovecs(iovs, count)
	if e != vfs.OK {
		return 0, e, nil
	}
	total := 0
	for {
		buf, e := v.next(maxTransfer - total)
		if e != vfs.OK || len(buf) == 0 {
			return total, s.settle(d, total, e), nil
		}
		for len(buf) > 0 {
			chunk := buf[:min(len(buf), ioChunk)]
			n, e, err := s.writeChunk(ctx, d, chunk, off)
			total += n
			if err != nil || e != vfs.OK || n < len(chunk) {
				return total, s.settle(d, total, e), err
			}
			buf = buf[n:]
			if off != atPosition {
				if off > math.MaxInt64-int64(n) {
					return total, s.settle(d, total, vfs.OK), nil
				}
				off += int64(n)
			}
			if n == ioChunk {
				if err := done(ctx); err != nil {
					return total, vfs.OK, err
				}
			}
		}
	}
}

// settle makes a write durable when the descriptor promises that.
func (s *System) settle(d *descriptor, total int, e vfs.Errno) vfs.Errno {
	if total == 0 || d.flags&(fdflagSync|fdflagDsync) == 0 {
		return e
	}
	flush := d.file.Datasync
	if d.flags&fdflagSync != 0 {
		flush = d.file.Sync
	}
	if fe := flush(); fe != vfs.OK && fe != vfs.EINVAL {
		return fe
	}
	return e
}

// writeChunk writes once; on a blocking stream it writes all of p, as often as it takes.
func (s *System) writeChunk(ctx context.Context, d *descriptor, p []byte, off int64) (int, vfs.Errno, error) {
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

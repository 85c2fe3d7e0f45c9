package sys

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

//go:wasmimport openclaw_v1 programs
//go:noescape
func hostPrograms(buf *byte, size uint32, length *uint32) uint32

//go:wasmimport openclaw_v1 pipe
//go:noescape
func hostPipe(flags uint32, ends *[2]uint32) uint32

//go:wasmimport openclaw_v1 spawn
//go:noescape
func hostSpawn(request *byte, size uint32, fd *uint32) uint32

//go:wasmimport openclaw_v1 kill
//go:noescape
func hostKill(fd, signal uint32) uint32

//go:wasmimport wasi_snapshot_preview1 poll_oneoff
//go:noescape
func hostPoll(in, out *byte, count uint32, events *uint32) uint32

// ProgramName is a program outside of the guest that can be started.
type ProgramName struct {
	Name string
	// First tells that it goes before a command of the guest's own with the same name.
	First bool
}

// SpawnSpec says what to start, and how.
type SpawnSpec struct {
	Program string
	Dir     string
	Args    []string // the program's own name first
	Env     []string
	Umask   uint32
	// Files are what the program has open, by its numbers. What is not in it is closed.
	Files map[int]*os.File
}

// Process is a program that has been started.
type Process struct{ status *os.File }

// live counts the processes that have not been closed. It is the one thing here that is of the whole guest: whether
// others wait for the host decides how its goroutines take turns.
var live atomic.Int32

// Programs lists the programs that can be started.
func Programs() []ProgramName {
	const usual = 1024
	list := make([]byte, usual)
	for {
		var length uint32
		if hostPrograms(unsafe.SliceData(list), uint32(len(list)), &length) != 0 {
			return nil
		}
		if int(length) <= len(list) {
			list = list[:length]
			break
		}
		list = make([]byte, length)
	}
	var names []ProgramName
	for entry := range strings.SplitSeq(string(list), "\x00") {
		if len(entry) > 1 {
			names = append(names, ProgramName{Name: entry[1:], First: entry[0] == '+'})
		}
	}
	return names
}

// Pipe makes a pipe between the guest and a program. One that is on demand takes bytes only while its reader waits for
// them, and no more than it asked for.
func Pipe(onDemand bool) (r, w *os.File, err error) {
	var flags uint32
	if onDemand {
		flags = 1
	}
	var ends [2]uint32
	if no := hostPipe(flags, &ends); no != 0 {
		return nil, nil, os.NewSyscallError("pipe", syscall.Errno(no))
	}
	return os.NewFile(uintptr(ends[0]), "pipe"), os.NewFile(uintptr(ends[1]), "pipe"), nil
}

// Spawn starts a program.
func Spawn(spec SpawnSpec) (*Process, error) {
	request := spec.encode()
	var fd uint32
	no := hostSpawn(unsafe.SliceData(request), uint32(len(request)), &fd)
	runtime.KeepAlive(spec.Files)
	if no != 0 {
		return nil, syscall.Errno(no)
	}
	live.Add(1)
	return &Process{status: os.NewFile(uintptr(fd), "process")}, nil
}

// encode makes the request that docs/abi.md describes.
func (s SpawnSpec) encode() []byte {
	put := binary.LittleEndian.AppendUint32
	var b []byte
	for _, n := range []int{int(s.Umask), len(s.Program), len(s.Dir), len(s.Args), len(s.Env), len(s.Files)} {
		b = put(b, uint32(n))
	}
	for n, f := range s.Files {
		b = put(put(b, uint32(n)), uint32(f.Fd()))
	}
	b = append(append(b, s.Program...), s.Dir...)
	for _, list := range [][]string{s.Args, s.Env} {
		for _, text := range list {
			b = append(append(b, text...), 0)
		}
	}
	return b
}

// Wait returns the exit status of the program once it has ended, and lets go of it.
func (p *Process) Wait() (int, error) {
	defer live.Add(-1)
	var b [4]byte
	_, err := io.ReadFull(p.status, b[:])
	_ = p.status.Close()
	return int(binary.LittleEndian.Uint32(b[:])), err
}

// Kill ends the program as the signal would.
func (p *Process) Kill(signal int) error {
	c, err := p.status.SyscallConn()
	if err != nil {
		return err
	}
	var no uint32
	if err := c.Control(func(fd uintptr) { no = hostKill(uint32(fd), uint32(signal)) }); err != nil {
		return err
	}
	if no != 0 {
		return syscall.Errno(no)
	}
	return nil
}

// Wanted waits until a reader of an on-demand pipe waits, and returns for how many bytes. It is EPIPE when there is no
// reader any more.
func Wanted(w *os.File) (n int, err error) {
	c, err := w.SyscallConn()
	if err != nil {
		return 0, err
	}
	var asked error
	err = c.Write(func(fd uintptr) bool {
		n, asked = writable(uint32(fd))
		return !errors.Is(asked, syscall.EAGAIN)
	})
	if err == nil {
		err = asked
	}
	return n, err
}

// The layout of poll_oneoff: a subscription to a descriptor's writability, one to a clock that has run out, and the events.
const (
	subscriptionSize = 48
	eventSize        = 32
	eventWrite       = 2
	clockMonotonic   = 1
)

// writable asks, without waiting, how many bytes can be written to a descriptor.
func writable(fd uint32) (int, error) {
	var in [2 * subscriptionSize]byte
	var out [2 * eventSize]byte
	in[8] = eventWrite
	binary.LittleEndian.PutUint32(in[16:], fd)
	binary.LittleEndian.PutUint32(in[subscriptionSize+16:], clockMonotonic)
	var events uint32
	if no := hostPoll(&in[0], &out[0], 2, &events); no != 0 {
		return 0, syscall.Errno(no)
	}
	for e := out[:]; events > 0; e, events = e[eventSize:], events-1 {
		if e[10] != eventWrite {
			continue
		}
		if no := binary.LittleEndian.Uint16(e[8:]); no != 0 {
			return 0, syscall.Errno(no)
		}
		if n := binary.LittleEndian.Uint64(e[16:]); n > 0 {
			return int(n), nil
		}
		return 0, syscall.EPIPE
	}
	return 0, syscall.EAGAIN
}

// Yield lets other goroutines run. While programs run it also sleeps a moment now and then: the runtime looks for what the
// host has only when no goroutine can run, so a guest that is never idle would not see that a program has ended.
func Yield() {
	runtime.Gosched()
	if live.Load() == 0 {
		return
	}
	const every, moment = 5 * time.Millisecond, 50 * time.Microsecond
	now := time.Now().UnixNano()
	if last := rested.Load(); now-last < int64(every) || !rested.CompareAndSwap(last, now) {
		return
	}
	time.Sleep(moment)
}

// rested is when Yield last slept.
var rested atomic.Int64

// Umask is the mask that the program was started with.
func Umask() uint32 {
	mask := hostUmask(defaultUmask)
	hostUmask(mask)
	return mask
}

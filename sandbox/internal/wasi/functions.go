package wasi

import (
	"context"

	"openclaw/sandbox/internal/vfs"
)

// The modules that guests import from.
const (
	ModulePreview1 = "wasi_snapshot_preview1"
	ModuleOpenclaw = "openclaw_v1"
)

// ValueType is a WebAssembly value type, by its binary encoding.
type ValueType byte

// The value types that the functions use.
const (
	I32 ValueType = 0x7f
	I64 ValueType = 0x7e
)

// Function is one host function.
type Function struct {
	Module, Name    string
	Params, Results []ValueType
	// Call runs the function. mem is the guest's whole memory as it is now, and
	// args holds one value for each parameter. The first result is the function's
	// result, when it has one. An error must unwind the guest: it is an
	// [ExitError], or why ctx is done.
	Call func(ctx context.Context, s *System, mem []byte, args []uint64) (uint64, error)
}

// args gives typed access to the arguments of a call.
type args []uint64

func (a args) u32(i int) uint32 { return uint32(a[i]) }
func (a args) u64(i int) uint64 { return a[i] }
func (a args) i64(i int) int64  { return int64(a[i]) }

// A call is a function that never waits long, a waiting one takes the context too.
type (
	call        func(s *System, m memory, a args) vfs.Errno
	waitingCall func(ctx context.Context, s *System, m memory, a args) (vfs.Errno, error)
)

// Functions lists every function of preview 1 and of the extension module.
func Functions() []Function {
	fns := make([]Function, 0, 64)
	fns = appendPreview1(fns)
	return appendExtension(fns)
}

func appendPreview1(fns []Function) []Function {
	add := func(name, params string, c call) { fns = append(fns, plain(ModulePreview1, name, params, c)) }
	wait := func(name, params string, c waitingCall) {
		fns = append(fns, waiting(ModulePreview1, name, params, c))
	}

	add("args_get", "ii", argsGet)
	add("args_sizes_get", "ii", argsSizesGet)
	add("environ_get", "ii", environGet)
	add("environ_sizes_get", "ii", environSizesGet)
	add("clock_res_get", "ii", clockResGet)
	add("clock_time_get", "iIi", clockTimeGet)

	add("fd_advise", "iIIi", fdAdvise)
	add("fd_allocate", "iII", fdAllocate)
	add("fd_close", "i", fdClose)
	add("fd_datasync", "i", fdDatasync)
	add("fd_fdstat_get", "ii", fdFdstatGet)
	add("fd_fdstat_set_flags", "ii", fdFdstatSetFlags)
	add("fd_fdstat_set_rights", "iII", fdFdstatSetRights)
	add("fd_filestat_get", "ii", fdFilestatGet)
	add("fd_filestat_set_size", "iI", fdFilestatSetSize)
	add("fd_filestat_set_times", "iIIi", fdFilestatSetTimes)
	wait("fd_pread", "iiiIi", fdPread)
	add("fd_prestat_get", "ii", fdPrestatGet)
	add("fd_prestat_dir_name", "iii", fdPrestatDirName)
	wait("fd_pwrite", "iiiIi", fdPwrite)
	wait("fd_read", "iiii", fdRead)
	add("fd_readdir", "iiiIi", fdReaddir)
	add("fd_renumber", "ii", fdRenumber)
	add("fd_seek", "iIii", fdSeek)
	add("fd_sync", "i", fdSync)
	add("fd_tell", "ii", fdTell)
	wait("fd_write", "iiii", fdWrite)

	add("path_create_directory", "iii", pathCreateDirectory)
	add("path_filestat_get", "iiiii", pathFilestatGet)
	add("path_filestat_set_times", "iiiiIIi", pathFilestatSetTimes)
	add("path_link", "iiiiiii", pathLink)
	add("path_open", "iiiiiIIii", pathOpen)
	add("path_readlink", "iiiiii", pathReadlink)
	add("path_remove_directory", "iii", pathRemoveDirectory)
	add("path_rename", "iiiiii", pathRename)
	add("path_symlink", "iiiii", pathSymlink)
	add("path_unlink_file", "iii", pathUnlinkFile)

	wait("poll_oneoff", "iiii", pollOneoff)
	fns = append(fns, Function{Module: ModulePreview1, Name: "proc_exit", Params: signature("i"), Call: procExit})
	wait("proc_raise", "i", procRaise)
	wait("sched_yield", "", schedYield)
	wait("random_get", "ii", randomGet)

	add("sock_accept", "iii", sockCall)
	add("sock_recv", "iiiiii", sockCall)
	add("sock_send", "iiiii", sockCall)
	add("sock_shutdown", "ii", sockCall)
	return fns
}

func appendExtension(fns []Function) []Function {
	add := func(name, params string, c call) { fns = append(fns, plain(ModuleOpenclaw, name, params, c)) }

	add("path_stat", "iiiii", extPathStat)
	add("fd_stat", "ii", extFdStat)
	add("path_chmod", "iiiii", extPathChmod)
	add("fd_chmod", "ii", extFdChmod)
	add("path_statfs", "iiii", extPathStatfs)
	add("programs", "iii", extPrograms)
	add("pipe", "ii", extPipe)
	fns = append(fns, waiting(ModuleOpenclaw, "spawn", "iii", extSpawn))
	add("kill", "ii", extKill)
	return append(fns, Function{
		Module:  ModuleOpenclaw,
		Name:    "umask",
		Params:  signature("i"),
		Results: []ValueType{I32},
		Call:    extUmask,
	}, Function{
		Module:  ModuleOpenclaw,
		Name:    "memory_limit",
		Params:  signature(""),
		Results: []ValueType{I64},
		Call:    extMemoryLimit,
	})
}

func plain(module, name, params string, c call) Function {
	return Function{
		Module:  module,
		Name:    name,
		Params:  signature(params),
		Results: []ValueType{I32},
		Call: func(ctx context.Context, s *System, mem []byte, a []uint64) (uint64, error) {
			return s.call(ctx, func() (vfs.Errno, error) { return c(s, mem, a), nil })
		},
	}
}

func waiting(module, name, params string, c waitingCall) Function {
	return Function{
		Module:  module,
		Name:    name,
		Params:  signature(params),
		Results: []ValueType{I32},
		Call: func(ctx context.Context, s *System, mem []byte, a []uint64) (uint64, error) {
			return s.call(ctx, func() (vfs.Errno, error) { return c(ctx, s, mem, a) })
		},
	}
}

// call makes one host call. Each looks at the context: what a host call takes is far more than what the guest's own
// counter knows of, so a guest that does little else would come back to the host for fuel long after its deadline.
func (s *System) call(ctx context.Context, c func() (vfs.Errno, error)) (uint64, error) {
	s.calls++
	if err := done(ctx); err != nil {
		return 0, err
	}
	e, err := c()
	if e != vfs.OK && err == nil {
		err = done(ctx) // it may have failed for that very reason
	}
	return uint64(e), err
}

// signature spells parameter types: i for I32, I for I64.
func signature(params string) []ValueType {
	types := make([]ValueType, len(params))
	for i := range params {
		types[i] = I32
		if params[i] == 'I' {
			types[i] = I64
		}
	}
	return types
}

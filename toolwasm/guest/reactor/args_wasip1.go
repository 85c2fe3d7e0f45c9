//go:build wasip1

package reactor

import (
	"bytes"
	"syscall"
	"unsafe"
)

// The runtime reads arguments and environment once, at initialisation; a call must read its own.

//go:wasmimport wasi_snapshot_preview1 args_sizes_get
//go:noescape
func argsSizesGet(count, size *uint32) uint32

//go:wasmimport wasi_snapshot_preview1 args_get
//go:noescape
func argsGet(ptrs *uint32, buf *byte) uint32

//go:wasmimport wasi_snapshot_preview1 environ_sizes_get
//go:noescape
func environSizesGet(count, size *uint32) uint32

//go:wasmimport wasi_snapshot_preview1 environ_get
//go:noescape
func environGet(ptrs *uint32, buf *byte) uint32

func arguments() (args, env []string, err error) {
	if args, err = stringList(argsSizesGet, argsGet); err != nil {
		return nil, nil, err
	}
	env, err = stringList(environSizesGet, environGet)
	return args, env, err
}

func stringList(sizes func(count, size *uint32) uint32, get func(ptrs *uint32, buf *byte) uint32) ([]string, error) {
	var count, size uint32
	if no := sizes(&count, &size); no != 0 {
		return nil, syscall.Errno(no)
	}
	if count == 0 {
		return nil, nil
	}
	ptrs := make([]uint32, count)
	buf := make([]byte, max(size, 1))
	if no := get(unsafe.SliceData(ptrs), unsafe.SliceData(buf)); no != 0 {
		return nil, syscall.Errno(no)
	}
	list := make([]string, 0, count)
	for _, p := range ptrs {
		at := p - uint32(uintptr(unsafe.Pointer(unsafe.SliceData(buf))))
		s := buf[at:]
		if i := bytes.IndexByte(s, 0); i >= 0 {
			s = s[:i]
		}
		list = append(list, string(s))
	}
	return list, nil
}

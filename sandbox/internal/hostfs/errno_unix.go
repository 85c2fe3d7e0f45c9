//go:build linux || darwin

package hostfs

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"

	"openclaw/sandbox/internal/vfs"
)

// errnoOf maps what the host said. What has no counterpart is EIO.
func errnoOf(err error) vfs.Errno {
	if err == nil {
		return vfs.OK
	}
	host, ok := err.(syscall.Errno)
	if !ok && !errors.As(err, &host) {
		return vfs.EIO
	}
	if host == unix.EOPNOTSUPP {
		return vfs.ENOTSUP // the same number as ENOTSUP on Linux, another on macOS
	}
	if errno, ok := errnos[host]; ok {
		return errno
	}
	return vfs.EIO
}

var errnos = map[syscall.Errno]vfs.Errno{
	unix.E2BIG:           vfs.E2BIG,
	unix.EACCES:          vfs.EACCES,
	unix.EADDRINUSE:      vfs.EADDRINUSE,
	unix.EADDRNOTAVAIL:   vfs.EADDRNOTAVAIL,
	unix.EAFNOSUPPORT:    vfs.EAFNOSUPPORT,
	unix.EAGAIN:          vfs.EAGAIN,
	unix.EALREADY:        vfs.EALREADY,
	unix.EBADF:           vfs.EBADF,
	unix.EBADMSG:         vfs.EBADMSG,
	unix.EBUSY:           vfs.EBUSY,
	unix.ECANCELED:       vfs.ECANCELED,
	unix.ECHILD:          vfs.ECHILD,
	unix.ECONNABORTED:    vfs.ECONNABORTED,
	unix.ECONNREFUSED:    vfs.ECONNREFUSED,
	unix.ECONNRESET:      vfs.ECONNRESET,
	unix.EDEADLK:         vfs.EDEADLK,
	unix.EDESTADDRREQ:    vfs.EDESTADDRREQ,
	unix.EDOM:            vfs.EDOM,
	unix.EDQUOT:          vfs.EDQUOT,
	unix.EEXIST:          vfs.EEXIST,
	unix.EFAULT:          vfs.EFAULT,
	unix.EFBIG:           vfs.EFBIG,
	unix.EHOSTUNREACH:    vfs.EHOSTUNREACH,
	unix.EIDRM:           vfs.EIDRM,
	unix.EILSEQ:          vfs.EILSEQ,
	unix.EINPROGRESS:     vfs.EINPROGRESS,
	unix.EINTR:           vfs.EINTR,
	unix.EINVAL:          vfs.EINVAL,
	unix.EIO:             vfs.EIO,
	unix.EISCONN:         vfs.EISCONN,
	unix.EISDIR:          vfs.EISDIR,
	unix.ELOOP:           vfs.ELOOP,
	unix.EMFILE:          vfs.EMFILE,
	unix.EMLINK:          vfs.EMLINK,
	unix.EMSGSIZE:        vfs.EMSGSIZE,
	unix.EMULTIHOP:       vfs.EMULTIHOP,
	unix.ENAMETOOLONG:    vfs.ENAMETOOLONG,
	unix.ENETDOWN:        vfs.ENETDOWN,
	unix.ENETRESET:       vfs.ENETRESET,
	unix.ENETUNREACH:     vfs.ENETUNREACH,
	unix.ENFILE:          vfs.ENFILE,
	unix.ENOBUFS:         vfs.ENOBUFS,
	unix.ENODEV:          vfs.ENODEV,
	unix.ENOENT:          vfs.ENOENT,
	unix.ENOEXEC:         vfs.ENOEXEC,
	unix.ENOLCK:          vfs.ENOLCK,
	unix.ENOLINK:         vfs.ENOLINK,
	unix.ENOMEM:          vfs.ENOMEM,
	unix.ENOMSG:          vfs.ENOMSG,
	unix.ENOPROTOOPT:     vfs.ENOPROTOOPT,
	unix.ENOSPC:          vfs.ENOSPC,
	unix.ENOSYS:          vfs.ENOSYS,
	unix.ENOTCONN:        vfs.ENOTCONN,
	unix.ENOTDIR:         vfs.ENOTDIR,
	unix.ENOTEMPTY:       vfs.ENOTEMPTY,
	unix.ENOTRECOVERABLE: vfs.ENOTRECOVERABLE,
	unix.ENOTSOCK:        vfs.ENOTSOCK,
	unix.ENOTSUP:         vfs.ENOTSUP,
	unix.ENOTTY:          vfs.ENOTTY,
	unix.ENXIO:           vfs.ENXIO,
	unix.EOVERFLOW:       vfs.EOVERFLOW,
	unix.EOWNERDEAD:      vfs.EOWNERDEAD,
	unix.EPERM:           vfs.EPERM,
	unix.EPIPE:           vfs.EPIPE,
	unix.EPROTO:          vfs.EPROTO,
	unix.EPROTONOSUPPORT: vfs.EPROTONOSUPPORT,
	unix.EPROTOTYPE:      vfs.EPROTOTYPE,
	unix.ERANGE:          vfs.ERANGE,
	unix.EROFS:           vfs.EROFS,
	unix.ESPIPE:          vfs.ESPIPE,
	unix.ESRCH:           vfs.ESRCH,
	unix.ESTALE:          vfs.ESTALE,
	unix.ETIMEDOUT:       vfs.ETIMEDOUT,
	unix.ETXTBSY:         vfs.ETXTBSY,
	unix.EXDEV:           vfs.EXDEV,
}

//go:build !linux

package hostfs

import (
	"context"

	"openclaw/sandbox/internal/vfs"
)

// chosenTimes is what the times of a file are to be, for systems that cannot leave one of them alone.
func chosenTimes(st vfs.Stat, atime, mtime int64, flags vfs.TimeFlag, now int64) (int64, int64) {
	pick := func(set, setNow vfs.TimeFlag, t, old int64) int64 {
		switch {
		case flags&setNow != 0:
			return now
		case flags&set != 0:
			return t
		}
		return old
	}
	return pick(vfs.SetAtime, vfs.SetAtimeNow, atime, st.Atime), pick(vfs.SetMtime, vfs.SetMtimeNow, mtime, st.Mtime)
}

// statEntries describes the names of a directory, for systems whose own listing says too little. Names that are gone by
// now are left out.
func statEntries(ctx context.Context, d dir, names []string) ([]vfs.Dirent, vfs.Errno) {
	entries := make([]vfs.Dirent, 0, len(names))
	for _, name := range names {
		if errno := mayGoOn(ctx, len(entries)+1); errno != vfs.OK {
			return nil, errno
		}
		st, errno := d.lstat(name)
		if errno == vfs.ENOENT {
			continue
		}
		if errno != vfs.OK {
			return nil, errno
		}
		entries = append(entries, vfs.Dirent{Name: name, Ino: st.Ino, Type: st.Type})
	}
	return entries, vfs.OK
}

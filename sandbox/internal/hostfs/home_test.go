package hostfs_test

import (
	"testing"

	"openclaw/sandbox/internal/hostfs"
	"openclaw/sandbox/internal/vfs"
)

// TestAHomeDirectoryIsNotTakenOver mounts a home directory, and a directory of such, and checks that a guest can plant nothing
// that the user's next login, shell or editor would run.
func TestAHomeDirectoryIsNotTakenOver(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"user/.ssh/config", "user/.config/other", "user/.local/share/data"} {
		w.write(name, "host")
	}
	fs := w.mount(hostfs.Options{Protect: hostfs.DefaultProtection()})
	for _, name := range []string{
		".ssh/config", ".ssh/authorized_keys", ".ssh/rc", ".gnupg/gpg-agent.conf", ".aws/config", ".docker/config.json",
		".config/git/config", ".config/fish/config.fish", ".config/autostart/x.desktop", ".config/systemd/user/x.service",
		".local/bin/ls", ".npmrc", ".yarnrc", ".cargo/config.toml", ".inputrc", ".xprofile", ".xinitrc", ".xsession",
		".pam_environment", ".openclaw/openclaw.json", "Library/LaunchAgents/x.plist",
	} {
		for _, name := range []string{name, "user/" + name} {
			for i := range name {
				if name[i] == '/' {
					_ = fs.Mkdir(name[:i], 0o755) // what leads there may be made
				}
			}
			if put(fs, name, "guest") == vfs.OK {
				t.Errorf("the guest wrote %s", name)
			}
		}
	}
	want(t, "make .gnupg", fs.Mkdir(".gnupg", 0o700), vfs.EROFS)
	want(t, "write beside", put(fs, "user/.config/other", "guest"), vfs.OK)
	want(t, "write beside", put(fs, "user/.local/share/data", "guest"), vfs.OK)
	want(t, "put a link there", fs.Symlink("../user", "user/Library"), vfs.EEXIST)
	want(t, "put a link there", fs.Symlink("user", ".m2"), vfs.EROFS)
}

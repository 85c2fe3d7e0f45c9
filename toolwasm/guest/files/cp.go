package files

import (
	"strings"
	"syscall"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const cpHelp = `Usage: cp [OPTION]... [-T] SOURCE DEST
       cp [OPTION]... SOURCE... DIRECTORY
       cp [OPTION]... -t DIRECTORY SOURCE...
Copy files, and with -r directories.

  -a, --archive              same as -dR --preserve=all
      --attributes-only      copy the attributes, not the data
      --backup[=CONTROL]     keep a backup of each file that is replaced
  -b                         like --backup without an argument
  -d                         same as --no-dereference --preserve=links
  -f, --force                remove a destination that cannot be opened, and try again
  -H                         follow symbolic links among the operands
  -i, --interactive          ask before replacing a file
  -L, --dereference          follow all symbolic links
  -l, --link                 make hard links instead of copies
  -n, --no-clobber           leave existing files as they are
  -P, --no-dereference       never follow symbolic links
  -p                         same as --preserve=mode,ownership,timestamps
      --preserve[=LIST]      keep these attributes: mode ownership timestamps links all
      --no-preserve=LIST     do not keep these attributes
      --parents              use the whole source name under DIRECTORY
  -R, -r, --recursive        copy directories with what they hold
      --reflink[=WHEN]       accepted; data is always copied
      --remove-destination   remove an existing destination first
      --sparse=WHEN          accepted
      --strip-trailing-slashes  remove slashes at the end of the sources
  -s, --symbolic-link        make symbolic links instead of copies
  -S, --suffix=SUFFIX        end backup names with SUFFIX
  -t, --target-directory=DIRECTORY  copy into DIRECTORY
  -T, --no-target-directory  treat DEST as a file, even when it is a directory
  -u, --update               copy only what is newer than the destination
  -v, --verbose              tell what is done
  -x, --one-file-system      stay on one filesystem
`

func cpSpec() getopt.Spec {
	return getopt.Spec{
		Short: "adfHilLnPpRrst:Tuvx" + backupShort, Unsupported: "Z", UnsupLong: []string{"context"},
		Long: append(backupLong(),
			getopt.Long{Name: "archive", Short: 'a'}, getopt.Long{Name: "attributes-only"},
			getopt.Long{Name: "force", Short: 'f'}, getopt.Long{Name: "interactive", Short: 'i'},
			getopt.Long{Name: "dereference", Short: 'L'}, getopt.Long{Name: "link", Short: 'l'},
			getopt.Long{Name: "no-clobber", Short: 'n'}, getopt.Long{Name: "no-dereference", Short: 'P'},
			getopt.Long{Name: "preserve", Arg: getopt.Optional}, getopt.Long{Name: "no-preserve", Arg: getopt.Required},
			getopt.Long{Name: "parents"}, getopt.Long{Name: "recursive", Short: 'R'},
			getopt.Long{Name: "reflink", Arg: getopt.Optional}, getopt.Long{Name: "remove-destination"},
			getopt.Long{Name: "sparse", Arg: getopt.Required}, getopt.Long{Name: "strip-trailing-slashes"},
			getopt.Long{Name: "symbolic-link", Short: 's'},
			getopt.Long{Name: "target-directory", Arg: getopt.Required, Short: 't'},
			getopt.Long{Name: "no-target-directory", Short: 'T'}, getopt.Long{Name: "update", Short: 'u'},
			getopt.Long{Name: "verbose", Short: 'v'}, getopt.Long{Name: "one-file-system", Short: 'x'}),
	}
}

func cp(p *command.Proc) int {
	opts, operands := p.Options(1, cpSpec())
	o := cpOptions{c: &copier{p: p}}
	for _, opt := range opts {
		if !o.c.backups.option(p, opt) {
			o.set(opt)
		}
	}
	c := o.c
	if c.hardLink && c.symLink {
		return p.Usage(1, "cannot make both hard and symbolic links")
	}
	if !o.followSet && !c.recursive {
		c.follow = followAlways
	}
	if c.hardLink && !o.followSet {
		c.follow = followNever
	}
	for _, pr := range o.targets.plan(p, operands) {
		if o.targets.parents && !c.makeParents(pr) {
			continue
		}
		if pr.src == "" {
			c.errorf("cannot stat '': No such file or directory")
			continue
		}
		c.copyOperand(pr.src, pr.dst)
	}
	return statusOf(c.failed)
}

// cpOptions are the options of cp: what is copied how, and where to.
type cpOptions struct {
	c         *copier
	targets   targets
	followSet bool
}

func (o *cpOptions) setFollow(f follow) { o.c.follow, o.followSet = f, true }

func (o *cpOptions) set(opt getopt.Option) {
	switch opt.Name {
	case "a":
		o.c.recursive, o.c.keepMode, o.c.keepTimes, o.c.keepLinks = true, true, true, true
		o.setFollow(followNever)
	case "d":
		o.c.keepLinks = true
		o.setFollow(followNever)
	case "attributes-only":
		o.c.attrsOnly = true
	case "f":
		o.c.force = true
	case "H":
		o.setFollow(followOperands)
	case "L":
		o.setFollow(followAlways)
	case "P":
		o.setFollow(followNever)
	case "i":
		o.c.ask, o.c.noClobber = true, false
	case "n":
		o.c.noClobber, o.c.ask = true, false
	case "l":
		o.c.hardLink = true
	case "s":
		o.c.symLink = true
	case "p":
		o.c.keepMode, o.c.keepTimes = true, true
	case "preserve":
		o.c.preserve(opt, true)
	case "no-preserve":
		o.c.preserve(opt, false)
	case "parents":
		o.targets.parents = true
	case "R", "r":
		o.c.recursive = true
	case "remove-destination":
		o.c.removeDest = true
	case "strip-trailing-slashes":
		o.targets.trimSlash = true
	case "t":
		o.targets.dir = opt.Arg
	case "T":
		o.targets.noDir = true
	case "u":
		o.c.update = true
	case "v":
		o.c.verbose = true
	case "x":
		o.c.oneDevice = true
	}
}

func statusOf(failed bool) int {
	if failed {
		return 1
	}
	return 0
}

// preserve reads the list of --preserve and --no-preserve.
func (c *copier) preserve(o getopt.Option, on bool) {
	list := o.Arg
	if !o.HasArg {
		list = "mode,ownership,timestamps"
	}
	for attr := range strings.SplitSeq(list, ",") {
		switch attr {
		case "mode":
			c.keepMode, c.noKeepMode = on, !on
		case "timestamps":
			c.keepTimes = on
		case "links":
			c.keepLinks = on
		case "ownership", "context", "xattr":
		case "all":
			c.keepMode, c.keepTimes, c.keepLinks, c.noKeepMode = on, on, on, !on
		default:
			what := "--preserve"
			if !on {
				what = "--no-preserve"
			}
			c.p.Exit(c.p.Usage(1, "invalid argument %s for %s", quote.Locale(attr), quote.Locale(what)))
		}
	}
}

// makeParents makes the directories of the source's name below the target, with the source's modes.
func (c *copier) makeParents(pr pair) bool {
	p := c.p
	dir := dirName(trimSlashes(pr.src))
	if dir == "." {
		return true
	}
	dir = strings.TrimLeft(dir, "/")
	root := strings.TrimSuffix(strings.TrimSuffix(pr.dst, baseName(pr.dst)), "/")
	root = strings.TrimSuffix(root, dir)
	from := ""
	if strings.HasPrefix(pr.src, "/") {
		from = "/"
	}
	done := ""
	for part := range strings.SplitSeq(dir, "/") {
		if part == "" {
			continue
		}
		done = joinPath(done, part)
		made := joinPath(root, done)
		if isDirectory(p, made) {
			continue
		}
		info, err := p.Stat(from + done)
		if err == nil && !info.IsDir() {
			err = syscall.ENOTDIR
		}
		if err != nil {
			c.errorf("failed to get attributes of %s: %s", quote.Always(from+done), sys.Strerror(err))
			return false
		}
		if err := sys.Mkdir(p.Path(made), info.Mode.Perm()&^p.Umask|0o700); err != nil {
			c.errorf("cannot make directory %s: %s", quote.Always(made), sys.Strerror(err))
			return false
		}
		if c.verbose {
			_, _ = p.Out().WriteString(from + done + " -> " + made + "\n")
		}
	}
	return true
}

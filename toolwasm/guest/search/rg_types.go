package search

import (
	"fmt"
	"io"
	"sort"
	"strings"
)

// fileTypes returns the globs of the file types by name. It is made when asked for.
func fileTypes() map[string][]string {
	const table = `ada *.adb *.ads
asm *.asm *.s *.S
awk *.awk
bazel *.bazel *.bzl BUILD WORKSPACE
c *.[chH] *.[chH].in *.cats
cfg *.cfg *.conf *.ini
clojure *.clj *.cljc *.cljs *.cljx
cmake *.cmake CMakeLists.txt
config *.cfg *.conf *.config *.ini
cpp *.[ChH] *.cc *.[ch]pp *.[ch]xx *.hh *.inl *.[ChH].in *.cc.in *.[ch]pp.in *.[ch]xx.in *.hh.in
cs *.cs
csharp *.cs
css *.css *.scss
csv *.csv
cuda *.cu *.cuh
d *.d
dart *.dart
diff *.patch *.diff
docker *Dockerfile*
elixir *.ex *.eex *.exs *.heex *.leex *.livemd
elm *.elm
erlang *.erl *.hrl
fortran *.f *.F *.f77 *.F77 *.pfo *.f90 *.F90 *.f95 *.F95
fsharp *.fs *.fsx *.fsi
go *.go
gradle *.gradle *.gradle.kts gradle.properties gradlew gradlew.*
graphql *.graphql *.graphqls
groovy *.groovy *.gradle
h *.h *.hh *.hpp
haskell *.hs *.lhs *.cpphs *.c2hs *.hsc
html *.htm *.html *.ejs
java *.java *.jsp *.jspx *.properties
jl *.jl
js *.js *.jsx *.vue *.cjs *.mjs
json *.json composer.lock *.sarif
jsonl *.jsonl
julia *.jl
jupyter *.ipynb *.jpynb
kotlin *.kt *.kts
less *.less
license COPYING LICENSE LICENCE *[.-]LICEN[CS]E* COPYRIGHT NOTICE
lisp *.el *.jl *.lisp *.lsp *.sc *.scm
lock *.lock package-lock.json
log *.log
lua *.lua
make [Gg][Nn][Uu]makefile [Mm]akefile [Gg][Nn][Uu]makefile.am [Mm]akefile.am [Mm]akefile.in *.mk *.mak
man *.[0-9lnpx] *.[0-9][cEFMmpSx]
markdown *.markdown *.md *.mdown *.mdwn *.mkd *.mkdn *.mdx
matlab *.m
md *.markdown *.md *.mdown *.mdwn *.mkd *.mkdn *.mdx
nim *.nim *.nimf *.nimble *.nims
nix *.nix
objc *.h *.m
ocaml *.ml *.mli *.mll *.mly
org *.org *.org_archive
pdf *.pdf
perl *.perl *.pl *.PL *.plh *.plx *.pm *.t
php *.php *.php3 *.php4 *.php5 *.php7 *.php8 *.pht *.phtml
proto *.proto
protobuf *.proto
ps *.cdxml *.ps1 *.ps1xml *.psd1 *.psm1
py *.py *.pyi
python *.py *.pyi
r *.R *.r *.Rmd *.Rnw
rst *.rst
ruby *.gemspec *.rb *.rbw config.ru Gemfile .irbrc Rakefile
rust *.rs
sass *.sass *.scss
scala *.scala *.sbt
scss *.scss
sh *.bash *.bashrc .bash_login .bash_logout .bash_profile .bashrc *.csh .cshrc *.ksh .kshrc *.sh *.tcsh .zshenv .zlogin .zlogout .zprofile .zshrc *.zsh
sql *.sql *.psql
svelte *.svelte *.svelte.ts
svg *.svg
swift *.swift
tcl *.tcl
tex *.tex *.ltx *.cls *.sty *.bib *.dtx *.ins
tf *.tf *.tf.json *.tfvars *.tfvars.json *.terraformrc terraform.rc
toml *.toml Cargo.lock
ts *.ts *.tsx *.cts *.mts
typescript *.ts *.tsx *.cts *.mts
txt *.txt
typoscript *.typoscript *.ts
vim *.vim .vimrc .gvimrc vimrc gvimrc _vimrc _gvimrc
vue *.vue
wgsl *.wgsl
xml *.xml *.dtd *.rng *.sch *.xhtml *.xjb *.xml.dist *.xsd *.xsl *.xslt
yaml *.yaml *.yml
zig *.zig
zsh .zshenv .zlogin .zlogout .zprofile .zshrc *.zsh
`
	types := map[string][]string{}
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		types[fields[0]] = fields[1:]
	}
	return types
}

func printTypes(w io.Writer, types map[string][]string) {
	names := make([]string, 0, len(types))
	for n := range types {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		fmt.Fprintf(w, "%s: %s\n", n, strings.Join(types[n], ", "))
	}
}

package programs_test

import (
	"testing"

	"openclaw/sandbox"
)

// TestRuby runs CRuby in the ways in which agents do.
func TestRuby(t *testing.T) {
	s := newShell(t, sandbox.Limits{}, addRuby)
	s.test(t, map[string]scriptCase{
		"-e":                     {`ruby -e 'puts [1, 2].sum; p ARGV, $0' a 'b c'`, outcome{"3\n[\"a\", \"b c\"]\n\"-e\"\n", "", 0}},
		"several -e":             {`ruby -e 'x = 1' -e 'p x'`, outcome{"1\n", "", 0}},
		"version":                {`ruby --version | cut -d' ' -f1-2`, outcome{"ruby 3.4.1\n", "", 0}},
		"library":                {`ruby -rjson -e 'puts JSON.generate({a: [1, nil, "é"]})'`, outcome{`{"a":[1,null,"é"]}` + "\n", "", 0}},
		"libraries":              {`ruby -rset -rcsv -rtime -ryaml -e 'p CSV.parse("a,b\n1,2"), Time.at(0).utc.iso8601; puts({"a" => [1]}.to_yaml)'`, outcome{"[[\"a\", \"b\"], [\"1\", \"2\"]]\n\"1970-01-01T00:00:00Z\"\n---\na:\n- 1\n", "", 0}},
		"middle of a pipeline":   {`printf 'b 2\na 1\nc 3\n' | ruby -e 'STDIN.each_line { |l| k, v = l.split; puts "#{k} #{v.to_i * 2}" }' | sort | head -n 1`, outcome{"a 2\n", "", 0}},
		"-n":                     {`seq 5 | ruby -ne 'puts $_ if $_.to_i.even?'`, outcome{"2\n4\n", "", 0}},
		"-n with a match":        {`seq 12 | ruby -ne 'print if /^1/'`, outcome{"1\n10\n11\n12\n", "", 0}},
		"-n, BEGIN and END":      {`seq 4 | ruby -ne 'BEGIN { n = 0 }; n += $_.to_i; END { p n }'`, outcome{"10\n", "", 0}},
		"-p":                     {`printf 'a\nb\n' | ruby -pe '$_.upcase!'`, outcome{"A\nB\n", "", 0}},
		"-p with gsub":           {`printf 'aa\nb\n' | ruby -pe 'gsub(/a/, "x")'`, outcome{"xx\nb\n", "", 0}},
		"-lane":                  {`printf 'a 1\nb 2\n' | ruby -lane 'print $F.reverse.join(",")'`, outcome{"1,a\n2,b\n", "", 0}},
		"-F":                     {`echo a:b | ruby -F: -lane 'puts $F[1]'`, outcome{"b\n", "", 0}},
		"-i":                     {`echo a >f; ruby -i.bak -pe '$_.upcase!' f; cat f f.bak; rm f f.bak`, outcome{"A\na\n", "", 0}},
		"here-document":          {"ruby <<'EOF'\n3.times { |i| puts i }\nEOF", outcome{"0\n1\n2\n", "", 0}},
		"standard input":         {`echo 'p ARGV' | ruby - a`, outcome{"[\"a\"]\n", "", 0}},
		"script":                 {"cat >s.rb <<'EOF'\np ARGV, __FILE__ == $0\nputs DATA.read\nEND { puts :end }\n__END__\ndata\nEOF\nruby s.rb x 'y z'; rm s.rb", outcome{"[\"x\", \"y z\"]\ntrue\ndata\nend\n", "", 0}},
		"script in a directory":  {"mkdir -p d/lib; echo 'def f = 7' >d/lib/m.rb; printf 'require_relative \"lib/m\"\\np f, Dir.pwd\\n' >d/s.rb; cd d; ruby s.rb; cd ..; ruby d/s.rb; rm -r d", outcome{"7\n\"/workspace/d\"\n7\n\"/workspace\"\n", "", 0}},
		"shebang":                {"printf '#!/usr/bin/env ruby\\nputs 42\\n' >s; chmod +x s; ./s; rm s", outcome{"42\n", "", 0}},
		"syntax check":           {`echo 'puts 1' >s.rb; ruby -c s.rb; rm s.rb`, outcome{"Syntax OK\n", "", 0}},
		"exit status":            {`ruby -e 'exit 3'; echo $?; ruby -e 'abort "no"'; echo $?; ruby -e 'at_exit { exit 4 }'`, outcome{"3\n1\n", "no\n", 4}},
		"exception":              {`ruby -e 'def f = raise(ArgumentError, "bad"); f'`, outcome{"", "-e:1:in 'Object#f': bad (ArgumentError)\n\tfrom -e:1:in '<main>'\n", 1}},
		"cause":                  {`ruby -e 'begin; raise "a"; rescue; raise "b"; end' 2>&1 | head -n 2`, outcome{"-e:1:in '<main>': b (RuntimeError)\n-e:1:in '<main>': a (RuntimeError)\n", "", 0}},
		"exception at the end":   {`ruby -e 'at_exit { warn "last" }; raise "x"'`, outcome{"", "last\n-e:1:in '<main>': x (RuntimeError)\n", 1}},
		"syntax error":           {`ruby -e 'x =' 2>&1 | head -n 1`, outcome{"-e: -e:1: syntax errors found (SyntaxError)\n", "", 0}},
		"missing file":           {`ruby nowhere.rb`, outcome{"", "ruby: No such file or directory -- nowhere.rb (LoadError)\n", 1}},
		"unknown option":         {`ruby --bogus`, outcome{"", "ruby: invalid option --bogus  (-h will show valid options) (RuntimeError)\n", 1}},
		"environment":            {`A=é ruby -e 'p ENV["A"], ENV.fetch("A") == "é", ENV["HOME"].nil?, ENV["NONE"]'`, outcome{"\"é\"\ntrue\nfalse\nnil\n", "", 0}},
		"files":                  {`ruby -e 'File.write("f", "text\n"); puts File.read("f"); File.rename("f", "g"); p Dir["*"]; File.delete("g")'; ls`, outcome{"text\n[\"g\"]\n", "", 0}},
		"appending":              {`for i in 1 2 3; do ruby -e 'puts ARGV[0]' $i >>f; done; cat f; rm f`, outcome{"1\n2\n3\n", "", 0}},
		"large through":          {`seq 1 200000 | ruby -e 'p STDIN.each_line.sum(&:to_i)'`, outcome{"20000100000\n", "", 0}},
		"endless into head":      {`ruby -e 'loop { puts :y }' 2>/dev/null | head -n 2; echo "${PIPESTATUS[@]}"`, outcome{"y\ny\n1 0\n", "", 0}},
		"fibers, catch, threads": {`ruby -e 'e = [1, 2].each; p e.next, e.next, catch(:x) { throw :x, 5 }; begin; Thread.new {}; rescue NotImplementedError; puts :none; end'`, outcome{"1\n2\n5\nnone\n", "", 0}},
		"no other programs":      {"ruby -e 'begin; `ls`; rescue NotImplementedError => e; puts e.message; end; system \"ls\"'", outcome{"a program cannot start another here (`)\n", "-e:1:in '<main>': a program cannot start another here (system) (NotImplementedError)\n", 1}},
		"no JavaScript":          {`ruby -rjs -e 'JS.eval("1")'; echo $?`, outcome{"134\n", "ruby: rb-js-abi-host.eval-js is not available\n", 0}},
		"random":                 {`a=$(ruby -e 'p rand(1 << 62)'); b=$(ruby -e 'p rand(1 << 62)'); [ "$a" != "$b" ] && ruby -e 'srand(5); p rand(100)'`, outcome{"99\n", "", 0}},
		"endless recursion":      {`ruby -e 'def f = f(); f' 2>&1 | head -n 1`, outcome{"-e:1:in 'Object#f': stack level too deep (SystemStackError)\n", "", 0}},
		"timeout":                {`timeout 0.2 ruby -e 'loop {}'; echo $?`, outcome{"124\n", "", 0}},
		"warnings":               {`ruby -w -e 'p $VERBOSE'; ruby -W0 -e 'warn "x"; p $VERBOSE'`, outcome{"true\nnil\n", "", 0}},
	})
}

// BenchmarkRuby starts CRuby and ends it.
func BenchmarkRuby(b *testing.B) {
	s := newShell(b, sandbox.Limits{}, addRuby)
	for name, script := range map[string]string{"nil": `ruby -e nil`, "json": `ruby -rjson -e 'puts JSON.generate([1])'`} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if got, err := s.run(b.Context(), script); err != nil || got.Status != 0 {
					b.Fatalf("%+v, %v", got, err)
				}
			}
		})
	}
}

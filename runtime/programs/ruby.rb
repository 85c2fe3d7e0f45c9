# What ruby(1) does with its command line, for a CRuby that was built to be embedded: it has no main function of its own. It is
# evaluated once, before the first call; start is called with the arguments and the environment of each.
class << (RubyVM::OpenclawMain = Module.new)
  HERE = __FILE__
  private_constant :HERE

  def start(args, env)
    @at_exit = []
    @script = @loop = @print = @split = @chomp = @check = nil
    @code, @libraries = [], []
    @name = args.first
    ARGV.replace(args.drop(1))
    ENV.replace(env)
    Random.srand
    finish { run }
  end

  def at_exit(block) = @at_exit.push(block)

  private

  def run
    go_to(ENV["PWD"])
    options
    source, file = program
    @libraries.each { |l| require l }
    return check(source, file) if @check
    data(source, file)
    source = hoisted(source, file) if source.match?(/\b(?:BEGIN|END)\b/)
    evaluate(@loop ? looped(source) : source, file)
  end

  def go_to(dir)
    Dir.chdir(dir) if dir
  rescue SystemCallError
    # it stays at the root, as a program does whose directory has gone
  end

  # program is what to run, and what it is called.
  def program
    return [@code.join("\n"), $0 = "-e"] unless @code.empty?
    file = ARGV.shift
    return [$stdin.read, $0 = "-"] if file.nil? || file == "-"
    path = @search ? found(file) : file
    source = File.read(path, encoding: "UTF-8")
    [source, $0 = path]
  rescue SystemCallError => e
    quit("No such file or directory -- #{file} (LoadError)") if e.is_a?(Errno::ENOENT)
    quit("#{e.message.sub(/ @ \w+/, "")} (LoadError)")
  end

  def found(file)
    ENV.fetch("PATH", "").split(":").map { |d| File.join(d, file) }.find { |f| File.file?(f) } || file
  end

  def quit(text, status = 1)
    $stderr.puts "#{@name}: #{text}"
    exit status
  end

  def options
    while (arg = ARGV.first) && arg.start_with?("-") && arg != "-"
      ARGV.shift
      break if arg == "--"
      arg.start_with?("--") ? long(arg) : letters(arg[1..])
    end
    version if @show_version && @code.empty? && ARGV.empty? && @verbose
  end

  def long(arg)
    case arg
    when "--version" then version
    when "--copyright" then puts(RUBY_COPYRIGHT) || exit
    when "--help" then puts("Usage: #{@name} [options] [--] [filepath] [arguments]") || exit
    when "--verbose" then $VERBOSE = true
    when "--yjit", "--jit", /\A--(?:en|dis)able(?:[=-]|\z)/, /\A--(?:encoding|external-encoding|internal-encoding|parser|backtrace-limit)=/
      ARGV.shift if arg.match?(/\A--(?:en|dis)able\z/)
    else quit("invalid option #{arg}  (-h will show valid options) (RuntimeError)")
    end
  end

  def version
    puts RUBY_DESCRIPTION
    exit
  end

  def letters(rest)
    until rest.empty?
      letter, rest = rest[0], rest[1..]
      case letter
      when "n" then @loop = true
      when "p" then @loop = @print = true
      when "a" then @split = true
      when "l" then @chomp = true
      when "c" then @check = true
      when "S" then @search = true
      when "w" then $VERBOSE = true
      when "d" then $DEBUG = true
      when "v" then $VERBOSE, @show_version, @verbose = true, true, true; $stdout.puts RUBY_DESCRIPTION
      when "h" then long("--help")
      when "s", "x", "y" then quit("option -#{letter} is not supported here (RuntimeError)")
      when "U", "u" then nil
      else rest = valued(letter, rest)
      end
    end
  end

  # valued takes an option that has a value, behind it or as the next argument, and returns what is left of the letters.
  def valued(letter, rest)
    case letter
    when "e" then @code << (rest.empty? ? ARGV.shift || quit("no code specified for -e (RuntimeError)") : rest)
    when "r" then @libraries << (rest.empty? ? ARGV.shift : rest)
    when "I" then $LOAD_PATH.unshift(*(rest.empty? ? ARGV.shift : rest).split(":").map { |d| File.expand_path(d) })
    when "F" then $; = Regexp.new(rest)
    when "E", "K" then ARGV.shift if rest.empty?
    when "C", "X" then Dir.chdir(rest.empty? ? ARGV.shift : rest)
    when "i" then $-i = rest
    when "0" then return separator(rest)
    when "W" then return level(rest)
    when "-" then nil
    else quit("invalid option -#{letter}  (-h will show valid options) (RuntimeError)")
    end
    ""
  end

  def separator(rest)
    digits = rest[/\A[0-7]{0,3}/]
    $/ = case digits
         when "" then "\0"
         when "0", "00" then ""
         else digits.oct > 255 ? nil : digits.oct.chr
         end
    rest[digits.size..]
  end

  def level(rest)
    if rest.start_with?(":")
      name = rest[1..]
      on = !name.delete_prefix!("no-")
      Warning[name.tr("-", "_").to_sym] = on
      return ""
    end
    $VERBOSE = { "0" => nil, "1" => false }.fetch(rest[0], true)
    rest[1..] || ""
  end

  def looped(source)
    $\ = $/ if @chomp
    scope("Kernel.module_eval { %i[sub gsub chop chomp].each { |m| define_method(m) { |*a, &b| $_ = $_.__send__(m, *a, &b) } } }")
    # A regular expression as a condition is one of the last line in such a loop, and nothing to warn of.
    verbose, $VERBOSE = $VERBOSE, nil
    "$VERBOSE = #{verbose.inspect};while gets;#{"$_.chomp!;" if @chomp}#{"$F = $_.split;" if @split}#{source}\n;#{"print $_" if @print}\nend"
  end

  # hoisted runs BEGIN blocks and notes END blocks, which are allowed, or mean the right thing, at the top of a file alone.
  def hoisted(source, file)
    require "prism"
    nodes = Prism.parse(source).value.statements.body
    source = source.b
    nodes.each do |node|
      next unless node.is_a?(Prism::PreExecutionNode) || node.is_a?(Prism::PostExecutionNode)
      from, to = node.opening_loc.end_offset, node.closing_loc.start_offset
      code = source.byteslice(from, to - from).force_encoding("UTF-8")
      first = node.is_a?(Prism::PreExecutionNode)
      next unless first || @loop
      first ? scope(code, file, node.location.start_line) : @at_exit.push(proc { scope(code, file, node.location.start_line) })
      whole = node.location
      source[whole.start_offset, whole.length] = source.byteslice(whole.start_offset, whole.length).gsub(/[^\n]/n, " ")
    end
    unless @loop
      nodes.grep(Prism::PostExecutionNode).reverse_each do |node|
        source[node.keyword_loc.start_offset, node.keyword_loc.length] = "at_exit"
      end
    end
    source.force_encoding("UTF-8")
  end

  def check(source, file)
    RubyVM::InstructionSequence.compile(source, file)
    puts "Syntax OK"
  end

  # data makes what is behind __END__ in a script readable.
  def data(source, file)
    at = file == "-e" ? nil : source.b.index(/^__END__\r?(?:\n|\z)/n)
    return unless at
    io = file == "-" ? (require("stringio") && StringIO.new(source.dup)) : File.open(file)
    io.pos = at + source.b[at..].index("\n").then { |n| n ? n + 1 : 7 }
    Object.const_set(:DATA, io)
  end

  def evaluate(source, file) = scope(source, file, 1)

  def scope(source, file = "-e", line = 1) = Kernel.eval(source, TOPLEVEL_BINDING, file, line)

  # finish does what is to be done at the end, whatever that was.
  def finish(&main)
    status, error = outcome(&main)
    while (block = @at_exit.pop)
      later, failed = outcome(&block)
      report(failed) if failed
      status = later if later
    end
    report(error) if error
    [$stdout, $stderr].each do |io|
      io.flush
    rescue SystemCallError
      # nobody reads it
    end
    exit!(status || 0)
  end

  # outcome is the exit status of a block, if it has one, and what it failed with, which is told later.
  def outcome
    yield
    nil
  rescue SystemExit => e
    e.status
  rescue Exception => e
    [1, e]
  end

  def report(error)
    trimmed(error)
    text = error.full_message(highlight: false, order: :top)
    $stderr.write(text.end_with?("\n") ? text : "#{text}\n")
  rescue SystemCallError
    # nobody reads it
  end

  # ours? reports whether a line of a backtrace is of this file, or of what evaluates it.
  def ours?(line) = line.start_with?(HERE, "eval:") || line == "-e:in 'Kernel.eval'"

  # trimmed leaves out of backtraces what is ours: what runs the program, and what it calls in place of something else.
  def trimmed(error)
    while error
      theirs = (error.backtrace || []).drop_while { |l| ours?(l) }.take_while { |l| !ours?(l) }
      error.set_backtrace(theirs.empty? ? [$0] : theirs)
      error = error.cause
    end
  end
end

module Kernel
  def at_exit(&block)
    raise ArgumentError, "called without block" unless block
    RubyVM::OpenclawMain.at_exit(block)
    block
  end
  module_function :at_exit

  # There are no processes to start here, and what would start one must not seem to have done so.
  %i[system ` spawn exec fork].each do |name|
    define_method(name) { |*| raise NotImplementedError, "a program cannot start another here (#{name})" }
    module_function name
  end
end

class << Process
  %i[spawn exec fork daemon].each do |name|
    define_method(name) { |*| raise NotImplementedError, "a program cannot start another here (#{name})" }
  end
end

class << IO
  def popen(*) = raise(NotImplementedError, "a program cannot start another here (popen)")
end

# The locale was read before there was an environment, and says ASCII.
class << ENV
  prepend(Module.new do
    def [](name) = super&.dup&.force_encoding("UTF-8")
    def fetch(name, *, &) = super.then { |v| v.is_a?(String) ? v.dup.force_encoding("UTF-8") : v }
    def to_h(&block) = super().to_h { |k, v| [k, v.dup.force_encoding("UTF-8")] }.then { |h| block ? h.to_h(&block) : h }
  end)
end

// util.parseArgs.
function fail(code, message) {
  return Object.assign(new TypeError(message), { code });
}

function parseArgs({ args = process.argv.slice(2), options = {}, strict = true, allowPositionals = !strict, tokens: wanted = false } = {}) {
  const values = Object.create(null), positionals = [], tokens = [];
  const byShort = new Map(Object.entries(options).filter(([, o]) => o.short).map(([n, o]) => [o.short, n]));
  const set = (name, value, rawName, index, inline) => {
    const o = options[name];
    if (strict && !o) throw fail('ERR_PARSE_ARGS_UNKNOWN_OPTION', `Unknown option '${rawName}'${allowPositionals ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- "${rawName}"` : ''}`);
    if (strict && o.type === 'string' && value === undefined) throw fail('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${o.short ? `-${o.short}, ` : ''}--${name} <value>' argument missing`);
    if (strict && o.type === 'boolean' && value !== undefined) throw fail('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${o.short ? `-${o.short}, ` : ''}--${name}' does not take an argument`);
    tokens.push({ kind: 'option', name, rawName, index, value, inlineValue: value === undefined ? undefined : inline });
    const v = value ?? true;
    if (o?.multiple) (values[name] ??= []).push(v);
    else values[name] = v;
  };
  for (let i = 0; i < args.length; i++) {
    const a = args[i];
    const next = (name) => (options[name]?.type === 'string' && i + 1 < args.length && (!args[i + 1].startsWith('-') || args[i + 1] === '-') ? args[++i] : undefined);
    if (a === '--') {
      tokens.push({ kind: 'option-terminator', index: i });
      positionals.push(...args.slice(i + 1));
      break;
    }
    if (a.startsWith('--')) {
      const eq = a.indexOf('='), name = eq < 0 ? a.slice(2) : a.slice(2, eq), at = i;
      set(name, eq < 0 ? next(name) : a.slice(eq + 1), `--${name}`, at, eq >= 0);
    } else if (a.length > 1 && a.startsWith('-')) {
      for (let j = 1; j < a.length; j++) {
        const name = byShort.get(a[j]) ?? a[j], at = i;
        if (options[name]?.type === 'string') {
          const rest = a.slice(j + 1);
          set(name, rest !== '' ? rest.replace(/^=/, '') : next(name), `-${a[j]}`, at, rest !== '');
          break;
        }
        set(name, undefined, `-${a[j]}`, at, false);
      }
    } else {
      if (!allowPositionals) throw fail('ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL', `Unexpected argument '${a}'. This command does not take positional arguments`);
      positionals.push(a);
      tokens.push({ kind: 'positional', index: i, value: a });
    }
  }
  for (const [name, o] of Object.entries(options)) if (o.default !== undefined && values[name] === undefined) values[name] = o.default;
  return wanted ? { values, positionals, tokens } : { values, positionals };
}

module.exports = { parseArgs };

// The global console.
const { inspect, formatWith } = require('inspect');

let indent = '';
const counts = new Map(), clocks = new Map();

function emit(fd, text) {
  if (indent !== '') text = indent + (text.includes('\n') ? text.replaceAll('\n', '\n' + indent) : text);
  binding.write(fd, text + '\n');
}

function log(...args) { emit(1, args.length === 1 && typeof args[0] === 'string' ? args[0] : formatWith({}, args)); }
function error(...args) { emit(2, formatWith({}, args)); }

// ---- tables

const pad = (text, width) => ` ${text}${' '.repeat(width - text.length - 1)}`;

function drawTable(head, columns) {
  const rows = Math.max(0, ...columns.map((c) => c.length));
  const widths = head.map((h, i) => Math.max(displayWidth(h), ...columns[i].map(displayWidth)) + 2);
  const row = (cells) => '│' + cells.map((c, i) => pad(c, widths[i] - displayWidth(c) + c.length)).join('│') + '│';
  const line = (left, middle, right) => left + widths.map((w) => '─'.repeat(w)).join(middle) + right;
  let out = line('┌', '┬', '┐') + '\n' + row(head) + '\n' + line('├', '┼', '┤') + '\n';
  for (let i = 0; i < rows; i++) out += row(columns.map((c) => c[i] ?? '')) + '\n';
  return out + line('└', '┴', '┘');
}

function displayWidth(s) {
  if (/^[\x20-\x7e]*$/.test(s)) return s.length;
  let n = 0;
  for (const c of s) {
    const p = c.codePointAt(0);
    n += (p >= 0x1100 && p <= 0x115f) || (p >= 0x2e80 && p <= 0xa4cf) || (p >= 0xac00 && p <= 0xd7a3) || (p >= 0xf900 && p <= 0xfaff) || (p >= 0xfe30 && p <= 0xfe6f) || (p >= 0xff00 && p <= 0xff60) || (p >= 0xffe0 && p <= 0xffe6) || (p >= 0x1f300 && p <= 0x1faff) || (p >= 0x20000 && p <= 0x3fffd) ? 2 : (p >= 0x300 && p <= 0x36f) || p === 0x200d || (p >= 0xfe00 && p <= 0xfe0f) ? 0 : 1;
  }
  return n;
}

function cell(v) {
  const depth = v !== null && typeof v === 'object' && !Array.isArray(v) && Object.keys(v).length > 2 ? -1 : 0;
  return inspect(v, { maxArrayLength: 3, breakLength: Infinity, depth });
}

function table(data, properties) {
  if (data === null || typeof data !== 'object') return log(data);
  const indexName = data instanceof Map || data instanceof Set ? '(iteration index)' : '(index)';
  if (data instanceof Map) {
    const entries = [...data];
    return log(drawTable([indexName, 'Key', 'Values'], [entries.map((_, i) => String(i)), entries.map((e) => cell(e[0])), entries.map((e) => cell(e[1]))]));
  }
  const rows = data instanceof Set ? [...data].map((v, i) => [String(i), v]) : Object.keys(data).map((k) => [k, data[k]]);
  const columns = new Map(), values = [];
  if (properties) for (const k of properties) columns.set(k, []);
  let primitives = false;
  rows.forEach(([, v], i) => {
    if (v === null || (typeof v !== 'object' && typeof v !== 'function')) {
      primitives = true;
      values[i] = cell(v);
      return;
    }
    for (const k of properties || Object.keys(v)) {
      if (!columns.has(k)) columns.set(k, []);
      if (Object.prototype.hasOwnProperty.call(v, k)) columns.get(k)[i] = cell(v[k]);
    }
  });
  const head = [indexName, ...columns.keys()], body = [rows.map((r) => r[0]), ...columns.values()];
  for (const c of body) for (let i = 0; i < rows.length; i++) c[i] ??= '';
  if (primitives) {
    head.push('Values');
    for (let i = 0; i < rows.length; i++) values[i] ??= '';
    body.push(values);
  }
  return log(drawTable(head.map(String), body));
}

// ---- clocks and counters

function elapsed(label) {
  if (!clocks.has(label)) {
    process.emitWarning(`No such label '${label}' for console.timeEnd()`);
    return undefined;
  }
  const ms = binding.now() - clocks.get(label);
  if (ms >= 1000) return `${label}: ${(ms / 1000).toFixed(3)}s`;
  return `${label}: ${Number(ms.toFixed(3))}ms`;
}

const console = {
  log, warn: error,
  dir: (v, options) => { emit(1, inspect(v, { customInspect: false, ...options })); },
  time: (label = 'default') => { clocks.set(`${label}`, binding.now()); },
  timeEnd: (label = 'default') => { const t = elapsed(`${label}`); if (t) { log(t); clocks.delete(`${label}`); } },
  timeLog: (label = 'default', ...args) => { const t = elapsed(`${label}`); if (t) log(t, ...args); },
  trace: (...args) => {
    const stack = new Error().stack;
    error(`Trace${args.length ? `: ${formatWith({}, args)}` : ''}\n${require('inspect').cleanStack(stack).split('\n').slice(1).join('\n')}`);
  },
  assert: (ok, ...args) => {
    if (ok) return;
    if (typeof args[0] === 'string') args[0] = `Assertion failed: ${args[0]}`;
    else args.unshift('Assertion failed');
    error(...args);
  },
  clear: () => {},
  count: (label = 'default') => { const n = (counts.get(`${label}`) || 0) + 1; counts.set(`${label}`, n); log(`${label}: ${n}`); },
  countReset: (label = 'default') => { counts.delete(`${label}`); },
  group: (...args) => { if (args.length > 0) log(...args); indent += '  '; },
  groupEnd: () => { indent = indent.slice(2); },
  table,
  debug: log, info: log, dirxml: log, error, groupCollapsed: undefined,
};
console.groupCollapsed = console.group;
Object.defineProperty(console, 'Console', { value: class Console {
  constructor(stdout, stderr = stdout) {
    if (stdout && stdout.stdout) ({ stdout, stderr = stdout } = stdout);
    this.log = this.info = this.debug = (...args) => { stdout.write(formatWith({}, args) + '\n'); };
    this.error = this.warn = (...args) => { stderr.write(formatWith({}, args) + '\n'); };
  }
}, writable: true, configurable: true });

module.exports = console;

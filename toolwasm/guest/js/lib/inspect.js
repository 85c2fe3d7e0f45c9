// Values as text, in the form that node prints them.
const customInspect = Symbol.for('nodejs.util.inspect.custom');
const objectEntry = 0, arrayEntry = 1, arrayExtra = 2; // what an output line of an object is

const defaultOptions = {
  showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100, maxStringLength: 10000,
  breakLength: 80, compact: 3, sorted: false, getters: false, numericSeparator: false,
};

function inspect(value, options, ...legacy) {
  const ctx = { ...defaultOptions, seen: [], circular: undefined, indent: 0, current: 0, stylize: (s) => String(s) };
  if (typeof options === 'object' && options !== null) {
    for (const k of Object.keys(options)) {
      if (k in defaultOptions || k === 'stylize') ctx[k] = options[k];
    }
  } else if (typeof options === 'boolean') {
    ctx.showHidden = options;
    if (legacy.length > 0) ctx.depth = legacy[0];
  }
  if (ctx.maxArrayLength === null) ctx.maxArrayLength = Infinity;
  if (ctx.maxStringLength === null) ctx.maxStringLength = Infinity;
  if (ctx.depth === null || ctx.depth === undefined) ctx.depth = Infinity;
  ctx.given = options;
  return formatValue(ctx, value, 0, true);
}
inspect.custom = customInspect;
inspect.defaultOptions = defaultOptions;
inspect.colors = Object.create(null);
inspect.styles = Object.create(null);

// ---- primitives

const escapes = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\' };

function quote(s) {
  let mark = "'";
  if (s.includes("'")) {
    if (!s.includes('"')) mark = '"';
    else if (!s.includes('`') && !s.includes('${')) mark = '`';
  }
  let out = '';
  for (let i = 0; i < s.length; i++) {
    const c = s[i], n = s.charCodeAt(i);
    if (c === mark) out += '\\' + c;
    else if (escapes[c]) out += escapes[c];
    else if (n < 32 || (n >= 127 && n < 160)) out += '\\x' + n.toString(16).toUpperCase().padStart(2, '0');
    else if (n >= 0xd800 && n <= 0xdfff) {
      const next = s.charCodeAt(i + 1);
      if (n <= 0xdbff && next >= 0xdc00 && next <= 0xdfff) out += c + s[++i];
      else out += '\\u' + n.toString(16);
    } else out += c;
  }
  return mark + out + mark;
}

function formatNumber(n) {
  return Object.is(n, -0) ? '-0' : String(n);
}

function formatPrimitive(ctx, v) {
  switch (typeof v) {
    case 'string': return formatString(ctx, v);
    case 'number': return formatNumber(v);
    case 'bigint': return `${v}n`;
    case 'symbol': return Symbol.prototype.toString.call(v);
  }
  return String(v);
}

function formatString(ctx, v) {
  let tail = '';
  if (v.length > ctx.maxStringLength) {
    const more = v.length - ctx.maxStringLength;
    v = v.slice(0, ctx.maxStringLength);
    tail = `... ${more} more character${more > 1 ? 's' : ''}`;
  }
  const shortest = 16;
  if (ctx.compact !== true && v.length > shortest && v.length > ctx.breakLength - ctx.indent - 4 && v.includes('\n')) {
    const lines = v.split(/(?<=\n)/);
    return lines.map(quote).join(' +\n' + ' '.repeat(ctx.indent + 2)) + tail;
  }
  return quote(v) + tail;
}

// ---- objects

function formatValue(ctx, value, depth, typed) {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return formatPrimitive(ctx, value);
  const context = value;
  const target = binding.proxyTarget(value);
  if (target !== undefined && !isNamespace(target)) {
    if (ctx.showProxy) return `Proxy [ ${formatValue(ctx, target, depth)}, {} ]`;
    return formatValue(ctx, target, depth, typed);
  }
  if (ctx.customInspect) {
    const own = value[customInspect];
    if (typeof own === 'function' && own !== inspect && !(value.constructor && value.constructor.prototype === value)) {
      const left = ctx.depth === Infinity ? null : ctx.depth - depth;
      const ret = own.call(context, left, userOptions(ctx, left), inspect);
      if (ret !== context) {
        if (typeof ret !== 'object' || ret === null) return `${String(ret)}`;
        return formatValue(ctx, ret, depth).replaceAll('\n', '\n' + ' '.repeat(ctx.indent));
      }
    }
  }
  if (ctx.seen.includes(value)) {
    if (ctx.circular === undefined) ctx.circular = new Map();
    if (!ctx.circular.has(value)) ctx.circular.set(value, ctx.circular.size + 1);
    return `[Circular *${ctx.circular.get(value)}]`;
  }
  return formatObject(ctx, value, depth);
}

function userOptions(ctx, depth) {
  const o = {};
  for (const k of Object.keys(defaultOptions)) o[k] = ctx[k];
  o.depth = depth;
  o.stylize = ctx.stylize;
  return o;
}

function constructorName(value) {
  for (let o = value; o !== null && o !== undefined; o = Object.getPrototypeOf(o)) {
    const d = Object.getOwnPropertyDescriptor(o, 'constructor');
    if (d !== undefined && typeof d.value === 'function' && d.value.name !== '' && isInstance(value, d.value)) return String(d.value.name);
  }
  return null;
}

function isInstance(value, f) {
  try {
    return value instanceof f;
  } catch {
    return false;
  }
}

function prefixOf(name, tag, fallback, size = '') {
  const label = name === null ? `[${fallback}${size}: null prototype]` : `${name}${size}`;
  const known = name === null ? fallback : name;
  return tag !== '' && known !== tag ? `${label} [${tag}] ` : `${label} `;
}

function keysOf(value, hidden) {
  const keys = hidden ? Object.getOwnPropertyNames(value) : Object.keys(value);
  for (const s of Object.getOwnPropertySymbols(value)) {
    if (hidden || Object.prototype.propertyIsEnumerable.call(value, s)) keys.push(s);
  }
  return keys;
}

function extraKeys(value, hidden) {
  return keysOf(value, hidden).filter((k) => typeof k === 'symbol' || !/^(0|[1-9][0-9]*)$/.test(k));
}

function tagOf(ctx, value) {
  const tag = value[Symbol.toStringTag];
  if (typeof tag !== 'string' || tag === '') return '';
  const shown = ctx.showHidden ? Object.prototype.hasOwnProperty : Object.prototype.propertyIsEnumerable;
  return shown.call(value, Symbol.toStringTag) ? '' : tag;
}

const typedArray = Object.getPrototypeOf(Uint8Array);
const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor, GeneratorFunction = Object.getPrototypeOf(function* () {}).constructor;
const mapSize = Object.getOwnPropertyDescriptor(Map.prototype, 'size').get, setSize = Object.getOwnPropertyDescriptor(Set.prototype, 'size').get;

// kindOf is what a value is, whatever its prototype says.
function kindOf(value) {
  const kind = binding.className(value);
  if (kind === 'Function') return isInstance(value, AsyncFunction) ? 'AsyncFunction' : isInstance(value, GeneratorFunction) ? 'GeneratorFunction' : kind;
  if (kind !== 'Object') return kind;
  if (typeof value === 'function') return isInstance(value, AsyncFunction) ? 'AsyncFunction' : 'Function';
  if (binding.promiseState(value) !== null) return 'Promise';
  for (const [C, name, test] of brands) if (isInstance(value, C) && holds(test, value)) return name;
  return kind;
}

const brands = [[Map, 'Map', mapSize], [Set, 'Set', setSize], [WeakMap, 'WeakMap', function () { WeakMap.prototype.has.call(this, {}); }], [WeakSet, 'WeakSet', function () { WeakSet.prototype.has.call(this, {}); }],
  [BigInt, 'BigInt', function () { BigInt.prototype.valueOf.call(this); }], [Symbol, 'Symbol', function () { Symbol.prototype.valueOf.call(this); }]];

function holds(test, value) {
  try {
    test.call(value);
    return true;
  } catch {
    return false;
  }
}

const isNamespace = (v) => Object.getPrototypeOf(v) === null && v[Symbol.toStringTag] === 'Module';

// shape says how an object is written: what stands around its entries, or the whole text when it has none.
function shape(ctx, value, depth) {
  const name = constructorName(value), tag = tagOf(ctx, value), kind = kindOf(value);
  const s = { name, tag, kind, keys: undefined, base: '', open: '{', close: '}', type: objectEntry, entries: () => [], fallback: 'Object', text: undefined };
  if (Array.isArray(value)) return arrayShape(ctx, value, s, 'Array', formatArray, name !== 'Array' || tag !== '');
  if (value instanceof typedArray) return arrayShape(ctx, value, s, tag || 'TypedArray', formatTyped, true);
  s.keys = keysOf(value, ctx.showHidden);
  switch (kind) {
    case 'Set': return collectionShape(s, value, 'Set', formatSet);
    case 'Map': return collectionShape(s, value, 'Map', formatMap);
    case 'Function': case 'AsyncFunction': case 'GeneratorFunction': return textShape(s, functionText(value, s));
    case 'RegExp': return textShape(s, regexpText(value, s));
    case 'Date': return textShape(s, dateText(value, s));
    case 'Error': return errorShape(ctx, value, s);
    case 'Number': case 'String': case 'Boolean': case 'BigInt': case 'Symbol': return boxedShape(ctx, value, s);
    case 'Promise': return promiseShape(s, value);
    case 'WeakSet': case 'WeakMap':
      s.open = prefixOf(name, tag, kind) + '{';
      s.entries = () => ['<items unknown>'];
      return s;
    case 'Arguments':
      s.open = '[Arguments] {';
      return s;
  }
  if (value instanceof Error) return errorShape(ctx, value, s);
  if (value instanceof ArrayBuffer) return bufferShape(s, value);
  if (value instanceof DataView) {
    s.open = prefixOf(name, tag, 'DataView') + '{';
    s.keys.unshift('byteLength', 'byteOffset', 'buffer');
    return s;
  }
  if (kind.endsWith(' Iterator') && (kind.startsWith('Map') || kind.startsWith('Set'))) {
    s.open = `[${tag}] {`;
    s.entries = () => ['<items unknown>'];
    return s;
  }
  if (tag === 'Module' && name === null) {
    s.open = '[Module: null prototype] {';
  } else if (name !== 'Object' || tag !== '') {
    s.open = prefixOf(name, tag, 'Object') + '{';
  }
  if (s.keys.length === 0) s.text = s.open + '}';
  return s;
}

function arrayShape(ctx, value, s, fallback, entries, named) {
  s.keys = extraKeys(value, ctx.showHidden);
  s.fallback = fallback;
  s.open = (named ? prefixOf(s.name, s.tag, fallback, `(${value.length})`) : '') + '[';
  s.close = ']';
  s.type = arrayExtra;
  s.entries = entries;
  if (value.length === 0 && s.keys.length === 0) s.text = s.open + ']';
  return s;
}

function collectionShape(s, value, fallback, entries) {
  const size = Object.getOwnPropertyDescriptor(fallback === 'Set' ? Set.prototype : Map.prototype, 'size').get.call(value);
  s.fallback = fallback;
  s.open = prefixOf(s.name, s.tag, fallback, `(${size})`) + '{';
  s.entries = entries;
  if (size === 0 && s.keys.length === 0) s.text = s.open + '}';
  return s;
}

function textShape(s, base) {
  s.base = base;
  if (s.keys.length === 0) s.text = base;
  return s;
}

function bufferShape(s, value) {
  s.open = prefixOf(s.name, s.tag, 'ArrayBuffer') + '{';
  s.keys.unshift('byteLength');
  s.entries = (ctx) => {
    const bytes = new Uint8Array(value), shown = Math.min(ctx.maxArrayLength, 50, bytes.length);
    let hex = Array.from(bytes.subarray(0, shown), (b) => b.toString(16).padStart(2, '0')).join(' ');
    if (bytes.length > shown) hex += ` ... ${bytes.length - shown} more byte${bytes.length - shown > 1 ? 's' : ''}`;
    return [`[Uint8Contents]: <${hex}>`];
  };
  return s;
}

function promiseShape(s, value) {
  s.open = prefixOf(s.name, s.tag, 'Promise') + '{';
  s.entries = (ctx, v, depth) => {
    const [state, result] = binding.promiseState(v);
    if (state === 0) return ['<pending>'];
    ctx.indent += 2;
    const text = formatValue(ctx, result, depth);
    ctx.indent -= 2;
    return [state === 2 ? `<rejected> ${text}` : text];
  };
  return s;
}

function boxedShape(ctx, value, s) {
  const inner = value.valueOf();
  if (s.kind === 'String') s.keys = extraKeys(value, ctx.showHidden);
  let base = `[${s.kind}`;
  if (s.name !== s.kind) base += s.name === null ? ' (null prototype)' : ` (${s.name})`;
  base += `: ${formatPrimitive({ ...defaultOptions, indent: 0, breakLength: Infinity }, inner)}]`;
  if (s.tag !== '' && s.tag !== s.name) base += ` [${s.tag}]`;
  return textShape(s, base);
}

function functionText(f, s) {
  const source = Function.prototype.toString.call(f);
  if (source.startsWith('class') && source.endsWith('}')) return classText(f, s);
  let type = s.kind;
  if (f[asyncGeneratorMark]) type = 'AsyncGeneratorFunction';
  let base = `[${type}`;
  if (s.name === null) base += ' (null prototype)';
  base += f.name === '' || typeof f.name !== 'string' ? ' (anonymous)' : `: ${f.name}`;
  base += ']';
  if (s.name !== type && s.name !== null && !s.name.endsWith('Function')) base += ` ${s.name}`;
  if (s.tag !== '' && s.name !== s.tag && !s.tag.endsWith('Function')) base += ` [${s.tag}]`;
  return base;
}

const asyncGeneratorMark = Symbol.for('openclaw.asyncGenerator');

function classText(f, s) {
  const named = Object.prototype.hasOwnProperty.call(f, 'name') && f.name;
  let base = `class ${named || '(anonymous)'}`;
  if (s.name !== 'Function' && s.name !== null) base += ` [${s.name}]`;
  if (s.tag !== '' && s.name !== s.tag) base += ` [${s.tag}]`;
  if (s.name !== null) {
    const parent = Object.getPrototypeOf(f).name;
    if (parent) base += ` extends ${parent}`;
  } else base += ' extends null';
  return `[${base}]`;
}

function regexpText(value, s) {
  const base = RegExp.prototype.toString.call(value);
  return s.name === 'RegExp' ? base : prefixOf(s.name, s.tag, 'RegExp') + base;
}

function dateText(value, s) {
  const base = Number.isNaN(Date.prototype.getTime.call(value)) ? 'Invalid Date' : Date.prototype.toISOString.call(value);
  return s.name === 'Date' ? base : prefixOf(s.name, s.tag, 'Date') + base;
}

// ---- errors

// cleanStack gives the engine's stacks node's form, without frames of the library.
function cleanStack(stack) {
  return stack.split('\n').map((line) => {
    const at = /^\s+at (.*?)(\(\d+\))?(\)?)$/.exec(line);
    if (!at) return line;
    if (/^native$|\(native\)|node:/.test(at[1] + at[3])) return null;
    return `    at ${unshift(at[1])}${at[3]}`;
  }).filter((line) => line !== null).join('\n').trimEnd();
}

// unshift corrects the column of a place in the first line of a file.
function unshift(place) {
  const m = /^(.*\(|)(.*):1:(\d+)$/.exec(place);
  return m ? `${m[1]}${m[2]}:1:${Math.max(Number(m[3]) - binding.shiftOf(m[2]), 1)}` : place;
}

function stackOf(err) {
  let stack;
  try {
    stack = err.stack;
  } catch {
    stack = undefined;
  }
  if (typeof stack !== 'string' || stack === '') return Error.prototype.toString.call(err);
  const frames = stack.search(/\n\s+at /);
  // The engine writes the head when the object is made; name and message may have been set since.
  let head = frames < 0 ? stack : stack.slice(0, frames);
  if (head === '' || head === 'Error') head = headOf(err);
  return cleanStack(frames < 0 ? head : head + stack.slice(frames));
}

function headOf(err) {
  try {
    return Error.prototype.toString.call(err);
  } catch {
    return 'Error';
  }
}

function errorText(ctx, err, s) {
  const name = err.name !== undefined ? String(err.name) : 'Error';
  let stack = improve(stackOf(err), s.name, name, s.tag);
  s.keys = s.keys.filter((k) => !((k === 'name' || k === 'message' || k === 'stack') && stack.includes(String(err[k]))));
  if ('cause' in err && !s.keys.includes('cause')) s.keys.push('cause');
  if (Array.isArray(err.errors) && !s.keys.includes('errors')) s.keys.push('errors');
  const at = stack.indexOf('\n    at');
  if (at === -1) stack = `[${stack}]`;
  if (ctx.indent !== 0) stack = stack.split('\n').join('\n' + ' '.repeat(ctx.indent));
  return stack;
}

// improve names the class of an error whose stack says something more general.
function improve(stack, constructor, name, tag) {
  let shown = constructor === null ? `[${name}: null prototype]` : constructor;
  if (shown === name || stack.slice(0, stack.indexOf('\n') >>> 0).includes(shown)) return stack;
  if (constructor === null) return stack;
  const head = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at|$)/.exec(stack);
  const start = (head && head[1]) || '';
  if (name !== 'Error' && !shown.includes(name) && /^[A-Z]/.test(shown)) shown = `${name} [${shown}]`.replace(/^(.*) \[(.*)\]$/, (_, n, c) => (n.endsWith('Error') && c.endsWith('Error') ? `${c} [${n}]` : `${c} [${n}]`));
  return start ? shown + stack.slice(start.length) : stack;
}

function errorShape(ctx, value, s) {
  s.base = errorText(ctx, value, s);
  if (s.keys.length === 0) s.text = s.base;
  return s;
}

// ---- entries

function formatObject(ctx, value, depth) {
  const s = shape(ctx, value, depth);
  if (s.text !== undefined) return s.text;
  if (depth > ctx.depth) {
    if (s.kind === 'RegExp' || s.kind === 'Date' || s.kind === 'Error') return s.base;
    return `[${prefixOf(s.name, s.tag, s.fallback).slice(0, -1)}]`;
  }
  depth++;
  ctx.seen.push(value);
  ctx.current = depth;
  let output;
  try {
    output = s.entries(ctx, value, depth);
    for (const k of s.keys) output.push(formatProperty(ctx, value, depth, k, s.type));
  } catch (err) {
    if (err instanceof RangeError) return `[${s.name || 'Object'}: Inspection interrupted prematurely. Maximum call stack size exceeded.]`;
    throw err;
  }
  ctx.seen.pop();
  let base = s.base;
  if (ctx.circular !== undefined && ctx.circular.has(value)) {
    const ref = `<ref *${ctx.circular.get(value)}>`;
    base = base === '' ? ref : `${ref} ${base}`;
  }
  if (ctx.sorted && s.type === objectEntry) output.sort(typeof ctx.sorted === 'function' ? ctx.sorted : undefined);
  return layOut(ctx, output, base, s, depth, value);
}

function formatArray(ctx, value, depth) {
  const output = [], length = Math.min(ctx.maxArrayLength, value.length);
  let i = 0;
  for (; i < value.length && output.length < length; i++) {
    if (Object.prototype.hasOwnProperty.call(value, i)) {
      output.push(formatProperty(ctx, value, depth, String(i), arrayEntry));
      continue;
    }
    const first = i;
    while (i + 1 < value.length && !Object.prototype.hasOwnProperty.call(value, i + 1)) i++;
    const n = i - first + 1;
    output.push(`<${n} empty item${n > 1 ? 's' : ''}>`);
  }
  return withRest(output, value.length - i);
}

function withRest(output, rest) {
  if (rest > 0) output.push(`... ${rest} more item${rest > 1 ? 's' : ''}`);
  return output;
}

function formatTyped(ctx, value) {
  const length = Math.min(ctx.maxArrayLength, value.length), output = [];
  for (let i = 0; i < length; i++) output.push(formatPrimitive(ctx, value[i]));
  return withRest(output, value.length - length);
}

function formatSet(ctx, value, depth) {
  const output = [];
  ctx.indent += 2;
  let n = 0;
  for (const v of Set.prototype.values.call(value)) {
    if (n++ >= ctx.maxArrayLength) break;
    output.push(formatValue(ctx, v, depth));
  }
  ctx.indent -= 2;
  return withRest(output, value.size - Math.min(value.size, ctx.maxArrayLength));
}

function formatMap(ctx, value, depth) {
  const output = [];
  ctx.indent += 2;
  let n = 0;
  for (const [k, v] of Map.prototype.entries.call(value)) {
    if (n++ >= ctx.maxArrayLength) break;
    output.push(`${formatValue(ctx, k, depth)} => ${formatValue(ctx, v, depth)}`);
  }
  ctx.indent -= 2;
  return withRest(output, value.size - Math.min(value.size, ctx.maxArrayLength));
}

function formatProperty(ctx, value, depth, key, type) {
  const d = Object.getOwnPropertyDescriptor(value, key) || { value: value[key], enumerable: true };
  const text = propertyText(ctx, value, d, depth, key, type);
  if (type === arrayEntry) return text;
  let name;
  if (typeof key === 'symbol') name = `[${key.toString()}]`;
  else if (key === '__proto__') name = "['__proto__']";
  else if (d.enumerable === false) name = `[${key}]`;
  else if (/^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key)) name = key;
  else name = quote(key);
  return `${name}: ${text}`;
}

function propertyText(ctx, value, d, depth, key) {
  if (d.get === undefined && d.set === undefined) {
    ctx.indent += 2;
    const text = formatValue(ctx, d.value, depth);
    ctx.indent -= 2;
    return text;
  }
  const label = d.get === undefined ? 'Setter' : d.set === undefined ? 'Getter' : 'Getter/Setter';
  if (d.get !== undefined && (ctx.getters === true || (ctx.getters === 'get' && d.set === undefined) || (ctx.getters === 'set' && d.set !== undefined))) {
    try {
      const v = d.get.call(value);
      ctx.indent += 2;
      const text = formatValue(ctx, v, depth);
      ctx.indent -= 2;
      return v !== null && typeof v === 'object' ? `[${label}] ${text}` : `[${label}: ${text}]`;
    } catch (err) {
      return `[${label}: <Inspection threw (${err.message})>]`;
    }
  }
  return `[${label}]`;
}

// ---- layout

// layOut puts entries on one line when they are few and short, in columns when they are many, else one on each line.
function layOut(ctx, output, base, s, depth, value) {
  const lead = base ? `${base} ` : '';
  if (ctx.compact !== true) {
    if (typeof ctx.compact === 'number' && ctx.compact >= 1) {
      const count = output.length;
      if (s.type === arrayExtra && count > 6) output = columns(ctx, output, value);
      if (ctx.current - depth < ctx.compact && count === output.length) {
        const start = output.length + ctx.indent + s.open.length + base.length + 10;
        if (fits(ctx, output, start, base)) {
          const joined = output.join(', ');
          if (!joined.includes('\n')) return `${lead}${s.open} ${joined} ${s.close}`;
        }
      }
    }
    const line = '\n' + ' '.repeat(ctx.indent);
    return `${lead}${s.open}${line}  ${output.join(`,${line}  `)}${line}${s.close}`;
  }
  if (fits(ctx, output, 0, base)) return `${s.open}${base ? ` ${base}` : ''} ${output.join(', ')} ${s.close}`;
  const line = '\n' + ' '.repeat(ctx.indent);
  return `${base ? `${base} ` : ''}${s.open}${s.open.length === 1 ? ' ' : `${line}  `}${output.join(`,${line}  `)} ${s.close}`;
}

function fits(ctx, output, start, base) {
  let total = output.length + start;
  if (total + output.length > ctx.breakLength) return false;
  for (const o of output) {
    total += o.length;
    if (total > ctx.breakLength) return false;
  }
  return base === '' || !base.includes('\n');
}

// columns groups the entries of a long array into rows.
function columns(ctx, output, value) {
  const gap = 2, mostColumns = 15, ratio = 2.5;
  const count = ctx.maxArrayLength < output.length ? output.length - 1 : output.length; // "more items" stays apart
  const lengths = output.slice(0, count).map((o) => o.length);
  const total = lengths.reduce((sum, n) => sum + n + gap, 0), longest = Math.max(0, ...lengths), cell = longest + gap;
  if (!(cell * 3 + ctx.indent < ctx.breakLength && (total / cell > 5 || longest <= 6))) return output;
  const bias = Math.sqrt(cell - total / output.length), biased = Math.max(cell - 3 - bias, 1);
  const n = Math.min(
    Math.round(Math.sqrt(ratio * biased * count) / biased),
    Math.floor((ctx.breakLength - ctx.indent) / cell),
    ctx.compact * 4, mostColumns);
  if (n <= 1) return output;
  const widths = [];
  for (let i = 0; i < n; i++) {
    let w = 0;
    for (let j = i; j < count; j += n) w = Math.max(w, lengths[j]);
    widths.push(w + gap);
  }
  let right = value !== undefined;
  for (let i = 0; right && i < output.length; i++) right = typeof value[i] === 'number' || typeof value[i] === 'bigint';
  const rows = [];
  for (let i = 0; i < count; i += n) {
    const last = Math.min(i + n, count) - 1;
    let row = '';
    for (let j = i; j < last; j++) {
      const text = `${output[j]}, `;
      row += right ? text.padStart(widths[j - i]) : text.padEnd(widths[j - i]);
    }
    row += right ? output[last].padStart(widths[last - i] - gap) : output[last];
    rows.push(row);
  }
  if (count < output.length) rows.push(output[count]);
  return rows;
}

// ---- printf-like formatting

function format(...args) {
  return formatWith({}, args);
}

function formatWith(options, args) {
  if (args.length === 0) return '';
  if (args.length === 1) return typeof args[0] === 'string' ? args[0] : inspect(args[0], options);
  let out = '', next = 0;
  if (typeof args[0] === 'string') {
    next = 1;
    out = args[0].replace(/%[sdifjoOc%]/g, (d) => {
      if (d === '%%') return '%';
      if (next >= args.length) return d;
      return directive(d[1], args[next++], options);
    });
    if (!args[0].includes('%')) out = args[0];
  }
  let sep = next > 0 ? ' ' : '';
  for (; next < args.length; next++) {
    out += sep + (typeof args[next] === 'string' ? args[next] : inspect(args[next], options));
    sep = ' ';
  }
  return out;
}

function directive(d, v, options) {
  switch (d) {
    case 's': return stringDirective(v, options);
    case 'd': return typeof v === 'bigint' ? `${v}n` : typeof v === 'symbol' ? 'NaN' : formatNumber(Number(v));
    case 'i': return typeof v === 'bigint' ? `${v}n` : typeof v === 'symbol' ? 'NaN' : formatNumber(parseInt(v));
    case 'f': return typeof v === 'symbol' ? 'NaN' : formatNumber(parseFloat(v));
    case 'j': return jsonDirective(v);
    case 'o': return inspect(v, { ...options, showHidden: true, showProxy: true, depth: 4 });
    case 'O': return inspect(v, options);
  }
  return '';
}

function stringDirective(v, options) {
  if (typeof v === 'number') return formatNumber(v);
  if (typeof v === 'bigint') return `${v}n`;
  if (typeof v !== 'object' || v === null) return String(v);
  if (hasOwnToString(v)) return String(v);
  return inspect(v, { ...options, depth: 0, colors: false, compact: 3 });
}

function hasOwnToString(v) {
  if (v instanceof Error || v instanceof Date) return true;
  if (!('toString' in v)) return false;
  if (Object.prototype.hasOwnProperty.call(v, 'toString')) return true;
  return v.toString !== Object.prototype.toString && v.toString !== Array.prototype.toString && !/\[native code\]/.test(Function.prototype.toString.call(v.toString));
}

function jsonDirective(v) {
  try {
    return JSON.stringify(v);
  } catch (err) {
    if (/circular/i.test(err.message)) return '[Circular]';
    throw err;
  }
}

module.exports = { inspect, kindOf, format, formatWith, cleanStack, stackOf, headOf, asyncGeneratorMark, quote };

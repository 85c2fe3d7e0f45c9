// Module util.
const { inspect, kindOf, format, formatWith } = require('inspect');
const { deepEqual } = require('compare');

const custom = Symbol.for('nodejs.util.promisify.custom');

function promisify(f) {
  if (typeof f !== 'function') throw Object.assign(new TypeError(`The "original" argument must be of type function. Received ${require('output').received(f)}`), { code: 'ERR_INVALID_ARG_TYPE' });
  if (f[custom]) return f[custom];
  const g = function (...args) {
    return new Promise((resolve, reject) => f.call(this, ...args, (err, value) => (err ? reject(err) : resolve(value))));
  };
  Object.setPrototypeOf(g, Object.getPrototypeOf(f));
  return Object.defineProperties(g, Object.getOwnPropertyDescriptors(f));
}
promisify.custom = custom;

function callbackify(f) {
  return function (...args) {
    const done = args.pop();
    f.apply(this, args).then((v) => process.nextTick(done, null, v), (err) => process.nextTick(done, err || Object.assign(new Error('Promise was rejected with falsy value'), { reason: err })));
  };
}

function inherits(child, parent) {
  Object.defineProperty(child, 'super_', { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(child.prototype, parent.prototype);
}

function deprecate(f, message, code) {
  let warned = false;
  return function (...args) {
    if (!warned) {
      warned = true;
      process.emitWarning(code ? `${message}` : message, 'DeprecationWarning');
    }
    return new.target ? Reflect.construct(f, args, new.target) : f.apply(this, args);
  };
}

const kindIs = (...names) => (v) => typeof v === 'object' && v !== null && names.includes(kindOf(v));
const typed = (name) => (v) => ArrayBuffer.isView(v) && v[Symbol.toStringTag] === name;
const types = {
  isDate: kindIs('Date'), isRegExp: kindIs('RegExp'), isMap: kindIs('Map'), isSet: kindIs('Set'), isWeakMap: kindIs('WeakMap'), isWeakSet: kindIs('WeakSet'), isPromise: kindIs('Promise'),
  isNativeError: (v) => v instanceof Error, isBoxedPrimitive: kindIs('Number', 'String', 'Boolean'), isArgumentsObject: kindIs('Arguments'), isGeneratorObject: kindIs('Generator'),
  isNumberObject: kindIs('Number'), isStringObject: kindIs('String'), isBooleanObject: kindIs('Boolean'),
  isAnyArrayBuffer: (v) => v instanceof ArrayBuffer, isArrayBuffer: (v) => v instanceof ArrayBuffer, isArrayBufferView: ArrayBuffer.isView, isDataView: (v) => v instanceof DataView,
  isTypedArray: (v) => ArrayBuffer.isView(v) && !(v instanceof DataView), isProxy: (v) => binding.proxyTarget(v) !== undefined,
  isAsyncFunction: (v) => typeof v === 'function' && kindOf(v) === 'AsyncFunction', isGeneratorFunction: (v) => typeof v === 'function' && kindOf(v) === 'GeneratorFunction',
};
for (const n of ['Uint8Array', 'Uint8ClampedArray', 'Uint16Array', 'Uint32Array', 'Int8Array', 'Int16Array', 'Int32Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array']) types[`is${n}`] = typed(n);

// parseEnv reads NAME=value lines.
function parseEnv(text) {
  const out = {};
  for (const m of String(text).matchAll(/^\s*(?:export\s+)?([\w.-]+)\s*=[ \t]*("(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`|[^#\r\n]*)/gm)) {
    let v = m[2].trim();
    if (/^(["'`]).*\1$/s.test(v)) v = v[0] === '"' ? v.slice(1, -1).replaceAll('\\n', '\n') : v.slice(1, -1);
    out[m[1]] = v;
  }
  return out;
}

function applyEnvFile(path) {
  const values = parseEnv(require('fs').readFileSync(path, 'utf8'));
  for (const k of Object.keys(values)) if (!(k in process.env)) process.env[k] = values[k];
}

const ansi = /[\u001b\u009b][[\]()#;?]*(?:(?:(?:[a-zA-Z\d]*(?:;[-a-zA-Z\d/#&.:=?%@~_]*)*)?\u0007)|(?:(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]))/g;
const colors = { reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], inverse: [7, 27], black: [30, 39], red: [31, 39], green: [32, 39], yellow: [33, 39], blue: [34, 39], magenta: [35, 39], cyan: [36, 39], white: [37, 39], gray: [90, 39], grey: [90, 39] };
Object.assign(inspect.colors, colors);
Object.assign(inspect.styles, { special: 'cyan', number: 'yellow', bigint: 'yellow', boolean: 'yellow', undefined: 'grey', null: 'bold', string: 'green', symbol: 'green', date: 'magenta', regexp: 'red', module: 'underline' });

function styleText(style, text) {
  return [style].flat().reduceRight((s, n) => {
    if (!colors[n]) throw Object.assign(new TypeError(`The argument 'format' must be one of: ${Object.keys(colors).map((c) => `'${c}'`).join(', ')}. Received ${inspect(n)}`), { code: 'ERR_INVALID_ARG_VALUE' });
    return `\u001b[${colors[n][0]}m${s}\u001b[${colors[n][1]}m`;
  }, String(text));
}

module.exports = {
  inspect, format, formatWithOptions: (options, ...args) => formatWith(options, args), promisify, callbackify, inherits, deprecate, types, parseEnv, applyEnvFile, styleText,
  isDeepStrictEqual: (a, b) => deepEqual(a, b, true), stripVTControlCharacters: (s) => String(s).replace(ansi, ''), toUSVString: (s) => String(s).toWellFormed(),
  debuglog: () => Object.assign(() => {}, { enabled: false }), debug: () => () => {}, getSystemErrorName: (n) => ({ [-2]: 'ENOENT', [-13]: 'EACCES', [-17]: 'EEXIST', [-20]: 'ENOTDIR', [-21]: 'EISDIR', [-39]: 'ENOTEMPTY' })[n],
  parseArgs: (config) => require('parse_args').parseArgs(config),
  isArray: Array.isArray, isRegExp: types.isRegExp, isDate: types.isDate, isError: (v) => v instanceof Error, isFunction: (v) => typeof v === 'function', isString: (v) => typeof v === 'string',
  isObject: (v) => typeof v === 'object' && v !== null, isNumber: (v) => typeof v === 'number', isBoolean: (v) => typeof v === 'boolean', isUndefined: (v) => v === undefined, isNull: (v) => v === null,
  isNullOrUndefined: (v) => v === undefined || v === null, isPrimitive: (v) => (typeof v !== 'object' && typeof v !== 'function') || v === null,
};
Object.defineProperties(module.exports, {
  TextEncoder: { get: () => globalThis.TextEncoder, enumerable: true }, TextDecoder: { get: () => globalThis.TextDecoder, enumerable: true }, applyEnvFile: { enumerable: false },
});

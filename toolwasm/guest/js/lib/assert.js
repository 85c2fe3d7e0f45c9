// Module assert.
const { inspect } = require('inspect');
const { deepEqual } = require('compare');

class AssertionError extends Error {
  constructor(options) {
    super(options.message !== undefined ? String(options.message) : defaultMessage(options));
    this.generatedMessage = options.message === undefined;
    this.code = 'ERR_ASSERTION';
    this.actual = options.actual;
    this.expected = options.expected;
    this.operator = options.operator;
    Object.defineProperty(this, 'name', { value: 'AssertionError', writable: true, configurable: true, enumerable: false });
    Object.defineProperty(this, 'stack', { value: this.stack.replace(/^Error/, 'AssertionError [ERR_ASSERTION]'), writable: true, configurable: true, enumerable: false });
  }
}

const heads = {
  strictEqual: 'Expected values to be strictly equal:', deepStrictEqual: 'Expected values to be strictly deep-equal:', deepEqual: 'Expected values to be loosely deep-equal:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:', notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:', notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
};

const shown = (v) => inspect(v, { compact: false, customInspect: false, depth: 1000, maxArrayLength: Infinity, sorted: true, getters: true });

function defaultMessage({ actual, expected, operator }) {
  switch (operator) {
    case '==': case '!=': return `${inspect(actual)} ${operator} ${inspect(expected)}`;
    case 'strictEqual': case 'deepStrictEqual': return difference(actual, expected, operator);
    case 'deepEqual': return `${heads.deepEqual}\n\n${shown(actual)}\n\nshould loosely deep-equal\n\n${shown(expected)}`;
    case 'notStrictEqual': case 'notDeepStrictEqual': case 'notDeepEqual': return `${heads[operator]}${shown(expected).includes('\n') ? '\n\n' : ' '}${shown(expected)}${shown(expected).includes('\n') ? '\n' : ''}`;
  }
  return `${inspect(actual)} ${operator} ${inspect(expected)}`;
}

function difference(actual, expected, operator) {
  const a = shown(actual).split('\n'), b = shown(expected).split('\n');
  const simple = (v) => (typeof v !== 'object' || v === null) && typeof v !== 'function';
  if (a.length === 1 && b.length === 1 && a[0] !== b[0]) {
    const most = 12;
    if (simple(actual) && simple(expected) ? a[0].length + b[0].length <= most * 2 || true : a[0].length + b[0].length < most) {
      if (simple(actual) && simple(expected) && (actual !== 0 || expected !== 0)) return `${heads[operator]}\n\n${a[0]} !== ${b[0]}\n`;
    }
  }
  if (a.join('\n') === b.join('\n')) return `Values have same structure but are not reference-equal:\n\n${a.join('\n')}\n`;
  const lines = [];
  for (const [mark, line] of diffLines(a, b)) lines.push(`${mark} ${line}`);
  return `${heads[operator]}\n+ actual - expected\n\n${lines.join('\n')}`;
}

// diffLines compares line by line after the longest common subsequence.
function diffLines(a, b) {
  const most = 2000;
  if (a.length * b.length > most * most) return [...a.map((l) => ['+', l]), ...b.map((l) => ['-', l])];
  const table = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--) table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  const out = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push([' ', a[i++]]);
      j++;
    } else if (i < a.length && (j >= b.length || table[i + 1][j] >= table[i][j + 1])) out.push(['+', a[i++]]);
    else out.push(['-', b[j++]]);
  }
  return out;
}

function fail(options) {
  if (options.message instanceof Error) throw options.message;
  throw new AssertionError(options);
}

function assert(value, message) { ok(value, message, arguments.length); }

function ok(value, message, count = 2) {
  if (value) return;
  if (message instanceof Error) throw message;
  if (count === 0) message = 'No value argument passed to `assert.ok()`';
  const err = new AssertionError({ actual: value, expected: true, operator: '==', message: message ?? 'The expression evaluated to a falsy value' });
  err.generatedMessage = message === undefined;
  throw err;
}

const compare = (operator, test) => (actual, expected, message) => { if (!test(actual, expected)) fail({ actual, expected, operator, message }); };
const loose = (a, b) => a == b || (a !== a && b !== b); // eslint-disable-line eqeqeq

Object.assign(assert, {
  AssertionError, ok: function (value, message) { ok(value, message, arguments.length); },
  fail(message = 'Failed') { if (message instanceof Error) throw message; throw new AssertionError({ message, operator: 'fail' }); },
  equal: compare('==', loose), notEqual: compare('!=', (a, b) => !loose(a, b)),
  strictEqual(actual, expected, message) {
    if (Object.is(actual, expected)) return;
    const both = [actual, expected].every((v) => (typeof v !== 'object' || v === null) && typeof v !== 'function');
    if (typeof message === 'string' && both) {
      throw new AssertionError({ actual, expected, operator: 'strictEqual', message: `${message}\n\n${inspect(actual)} !== ${inspect(expected)}\n` });
    }
    fail({ actual, expected, operator: 'strictEqual', message });
  }, notStrictEqual: compare('notStrictEqual', (a, b) => !Object.is(a, b)),
  deepEqual: compare('deepEqual', (a, b) => deepEqual(a, b, false)), notDeepEqual: compare('notDeepEqual', (a, b) => !deepEqual(a, b, false)),
  deepStrictEqual: compare('deepStrictEqual', (a, b) => deepEqual(a, b, true)), notDeepStrictEqual: compare('notDeepStrictEqual', (a, b) => !deepEqual(a, b, true)),
  match(s, r, message) { if (typeof s !== 'string' || !r.test(s)) fail({ actual: s, expected: r, operator: 'match', message: message ?? `The input did not match the regular expression ${inspect(r)}. Input:\n\n${inspect(s)}\n` }); },
  doesNotMatch(s, r, message) { if (typeof s === 'string' && r.test(s)) fail({ actual: s, expected: r, operator: 'doesNotMatch', message: message ?? `The input was expected to not match the regular expression ${inspect(r)}. Input:\n\n${inspect(s)}\n` }); },
  throws(f, expected, message) {
    let thrown, did = false;
    try {
      f();
    } catch (err) {
      did = true;
      thrown = err;
    }
    if (typeof expected === 'string') [message, expected] = [expected, undefined];
    if (!did) fail({ actual: undefined, expected, operator: 'throws', message: `Missing expected exception${expected?.name ? ` (${expected.name})` : ''}${message ? `: ${message}` : '.'}` });
    check(require('messages').explain(thrown), expected, message, 'throws');
  },
  doesNotThrow(f, message) {
    try {
      f();
    } catch (err) {
      fail({ actual: err, operator: 'doesNotThrow', message: `Got unwanted exception${typeof message === 'string' ? `: ${message}` : '.'}\nActual message: "${err?.message}"` });
    }
  },
  async rejects(p, expected, message) {
    let thrown, did = false;
    try {
      await (typeof p === 'function' ? p() : p);
    } catch (err) {
      did = true;
      thrown = err;
    }
    if (!did) fail({ actual: undefined, expected, operator: 'rejects', message: `Missing expected rejection${expected?.name ? ` (${expected.name})` : ''}${message ? `: ${message}` : '.'}` });
    check(require('messages').explain(thrown), expected, message, 'rejects');
  },
  async doesNotReject(p) {
    try {
      await (typeof p === 'function' ? p() : p);
    } catch (err) {
      fail({ actual: err, operator: 'doesNotReject', message: `Got unwanted rejection.\nActual message: "${err?.message}"` });
    }
  },
  ifError(v) {
    if (v === null || v === undefined) return;
    throw new AssertionError({ message: `ifError got unwanted exception: ${v instanceof Error ? v.message || v.constructor.name : inspect(v)}`, actual: v, expected: null, operator: 'ifError' });
  },
});

// check holds what was thrown against what was expected.
function check(actual, expected, message, operator) {
  if (expected === undefined) return;
  if (expected instanceof RegExp) {
    if (!expected.test(String(actual))) fail({ actual, expected, operator, message: message ?? `The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(String(actual))}\n` });
    return;
  }
  if (typeof expected === 'function') {
    if (expected.prototype !== undefined && actual instanceof expected) return;
    if (Error.isPrototypeOf(expected) || expected === Error) throw actual;
    if (expected.call({}, actual) !== true) fail({ actual, expected, operator, message: message ?? `The ${expected.name ? `"${expected.name}" ` : ''}validation function is expected to return "true". Received ${inspect(expected.call({}, actual))}` });
    return;
  }
  for (const k of [...Object.keys(expected), ...(expected instanceof Error ? ['name', 'message'] : [])]) {
    if (expected[k] instanceof RegExp && typeof actual[k] === 'string' ? expected[k].test(actual[k]) : deepEqual(actual[k], expected[k], true)) continue;
    fail({ actual, expected, operator, message: message ?? `Expected values to be strictly deep-equal:\n${k}: ${inspect(actual[k])} !== ${inspect(expected[k])}` });
  }
}

assert.strict = Object.assign(function strict(value, message) { ok(value, message, arguments.length); }, assert, { equal: assert.strictEqual, notEqual: assert.notStrictEqual, deepEqual: assert.deepStrictEqual, notDeepEqual: assert.notDeepStrictEqual });
assert.strict.strict = assert.strict;

module.exports = assert;

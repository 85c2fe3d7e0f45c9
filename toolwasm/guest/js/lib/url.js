// URL and URLSearchParams as the web has them, and module url.
const { inspect } = require('inspect');

const ports = { 'http:': '80', 'https:': '443', 'ftp:': '21', 'ws:': '80', 'wss:': '443', 'file:': '' };
const special = (protocol) => protocol in ports;

function encodeSet(text, keep) {
  let out = '';
  for (const c of text) out += keep.test(c) ? c : c === ' ' && keep.space ? '+' : encodePart(c);
  return out;
}

function encodePart(c) {
  return Array.from(new Uint8Array(binding.encode(c, 'utf8')), (b) => '%' + b.toString(16).toUpperCase().padStart(2, '0')).join('');
}

const keepPath = /[!$%&'()*+,\-./0-9:;=@A-Z[\]\\^_a-z|~]/;
const keepQuery = /[!$%&()*+,\-./0-9:;=?@A-Z[\]\\^_`a-z{|}~]/;
const keepFragment = /[!#$%&'()*+,\-./0-9:;=?@A-Z[\]\\^_a-z{|}~]/;
const keepUser = /[!$%&'()*+,\-.0-9A-Z_a-z~]/;
const keepForm = Object.assign(/[*\-.0-9A-Z_a-z]/, { space: true });

function invalidURL(input, base) {
  return Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL', input, ...(base === undefined ? {} : { base }) });
}

function decodePercent(text) {
  if (!/[%]/.test(text)) return text;
  const bytes = [];
  const raw = new Uint8Array(binding.encode(text, 'utf8'));
  for (let i = 0; i < raw.length; i++) {
    const hex = raw[i] === 0x25 ? String.fromCharCode(raw[i + 1] ?? 0, raw[i + 2] ?? 0) : '';
    if (/^[0-9a-fA-F]{2}$/.test(hex)) {
      bytes.push(parseInt(hex, 16));
      i += 2;
    } else bytes.push(raw[i]);
  }
  return binding.decode(new Uint8Array(bytes), 'utf8');
}

function host(text, protocol) {
  if (text.startsWith('[')) return /^\[[0-9a-fA-F:.]+\]$/.test(text) ? text.toLowerCase() : undefined;
  const h = special(protocol) ? decodePercent(text).toLowerCase() : text;
  if (/[\s#%/:<>?@[\\\]^|]/.test(h)) return undefined;
  const last = h.replace(/\.$/, '').split('.').pop();
  if (special(protocol) && /^(\d+|0x[0-9a-f]*)$/.test(last) && h !== '') return ipv4(h);
  return special(protocol) && /[^\x00-\x7f]/.test(h) ? undefined : h;
}

function ipv4(h) {
  const parts = h.replace(/\.$/, '').split('.').map((p) => (/^0x/.test(p) ? parseInt(p, 16) || 0 : /^0[0-7]+$/.test(p) ? parseInt(p, 8) : /^\d+$/.test(p) ? Number(p) : NaN));
  if (parts.length > 4 || parts.some(Number.isNaN)) return undefined;
  const last = parts.pop();
  if (parts.some((p) => p > 255) || last >= 256 ** (4 - parts.length)) return undefined;
  const n = parts.reduce((sum, p, i) => sum + p * 256 ** (3 - i), 0) + last;
  return [24, 16, 8, 0].map((s) => Math.floor(n / 2 ** s) % 256).join('.');
}

function segments(path, base, protocol) {
  const out = base;
  const parts = (special(protocol) ? path.replaceAll('\\', '/') : path).split('/');
  parts.forEach((raw, i) => {
    const part = encodeSet(raw, keepPath), dots = part.toLowerCase().replaceAll('%2e', '.'), lastPart = i === parts.length - 1;
    if (dots === '..') {
      out.pop();
      if (lastPart) out.push('');
    } else if (dots === '.') {
      if (lastPart) out.push('');
    } else out.push(part);
  });
  return out;
}

// parse splits a URL; base is one that has been split.
function parse(input, base) {
  let text = input.replace(/^[\x00-\x20]+|[\x00-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
  let hash = '', search = null;
  const cut = text.indexOf('#');
  if (cut >= 0) {
    hash = text.slice(cut + 1);
    text = text.slice(0, cut);
  }
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text);
  const u = { protocol: '', username: '', password: '', hostname: null, port: '', path: [], opaque: null, query: null, fragment: cut >= 0 ? encodeSet(hash, keepFragment) : null };
  const takeQuery = (s) => {
    const q = s.indexOf('?');
    if (q < 0) return s;
    search = s.slice(q + 1);
    return s.slice(0, q);
  };
  const query = () => { u.query = search === null ? u.query : encodeSet(search, special(u.protocol) ? keepQuery : Object.assign(/[!$%&'()*+,\-./0-9:;=?@A-Z[\]\\^_`a-z{|}~]/, {})); return u; };
  if (scheme) {
    u.protocol = scheme[1].toLowerCase() + ':';
    text = text.slice(scheme[0].length);
    if (special(u.protocol) && base && base.protocol === u.protocol && !/^[/\\]/.test(text)) return relative(u, takeQuery(text), base, query, search !== null);
    text = takeQuery(text);
    if (special(u.protocol) && u.protocol !== 'file:') return authority(u, text.replace(/^[/\\]*/, ''), query);
    if (u.protocol === 'file:') return fileURL(u, text.replaceAll('\\', '/'), query);
    if (text.startsWith('//')) return authority(u, text.slice(2), query);
    if (text.startsWith('/')) {
      u.path = segments(text.slice(1), [], u.protocol);
      return query();
    }
    u.opaque = text;
    return query();
  }
  if (!base) return undefined;
  u.protocol = base.protocol;
  if (base.opaque !== null) {
    if (text !== '' || cut < 0) return undefined;
    return { ...base, fragment: u.fragment };
  }
  text = takeQuery(text);
  return relative(u, text, base, query, search !== null);
}

function relative(u, text, base, query, hasQuery) {
  const t = special(u.protocol) ? text.replaceAll('\\', '/') : text;
  if (t.startsWith('//')) return u.protocol === 'file:' ? fileURL(u, t, query) : authority(u, t.slice(2), query);
  Object.assign(u, { username: base.username, password: base.password, hostname: base.hostname, port: base.port });
  if (t.startsWith('/')) u.path = segments(t.slice(1), [], u.protocol);
  else if (t === '') {
    u.path = [...base.path];
    if (!hasQuery) u.query = base.query;
  } else u.path = segments(t, base.path.slice(0, -1), u.protocol);
  return query();
}

function authority(u, text, query) {
  const end = text.search(special(u.protocol) ? /[/\\]/ : /\//);
  let auth = end < 0 ? text : text.slice(0, end);
  const path = end < 0 ? null : text.slice(end + 1), at = auth.lastIndexOf('@');
  if (at >= 0) {
    const [name, ...rest] = auth.slice(0, at).split(':');
    u.username = encodeSet(name, keepUser);
    u.password = encodeSet(rest.join(':'), keepUser);
    auth = auth.slice(at + 1);
  }
  const m = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(auth);
  if (!m || (m[1] === '' && special(u.protocol))) return undefined;
  u.hostname = host(m[1], u.protocol);
  if (u.hostname === undefined || Number(m[2] ?? 0) > 65535) return undefined;
  u.port = m[2] && String(Number(m[2])) !== ports[u.protocol] ? String(Number(m[2])) : '';
  u.path = path === null ? (special(u.protocol) ? [''] : []) : segments(path, [], u.protocol);
  return query();
}

function fileURL(u, text, query) {
  u.hostname = '';
  if (text.startsWith('//')) {
    const m = /^\/\/([^/]*)(.*)$/s.exec(text);
    u.hostname = m[1] === 'localhost' ? '' : host(m[1], 'file:') ?? '';
    text = m[2];
  }
  u.path = segments(text.replace(/^\//, ''), [], 'file:');
  return query();
}

class URL {
  #u;
  #params;
  constructor(input, base) {
    let b;
    if (base !== undefined) {
      b = parse(String(base));
      if (b === undefined) throw invalidURL(String(input), String(base));
    }
    this.#u = parse(String(input), b);
    if (this.#u === undefined) throw invalidURL(String(input), base === undefined ? undefined : String(base));
  }
  static canParse(input, base) {
    try {
      return Boolean(new URL(input, base));
    } catch {
      return false;
    }
  }
  static parse(input, base) { return URL.canParse(input, base) ? new URL(input, base) : null; }
  get href() {
    const u = this.#u, user = u.username || u.password ? `${u.username}${u.password ? `:${u.password}` : ''}@` : '';
    const auth = u.hostname === null ? (u.opaque === null && u.path.length > 1 && u.path[0] === '' ? '/.' : '') : `//${user}${this.host}`;
    return `${u.protocol}${auth}${this.pathname}${u.query === null ? '' : `?${u.query}`}${u.fragment === null ? '' : `#${u.fragment}`}`;
  }
  set href(v) {
    const u = parse(String(v));
    if (u === undefined) throw invalidURL(String(v));
    this.#u = u;
    this.#params?.[kReset](u.query ?? '');
  }
  get origin() { return special(this.#u.protocol) && this.#u.protocol !== 'file:' ? `${this.#u.protocol}//${this.host}` : 'null'; }
  get protocol() { return this.#u.protocol; }
  set protocol(v) {
    const p = `${String(v).replace(/:.*$/s, '').toLowerCase()}:`;
    if (/^[a-z][a-z0-9+.-]*:$/.test(p) && special(p) === special(this.#u.protocol)) this.#u.protocol = p;
    if (this.#u.port === ports[this.#u.protocol]) this.#u.port = '';
  }
  get username() { return this.#u.username; }
  set username(v) { this.#u.username = encodeSet(String(v), keepUser); }
  get password() { return this.#u.password; }
  set password(v) { this.#u.password = encodeSet(String(v), keepUser); }
  get host() { return `${this.#u.hostname ?? ''}${this.#u.port === '' ? '' : `:${this.#u.port}`}`; }
  set host(v) {
    const m = /^([^:/?#\\]*)(?::(\d+))?/.exec(String(v));
    if (m && m[1] !== '') this.hostname = m[1];
    if (m && m[2]) this.port = m[2];
  }
  get hostname() { return this.#u.hostname ?? ''; }
  set hostname(v) {
    const h = host(String(v).replace(/[/?#\\].*$/s, ''), this.#u.protocol);
    if (h !== undefined && h !== '') this.#u.hostname = h;
  }
  get port() { return this.#u.port; }
  set port(v) {
    const m = /^\d+/.exec(String(v));
    if (String(v) === '') this.#u.port = '';
    else if (m && Number(m[0]) <= 65535) this.#u.port = String(Number(m[0])) === ports[this.#u.protocol] ? '' : String(Number(m[0]));
  }
  get pathname() { return this.#u.opaque ?? (this.#u.path.length === 0 ? '' : `/${this.#u.path.join('/')}`); }
  set pathname(v) { if (this.#u.opaque === null) this.#u.path = segments(String(v).replace(/^[/\\]/, ''), [], this.#u.protocol).map((p) => p.replaceAll('?', '%3F').replaceAll('#', '%23')); }
  get search() { return this.#u.query ? `?${this.#u.query}` : ''; }
  set search(v) {
    const s = String(v).replace(/^\?/, '');
    this.#u.query = s === '' ? null : encodeSet(s, keepQuery).replaceAll('#', '%23');
    this.#params?.[kReset](s);
  }
  get searchParams() {
    if (!this.#params) {
      this.#params = new URLSearchParams(this.#u.query ?? '');
      this.#params[kOwner]((text) => { this.#u.query = text === '' ? null : text; });
    }
    return this.#params;
  }
  get hash() { return this.#u.fragment ? `#${this.#u.fragment}` : ''; }
  set hash(v) {
    const s = String(v).replace(/^#/, '');
    this.#u.fragment = s === '' ? null : encodeSet(s, keepFragment);
  }
  toString() { return this.href; }
  toJSON() { return this.href; }
  [Symbol.for('nodejs.util.inspect.custom')](depth, options) {
    if (typeof depth === 'number' && depth < 0) return '[URL]';
    const o = {};
    for (const k of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'searchParams', 'hash']) o[k] = this[k];
    return `URL ${inspect(o, options)}`;
  }
}
for (const k of Object.keys(Object.getOwnPropertyDescriptors(URL.prototype))) {
  const d = Object.getOwnPropertyDescriptor(URL.prototype, k);
  if (k !== 'constructor' && typeof k === 'string') Object.defineProperty(URL.prototype, k, { ...d, enumerable: true });
}

const kReset = Symbol('reset'), kOwner = Symbol('owner');

class URLSearchParams {
  #list = [];
  #changed = () => {};
  constructor(init) {
    if (init === undefined || init === null) return;
    if (typeof init === 'object' || typeof init === 'function') {
      if (typeof init[Symbol.iterator] === 'function') {
        for (const pair of init) {
          if (pair === null || typeof pair !== 'object' || [...pair].length !== 2) throw Object.assign(new TypeError('Each query pair must be an iterable [name, value] tuple'), { code: 'ERR_INVALID_TUPLE' });
          const [k, v] = pair;
          this.#list.push([String(k), String(v)]);
        }
      } else for (const k of Reflect.ownKeys(init)) if (typeof k === 'string') this.#list.push([k, String(init[k])]);
    } else this[kReset](String(init).replace(/^\?/, ''));
  }
  [kReset](text) {
    this.#list = text.split('&').filter((p) => p !== '').map((p) => {
      const i = p.indexOf('='), plain = (s) => decodePercent(s.replaceAll('+', ' '));
      return i < 0 ? [plain(p), ''] : [plain(p.slice(0, i)), plain(p.slice(i + 1))];
    });
  }
  [kOwner](f) { this.#changed = f; }
  #change() { this.#changed(this.toString()); }
  get size() { return this.#list.length; }
  append(k, v) { this.#list.push([String(k), String(v)]); this.#change(); }
  delete(k, v) { this.#list = this.#list.filter(([n, w]) => n !== String(k) || (v !== undefined && w !== String(v))); this.#change(); }
  get(k) { return this.#list.find(([n]) => n === String(k))?.[1] ?? null; }
  getAll(k) { return this.#list.filter(([n]) => n === String(k)).map(([, v]) => v); }
  has(k, v) { return this.#list.some(([n, w]) => n === String(k) && (v === undefined || w === String(v))); }
  set(k, v) {
    const i = this.#list.findIndex(([n]) => n === String(k));
    if (i < 0) this.#list.push([String(k), String(v)]);
    else {
      this.#list[i] = [String(k), String(v)];
      this.#list = this.#list.filter(([n], j) => j <= i || n !== String(k));
    }
    this.#change();
  }
  sort() { this.#list.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)); this.#change(); }
  forEach(f, self) { for (const [k, v] of this.#list) f.call(self, v, k, this); }
  *keys() { for (const [k] of this.#list) yield k; }
  *values() { for (const [, v] of this.#list) yield v; }
  *entries() { for (const [k, v] of this.#list) yield [k, v]; }
  [Symbol.iterator]() { return this.entries(); }
  toString() { return this.#list.map(([k, v]) => `${encodeSet(k, keepForm)}=${encodeSet(v, keepForm)}`).join('&'); }
  [Symbol.for('nodejs.util.inspect.custom')](depth, options) {
    if (typeof depth === 'number' && depth < 0) return '[Object]';
    const items = this.#list.map(([k, v]) => `${inspect(k, options)} => ${inspect(v, options)}`);
    if (items.length === 0) return 'URLSearchParams {}';
    const one = `URLSearchParams { ${items.join(', ')} }`;
    return one.length <= (options.breakLength ?? 80) ? one : `URLSearchParams {\n  ${items.join(',\n  ')} }`;
  }
}

function fileURLToPath(v) {
  const u = typeof v === 'string' ? new URL(v) : v;
  if (u.protocol !== 'file:') throw Object.assign(new TypeError('The URL must be of scheme file'), { code: 'ERR_INVALID_URL_SCHEME' });
  if (u.hostname !== '') throw Object.assign(new TypeError('File URL host must be "localhost" or empty on linux'), { code: 'ERR_INVALID_FILE_URL_HOST' });
  return decodePercent(u.pathname);
}

function pathToFileURL(p) {
  let full = require('path').resolve(p);
  if (String(p).endsWith('/') && full !== '/') full += '/';
  return new URL('file://' + full.replaceAll('%', '%25').replaceAll('\\', '%5C').replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('\t', '%09').replaceAll('?', '%3F').replaceAll('#', '%23'));
}

// legacyParse is url.parse, which is lenient.
function legacyParse(text, parseQuery = false) {
  const m = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*:))?(?:(\/\/)(?:([^@/?#]*)@)?([^:/?#]*)(?::(\d+))?)?([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(String(text).trim());
  const [, protocol, slashes, auth, hostname, port, path, search, hash] = m;
  const pathname = path || (slashes && /^https?:|^ftp:/.test(protocol ?? '') ? '/' : path) || null;
  const query = search ? search.slice(1) : null;
  const o = {
    protocol: protocol?.toLowerCase() ?? null, slashes: slashes ? true : null, auth: auth ? decodeURIComponent(auth) : null, host: slashes ? `${hostname.toLowerCase()}${port ? `:${port}` : ''}` : null, port: port ?? null,
    hostname: slashes ? hostname.toLowerCase() : null, hash: hash ?? null, search: search ?? null, query: parseQuery ? require('querystring').parse(query ?? '') : query, pathname, path: pathname === null && !search ? null : `${pathname ?? ''}${search ?? ''}`,
  };
  o.href = legacyFormat(o);
  return Object.assign(Object.create(Url.prototype), o);
}

class Url {}

function legacyFormat(o) {
  if (o instanceof URL) return o.href;
  const protocol = o.protocol ? (o.protocol.endsWith(':') ? o.protocol : `${o.protocol}:`) : '', auth = o.auth ? `${encodeURIComponent(o.auth).replaceAll('%3A', ':')}@` : '';
  const where = o.host ? auth + o.host : o.hostname ? `${auth}${o.hostname}${o.port ? `:${o.port}` : ''}` : '';
  const search = o.search ?? (o.query && typeof o.query === 'object' && Object.keys(o.query).length > 0 ? `?${require('querystring').stringify(o.query)}` : typeof o.query === 'string' && o.query ? `?${o.query}` : '');
  const slashes = o.slashes || (where !== '' && (protocol === '' || special(protocol))) ? '//' : '';
  let path = o.pathname ?? '';
  if (where !== '' && path !== '' && !path.startsWith('/')) path = `/${path}`;
  return `${protocol}${slashes}${where}${path}${search && !search.startsWith('?') ? `?${search}` : search}${o.hash ? (o.hash.startsWith('#') ? o.hash : `#${o.hash}`) : ''}`;
}

module.exports = {
  URL, URLSearchParams, Url, fileURLToPath, pathToFileURL, parse: legacyParse, format: (o) => (typeof o === 'string' ? legacyParse(o).href : legacyFormat(o)),
  resolve: (from, to) => {
    const u = new URL(to, new URL(from, 'resolve://'));
    return u.protocol === 'resolve:' ? `${u.pathname}${u.search}${u.hash}` : u.href;
  },
  urlToHttpOptions: (u) => ({ protocol: u.protocol, hostname: u.hostname, path: `${u.pathname}${u.search}`, href: u.href, port: u.port === '' ? undefined : Number(u.port) }),
  domainToASCII: (d) => String(d).toLowerCase(), domainToUnicode: (d) => String(d).toLowerCase(),
};

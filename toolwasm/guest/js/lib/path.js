// Module path; its paths are POSIX's.
function check(value, name) {
  if (typeof value !== 'string') {
    const err = new TypeError(`The "${name}" argument must be of type string. Received ${require('output').received(value)}`);
    err.code = 'ERR_INVALID_ARG_TYPE';
    throw err;
  }
}

// clean takes out "." and ".." as far as it can; above the root there is nothing.
function clean(path, absolute) {
  const out = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') out.push(part);
    else if (out.length > 0 && out[out.length - 1] !== '..') out.pop();
    else if (!absolute) out.push('..');
  }
  return out.join('/');
}

function normalize(path) {
  check(path, 'path');
  if (path === '') return '.';
  const absolute = path.startsWith('/'), trailing = path.endsWith('/');
  let p = clean(path, absolute);
  if (p === '' && !absolute) p = '.';
  if (p !== '' && trailing) p += '/';
  return absolute ? '/' + p : p;
}

function join(...parts) {
  parts.forEach((p) => check(p, 'path'));
  const joined = parts.filter((p) => p !== '').join('/');
  return joined === '' ? '.' : normalize(joined);
}

function resolve(...parts) {
  let path = '';
  for (let i = parts.length - 1; i >= 0 && !path.startsWith('/'); i--) {
    check(parts[i], `paths[${i}]`);
    if (parts[i] !== '') path = path === '' ? parts[i] : `${parts[i]}/${path}`;
  }
  if (!path.startsWith('/')) path = path === '' ? binding.cwd() : `${binding.cwd()}/${path}`;
  return '/' + clean(path, true);
}

function dirname(path) {
  check(path, 'path');
  const p = path.replace(/(.)\/+$/, '$1');
  const i = p.lastIndexOf('/');
  if (i < 0) return '.';
  return p.slice(0, i).replace(/\/+$/, '') || (p.startsWith('//') && i === 1 ? '//' : '/');
}

function basename(path, suffix) {
  if (suffix !== undefined) check(suffix, 'suffix');
  check(path, 'path');
  const p = path.replace(/\/+$/, '');
  const base = p.slice(p.lastIndexOf('/') + 1);
  return suffix !== undefined && base !== suffix && base.endsWith(suffix) ? base.slice(0, base.length - suffix.length) : base;
}

function extname(path) {
  const base = basename(path), i = base.lastIndexOf('.');
  return i <= 0 || base === '..' ? '' : base.slice(i);
}

function relative(from, to) {
  check(from, 'from');
  check(to, 'to');
  const a = resolve(from).split('/').filter(Boolean), b = resolve(to).split('/').filter(Boolean);
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  return [...a.slice(same).map(() => '..'), ...b.slice(same)].join('/');
}

function parse(path) {
  check(path, 'path');
  const root = path.startsWith('/') ? '/' : '', base = basename(path), ext = extname(path);
  let dir = dirname(path);
  if (dir === '.' && !path.startsWith('./')) dir = '';
  return { root, dir: base === '' ? root : dir, base, ext, name: ext === '' ? base : base.slice(0, -ext.length) };
}

function format(o) {
  const dir = o.dir || o.root, ext = o.ext ? (o.ext.startsWith('.') ? o.ext : `.${o.ext}`) : '';
  const base = o.base || `${o.name || ''}${ext}`;
  if (!dir) return base;
  return dir === o.root ? `${dir}${base}` : `${dir}/${base}`;
}

const path = {
  resolve, normalize, isAbsolute: (p) => { check(p, 'path'); return p.startsWith('/'); }, join, relative,
  toNamespacedPath: (p) => p, dirname, basename, extname, format, parse, sep: '/', delimiter: ':',
  win32: null, posix: null,
};
path.posix = path;
path.win32 = { ...path, sep: '\\', delimiter: ';', basename: (p, s) => basename(p.replaceAll('\\', '/'), s), extname: (p) => extname(p.replaceAll('\\', '/')) };

module.exports = path;

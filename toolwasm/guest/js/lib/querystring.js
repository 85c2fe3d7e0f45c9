// Module querystring.
const escape = (s) => encodeURIComponent(s);

function unescape(s) {
  try {
    return decodeURIComponent(s);
  } catch {
    return s;
  }
}

function parse(text, sep = '&', eq = '=', options = {}) {
  const out = Object.create(null), most = options.maxKeys ?? 1000, decode = options.decodeURIComponent || unescape;
  let pieces = String(text).split(sep).filter((p) => p !== '');
  if (most > 0) pieces = pieces.slice(0, most);
  for (const p of pieces) {
    const i = p.indexOf(eq), k = decode((i < 0 ? p : p.slice(0, i)).replaceAll('+', ' ')), v = i < 0 ? '' : decode(p.slice(i + eq.length).replaceAll('+', ' '));
    if (!(k in out)) out[k] = v;
    else if (Array.isArray(out[k])) out[k].push(v);
    else out[k] = [out[k], v];
  }
  return out;
}

function value(v) {
  return typeof v === 'string' ? v : (typeof v === 'number' && Number.isFinite(v)) || typeof v === 'bigint' || typeof v === 'boolean' ? String(v) : '';
}

function stringify(o, sep = '&', eq = '=', options = {}) {
  const encode = options.encodeURIComponent || escape;
  if (o === null || typeof o !== 'object') return '';
  return Object.keys(o).map((k) => (Array.isArray(o[k]) ? o[k] : [o[k]]).map((v) => encode(k) + eq + encode(value(v))).join(sep)).filter((s) => s !== '').join(sep);
}

module.exports = { parse, stringify, escape, unescape, decode: parse, encode: stringify };

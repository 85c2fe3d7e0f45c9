// Numbers and dates for people: English, and the few options that scripts use.
const { define } = require('polyfill');

const signs = { USD: '$', EUR: '€', GBP: '£', JPY: '¥', INR: '₹', CNY: 'CN¥', KRW: '₩', BRL: 'R$', CAD: 'CA$', AUD: 'A$', MXN: 'MX$', CHF: 'CHF ' };
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

// ---- numbers

// rounded writes a number with a number of digits behind the point; halves go away from zero.
function rounded(n, least, most) {
  const [mantissa, exponent = '0'] = String(Math.abs(n)).split('e');
  let text = Math.abs(n) < 1e21 ? Math.abs(n).toFixed(Math.min(most, 100)) : BigInt(Math.abs(n)).toString();
  const digits = (mantissa.split('.')[1] ?? '').length - Number(exponent);
  if (digits > most && digits < 20) text = shift(Math.round(shift(`${mantissa}e${exponent}`, most)), -most).toFixed(most);
  if (!text.includes('.')) text += '.';
  let [whole, fraction] = text.split('.');
  while (fraction.length > least && fraction.endsWith('0')) fraction = fraction.slice(0, -1);
  fraction = fraction.padEnd(least, '0');
  return [whole, fraction];
}

function shift(n, by) {
  const [m, e = '0'] = String(n).split('e');
  return Number(`${m}e${Number(e) + by}`);
}

const group = (s) => s.replace(/\B(?=(\d{3})+$)/g, ',');

function numberText(value, o = {}) {
  let n = typeof value === 'bigint' ? value : Number(value), suffix = '';
  if (typeof n === 'number' && Number.isNaN(n)) return 'NaN';
  const negative = typeof n === 'bigint' ? n < 0n : n < 0 || Object.is(n, -0);
  if (o.style === 'percent') n = shift(n, 2);
  if (o.notation === 'compact') [n, suffix, o] = compact(Number(n), o);
  let least = o.minimumFractionDigits, most = o.maximumFractionDigits;
  const usual = o.style === 'currency' ? (o.currency === 'JPY' || o.currency === 'KRW' ? [0, 0] : [2, 2]) : o.style === 'percent' ? [0, 0] : [0, 3];
  least ??= most === undefined ? usual[0] : Math.min(usual[0], most);
  most ??= Math.max(usual[1], least);
  let body;
  if (typeof n === 'bigint') body = group(String(n < 0n ? -n : n)) + (least > 0 ? `.${'0'.repeat(least)}` : '');
  else if (!Number.isFinite(n)) body = '∞';
  else {
    if (o.maximumSignificantDigits !== undefined) {
      n = Number(n.toPrecision(o.maximumSignificantDigits));
      most = 20;
    }
    let [whole, fraction] = rounded(n, least, most);
    whole = whole.padStart(o.minimumIntegerDigits ?? 1, '0');
    body = (o.useGrouping === false ? whole : group(whole)) + (fraction ? `.${fraction}` : '');
  }
  body += suffix;
  if (o.style === 'percent') body += '%';
  if (o.style === 'unit') body += unit(o, body);
  const sign = negative ? '-' : o.signDisplay === 'always' || (o.signDisplay === 'exceptZero' && n != 0) ? '+' : ''; // eslint-disable-line eqeqeq
  if (o.style === 'currency') return sign + (signs[o.currency] ?? `${o.currency}\u00a0`) + body;
  return sign + body;
}

function unit(o, body) {
  const short = { kilometer: ' km', meter: ' m', kilobyte: ' kB', megabyte: ' MB', gigabyte: ' GB', byte: ' byte', second: ' sec', minute: ' min', hour: ' hr', celsius: '°C', percent: '%', kilogram: ' kg', liter: ' L' };
  if (o.unitDisplay === 'long') return ` ${o.unit}${body === '1' ? '' : 's'}`;
  return short[o.unit] ?? ` ${o.unit}`;
}

function compact(n, o) {
  const steps = [[1e12, 'T', ' trillion'], [1e9, 'B', ' billion'], [1e6, 'M', ' million'], [1e3, 'K', ' thousand']];
  for (const [size, short, long] of steps) {
    if (Math.abs(n) >= size) {
      const v = n / size;
      return [v, o.compactDisplay === 'long' ? long : short, { maximumFractionDigits: Math.abs(v) < 100 && !Number.isInteger(v) && Math.abs(v) < 10 ? 1 : 0, ...o }];
    }
  }
  return [n, '', { maximumFractionDigits: Math.abs(n) < 100 ? 1 : 0, ...o }];
}

// ---- dates

function zoned(date, zone) {
  if (zone === undefined || /^(UTC|GMT|Etc\/UTC)$/i.test(zone)) {
    const utc = zone !== undefined || date.getTimezoneOffset() === 0;
    const get = (n) => date[`get${utc ? 'UTC' : ''}${n}`]();
    return { year: get('FullYear'), month: get('Month'), day: get('Date'), weekday: get('Day'), hour: get('Hours'), minute: get('Minutes'), second: get('Seconds'), ms: get('Milliseconds') };
  }
  throw new RangeError(`Invalid time zone specified: ${zone} (this sandbox knows UTC only)`);
}

const two = (n) => String(n).padStart(2, '0');

function datePart(p, o) {
  const year = o.year === '2-digit' ? two(p.year % 100) : o.year ? String(p.year) : '', day = o.day ? (o.day === '2-digit' ? two(p.day) : String(p.day)) : '';
  const weekday = o.weekday ? (o.weekday === 'long' ? days[p.weekday] : days[p.weekday].slice(0, o.weekday === 'narrow' ? 1 : 3)) : '';
  if (o.month === 'long' || o.month === 'short' || o.month === 'narrow') {
    const m = o.month === 'long' ? months[p.month] : months[p.month].slice(0, o.month === 'narrow' ? 1 : 3);
    const md = day ? `${m} ${day}` : m;
    return [weekday, year && day ? `${md}, ${year}` : year ? `${md} ${year}` : md].filter(Boolean).join(', ');
  }
  const month = o.month ? (o.month === '2-digit' ? two(p.month + 1) : String(p.month + 1)) : '';
  return [weekday, [month, day, year].filter(Boolean).join('/')].filter(Boolean).join(', ');
}

function timePart(p, o) {
  const twelve = o.hour12 ?? (o.hourCycle ? o.hourCycle === 'h12' || o.hourCycle === 'h11' : true);
  let hour = twelve ? p.hour % 12 || 12 : p.hour;
  const both = o.hour && o.minute;
  const h = o.hour ? (o.hour === '2-digit' || (!twelve && both) ? two(hour) : String(hour)) : '';
  const m = o.minute ? (h || o.second || o.minute === '2-digit' ? two(p.minute) : String(p.minute)) : '', s = o.second ? (m ? two(p.second) : String(p.second)) : '';
  const fraction = o.fractionalSecondDigits ? `.${String(p.ms).padStart(3, '0').slice(0, o.fractionalSecondDigits)}` : '';
  return [h, m, s].filter(Boolean).join(':') + fraction + (twelve && o.hour ? ` ${p.hour < 12 ? 'AM' : 'PM'}` : '') + (o.timeZoneName ? ' UTC' : '');
}

const lengths = {
  date: { full: { weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' }, long: { month: 'long', day: 'numeric', year: 'numeric' }, medium: { month: 'short', day: 'numeric', year: 'numeric' }, short: { month: 'numeric', day: 'numeric', year: '2-digit' } },
  time: { full: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'long' }, long: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'short' }, medium: { hour: 'numeric', minute: '2-digit', second: '2-digit' }, short: { hour: 'numeric', minute: '2-digit' } },
};
const dateKeys = ['weekday', 'year', 'month', 'day'], timeKeys = ['hour', 'minute', 'second', 'fractionalSecondDigits'];

function dateText(date, locale, options = {}, usual = 'date') {
  if (Number.isNaN(date.getTime())) return 'Invalid Date';
  let o = { ...options };
  if (o.dateStyle || o.timeStyle) o = { ...o, ...(o.dateStyle ? lengths.date[o.dateStyle] : {}), ...(o.timeStyle ? lengths.time[o.timeStyle] : {}) };
  else if (!(usual !== 'time' ? dateKeys : []).concat(usual !== 'date' || timeKeys.some((k) => o[k]) ? timeKeys : []).some((k) => o[k])) {
    if (usual !== 'time') Object.assign(o, { year: 'numeric', month: 'numeric', day: 'numeric' });
    if (usual !== 'date') Object.assign(o, { hour: 'numeric', minute: '2-digit', second: '2-digit' });
  }
  const p = zoned(date, o.timeZone), hasDate = dateKeys.some((k) => o[k]), hasTime = timeKeys.some((k) => o[k]);
  const d = hasDate ? localDate(p, o, locale) : '', t = hasTime ? timePart(p, britishTime(o, locale)) : '';
  return [d, t].filter(Boolean).join(o.dateStyle === 'full' || o.dateStyle === 'long' ? ' at ' : ', ');
}

function localDate(p, o, locale) {
  const tag = [locale].flat()[0];
  const plain = o.month === undefined || o.month === 'numeric' || o.month === '2-digit';
  if ((tag === 'sv-SE' || tag === 'en-CA' || tag === 'fr-CA') && plain && !o.weekday) return `${p.year}-${two(p.month + 1)}-${two(p.day)}`;
  if (tag === 'en-GB' && plain && !o.weekday) return [o.day && two(p.day), o.month && two(p.month + 1), o.year && p.year].filter(Boolean).join('/');
  if (tag === 'en-GB') return [o.weekday && datePart(p, { weekday: o.weekday }) + (o.month && o.day && o.weekday === 'short' ? ',' : ''), o.day && p.day, datePart(p, { month: o.month }), o.year && p.year].filter(Boolean).join(' ');
  if (tag === 'de-DE' && plain) return `${o.day === '2-digit' ? two(p.day) : p.day}.${o.month === '2-digit' ? two(p.month + 1) : p.month + 1}.${p.year}`;
  return datePart(p, o);
}

function britishTime(o, locale) {
  const tag = [locale].flat()[0];
  return o.hour12 === undefined && o.hourCycle === undefined && /^(en-GB|sv-SE|de-DE|fr-FR)$/.test(tag ?? '') ? { ...o, hour12: false } : o;
}

// ---- the interfaces

const method = (object, name, f) => Object.defineProperty(object, name, { value: f, writable: true, configurable: true, enumerable: false });
method(Number.prototype, 'toLocaleString', function (locale, o) { return localNumber(Number(this), locale, o); });
method(BigInt.prototype, 'toLocaleString', function (locale, o) { return localNumber(BigInt(this), locale, o); });
// The engine names the zone by its abbreviation.
for (const name of ['toString', 'toTimeString']) {
  const short = Date.prototype[name];
  method(Date.prototype, name, { [name]() { return short.call(this).replace(/\(UTC\)$/, '(Coordinated Universal Time)'); } }[name]);
}
method(Date.prototype, 'toLocaleString', function (locale, o) { return dateText(this, locale, o, 'any'); });
method(Date.prototype, 'toLocaleDateString', function (locale, o) { return dateText(this, locale, o, 'date'); });
method(Date.prototype, 'toLocaleTimeString', function (locale, o) { return dateText(this, locale, o, 'time'); });

function localNumber(n, locale, o) {
  const text = numberText(n, o), tag = [locale].flat()[0];
  if (tag === 'de-DE' || tag === 'es-ES' || tag === 'it-IT' || tag === 'pt-BR') {
    const swapped = text.replace(/[.,]/g, (c) => (c === '.' ? ',' : '.'));
    const m = o?.style === 'currency' ? /^(-?)([^\d-]+)(.*)$/.exec(swapped) : null;
    return m && tag !== 'pt-BR' ? `${m[1]}${m[3]}\u00a0${m[2].trim()}` : swapped;
  }
  return text;
}

class NumberFormat {
  #locale;
  #options;
  constructor(locale, options = {}) {
    this.#locale = locale;
    this.#options = options;
    this.format = (n) => localNumber(n, this.#locale, this.#options);
    Object.defineProperty(this, 'format', { enumerable: false });
  }
  resolvedOptions() { return { locale: [this.#locale].flat()[0] ?? 'en-US', numberingSystem: 'latn', style: 'decimal', ...this.#options }; }
}

class DateTimeFormat {
  #locale;
  #options;
  constructor(locale, options = {}) {
    this.#locale = locale;
    this.#options = options;
    this.format = (d = new Date()) => dateText(d instanceof Date ? d : new Date(d), this.#locale, this.#options, 'date');
    Object.defineProperty(this, 'format', { enumerable: false });
  }
  formatToParts(d = new Date()) {
    const p = zoned(d instanceof Date ? d : new Date(d), this.#options.timeZone);
    return Object.entries({ month: two(p.month + 1), day: two(p.day), year: String(p.year), hour: two(p.hour), minute: two(p.minute), second: two(p.second) }).map(([type, value]) => ({ type, value }));
  }
  resolvedOptions() { return { locale: [this.#locale].flat()[0] ?? 'en-US', calendar: 'gregory', numberingSystem: 'latn', timeZone: this.#options.timeZone ?? 'UTC' }; }
}

class Collator {
  #options;
  constructor(locale, options = {}) {
    this.#options = options;
    this.compare = (a, b) => String(a).localeCompare(String(b), undefined, this.#options);
  }
}

class PluralRules {
  #options;
  constructor(locale, options = {}) { this.#options = options; }
  select(n) {
    if (this.#options.type !== 'ordinal') return Number(n) === 1 ? 'one' : 'other';
    const ten = n % 10, hundred = n % 100;
    return ten === 1 && hundred !== 11 ? 'one' : ten === 2 && hundred !== 12 ? 'two' : ten === 3 && hundred !== 13 ? 'few' : 'other';
  }
}

class ListFormat {
  #options;
  constructor(locale, options = {}) { this.#options = options; }
  format(list) {
    const items = [...list].map(String), word = this.#options.type === 'disjunction' ? 'or' : 'and';
    if (items.length < 2) return items.join('');
    if (items.length === 2) return items.join(` ${word} `);
    return `${items.slice(0, -1).join(', ')}, ${word} ${items[items.length - 1]}`;
  }
}

class RelativeTimeFormat {
  #options;
  constructor(locale, options = {}) { this.#options = options; }
  format(n, name) {
    const u = String(name).replace(/s$/, ''), words = { day: { [-1]: 'yesterday', 0: 'today', 1: 'tomorrow' } };
    if (this.#options.numeric === 'auto' && words[u]?.[n]) return words[u][n];
    const count = `${numberText(Math.abs(n))} ${u}${Math.abs(n) === 1 ? '' : 's'}`;
    return n < 0 || Object.is(n, -0) ? `${count} ago` : `in ${count}`;
  }
}

class Segmenter {
  #options;
  constructor(locale, options = {}) { this.#options = options; }
  segment(text) {
    const pattern = this.#options.granularity === 'word' ? /\w+|[^\w]/gu : /[\s\S]/gu;
    return [...String(text).matchAll(pattern)].map((m) => ({ segment: m[0], index: m.index, input: text, ...(this.#options.granularity === 'word' ? { isWordLike: /\w/.test(m[0]) } : {}) }));
  }
}

const Intl = { NumberFormat, DateTimeFormat, Collator, PluralRules, ListFormat, RelativeTimeFormat, Segmenter, getCanonicalLocales: (l) => [l].flat().filter(Boolean) };
for (const [name, C] of Object.entries(Intl)) {
  if (typeof C !== 'function' || !C.prototype || name === 'getCanonicalLocales') continue;
  C.supportedLocalesOf = (l) => [l].flat();
  // Intl.X() makes one as new Intl.X() does.
  Intl[name] = new Proxy(C, { apply: (target, self, args) => new target(...args) });
}
Object.defineProperty(Intl, Symbol.toStringTag, { value: 'Intl', configurable: true });
define(globalThis, 'Intl', Intl);

// localeCompare with { numeric: true } or a weaker sensitivity.
const plainCompare = String.prototype.localeCompare;
method(String.prototype, 'localeCompare', function (other, locale, o = {}) {
  let a = String(this), b = String(other);
  if (o.sensitivity === 'base' || o.sensitivity === 'accent') [a, b] = [a.toLowerCase(), b.toLowerCase()];
  if (o.sensitivity === 'base') [a, b] = [a, b].map((s) => s.normalize('NFD').replace(/[\u0300-\u036f]/g, ''));
  if (!o.numeric) return plainCompare.call(a, b);
  const pa = a.match(/\d+|\D+/g) ?? [], pb = b.match(/\d+|\D+/g) ?? [];
  for (let i = 0; i < Math.min(pa.length, pb.length); i++) {
    const numbers = /^\d/.test(pa[i]) && /^\d/.test(pb[i]);
    const c = numbers ? Math.sign(Number(pa[i]) - Number(pb[i])) : plainCompare.call(pa[i], pb[i]);
    if (c !== 0) return c;
  }
  return Math.sign(pa.length - pb.length);
});

module.exports = { numberText, dateText };

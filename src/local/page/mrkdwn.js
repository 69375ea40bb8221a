import { el } from './dom.js';
import { emoji } from './emoji.js';

/** Slack's mrkdwn as nodes: what a bot writes of it, and every other character as it stands. */
export function mrkdwn(text, directory) {
  return String(text)
    .split(/(```[\s\S]*?```)/g)
    .filter((part) => part !== '')
    .flatMap((part) =>
      part.startsWith('```') && part.endsWith('```') && part.length > 6 ? [fence(part.slice(3, -3))] : lines(part, directory),
    );
}

/** A `plain_text` object: only entities and emoji mean anything in it. */
export function plainText(text) {
  return emoji(decode(String(text)));
}

function fence(code) {
  return el('pre', {}, el('code', {}, decode(code.replace(/^\n/, '').replace(/\n$/, ''))));
}

function lines(text, directory) {
  const nodes = [];
  let quote = null;
  const rows = text.replace(/^\n|\n$/g, '').split('\n');
  rows.forEach((row, index) => {
    const quoted = /^(?:&gt;|>)\s?(.*)$/.exec(row);
    if (quoted !== null) {
      if (quote === null) {
        quote = el('blockquote');
        nodes.push(quote);
      } else quote.append(el('br'));
      quote.append(...inline(quoted[1], directory));
      return;
    }
    if (index > 0 && quote === null) nodes.push(el('br'));
    quote = null;
    nodes.push(...inline(row, directory));
  });
  return nodes;
}

const TOKENS = /(`[^`\n]+`)|(<[^<>\n]+>)|(?<![\w*])(\*[^*\n]+\*)(?![\w*])|(?<![\w_])(_[^_\n]+_)(?![\w_])|(?<![\w~])(~[^~\n]+~)(?![\w~])/;

function inline(text, directory) {
  const nodes = [];
  let rest = text;
  for (let found = TOKENS.exec(rest); found !== null; found = TOKENS.exec(rest)) {
    if (found.index > 0) nodes.push(emoji(decode(rest.slice(0, found.index))));
    const [whole, code, angle, bold, italic] = found;
    const inner = whole.slice(1, -1);
    if (code) nodes.push(el('code', {}, decode(inner)));
    else if (angle) nodes.push(reference(inner, directory));
    else if (bold) nodes.push(el('strong', {}, ...inline(inner, directory)));
    else if (italic) nodes.push(el('em', {}, ...inline(inner, directory)));
    else nodes.push(el('s', {}, ...inline(inner, directory)));
    rest = rest.slice(found.index + whole.length);
  }
  if (rest !== '') nodes.push(emoji(decode(rest)));
  return nodes;
}

/** What stands in angle brackets: a person, a channel, a date, a special mention or a link. */
function reference(inner, directory) {
  const [target, ...labels] = inner.split('|');
  const label = labels.join('|');
  if (target.startsWith('@')) {
    const person = directory.people.find(({ id }) => id === target.slice(1));
    const name = person?.name ?? (label || (target.slice(1) === directory.bot?.userId ? directory.bot.name : target.slice(1)));
    return el('span.mention', { title: target.slice(1) }, `@${name}`);
  }
  if (target.startsWith('#')) {
    return el('span.mention', {}, `#${directory.channels.find(({ id }) => id === target.slice(1))?.name ?? (label || target.slice(1))}`);
  }
  if (target.startsWith('!date^')) return date(target.slice(6), label);
  if (target.startsWith('!')) return el('span.mention.loud', {}, label || `@${target.slice(1).split('^')[0]}`);
  return link(decode(target), decode(label || target));
}

/** A link that only ever leads to the web; any other address is shown as text. */
export function link(address, label) {
  if (!/^(https?:|mailto:)/i.test(address)) return el('span', {}, label);
  return el('a', { href: address, target: '_blank', rel: 'noreferrer noopener' }, label);
}

function date(spec, fallback) {
  const [seconds, format = '{date_num} {time}', address] = spec.split('^');
  const at = new Date(Number(seconds) * 1000);
  if (Number.isNaN(at.getTime())) return document.createTextNode(fallback);
  const text = format.replace(/\{(\w+)\}/g, (whole, name) => dateWord(name, at) ?? whole);
  const time = el('time', { datetime: at.toISOString(), title: at.toISOString() }, text);
  return address === undefined ? time : el('a', { href: /^https?:/.test(address) ? address : undefined, rel: 'noreferrer noopener' }, time);
}

function dateWord(name, at) {
  const pretty = name.endsWith('_pretty');
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(at).setHours(0, 0, 0, 0)) / 86_400_000);
  if (pretty && days === 0) return 'today';
  if (pretty && Math.abs(days) === 1) return days === 1 ? 'yesterday' : 'tomorrow';
  switch (name.replace('_pretty', '')) {
    case 'date_num':
      return at.toLocaleDateString('sv-SE');
    case 'date':
    case 'date_long':
      return at.toLocaleDateString(undefined, { dateStyle: name.startsWith('date_long') ? 'full' : 'long' });
    case 'date_short':
      return at.toLocaleDateString(undefined, { dateStyle: 'medium' });
    case 'time':
      return at.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
    case 'time_secs':
      return at.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
    case 'ago':
      return ago(at);
    default:
      return undefined;
  }
}

function ago(at) {
  const seconds = Math.round((at.getTime() - Date.now()) / 1000);
  const words = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
  if (Math.abs(seconds) < 60) return words.format(seconds, 'second');
  if (Math.abs(seconds) < 3600) return words.format(Math.round(seconds / 60), 'minute');
  return words.format(Math.round(seconds / 3600), 'hour');
}

function decode(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

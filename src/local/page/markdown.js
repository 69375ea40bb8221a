import { el } from './dom.js';
import { link } from './mrkdwn.js';

/** GitHub's Markdown as nodes, as much of it as a log comment uses. HTML in it stays text, comments are left out. */
export function markdown(text) {
  const rows = String(text)
    .replace(/<!--[\s\S]*?-->\n?/g, '')
    .replaceAll('\r\n', '\n')
    .split('\n');
  return blocks(rows);
}

function blocks(rows) {
  const nodes = [];
  for (let at = 0; at < rows.length; ) {
    const row = rows[at];
    const take = (test) => {
      const taken = [];
      while (at < rows.length && test(rows[at])) taken.push(rows[at++]);
      return taken;
    };
    const heading = /^(#{1,6})\s+(.*)$/.exec(row);
    if (row.trim() === '') at += 1;
    else if (/^\s*(```|~~~)/.test(row)) {
      at += 1;
      const code = take((line) => !/^\s*(```|~~~)/.test(line));
      at += 1;
      nodes.push(el('pre', {}, el('code', {}, code.join('\n'))));
    } else if (/^<details>/.test(row)) {
      const inner = take((line) => !/^<\/details>/.test(line));
      at += 1;
      nodes.push(details(inner));
    } else if (heading !== null) {
      at += 1;
      nodes.push(el(`h${Math.min(heading[1].length + 2, 6)}`, {}, ...inline(heading[2])));
    } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(row)) {
      at += 1;
      nodes.push(el('hr'));
    } else if (/^\s*>/.test(row))
      nodes.push(el('blockquote', {}, ...blocks(take((line) => /^\s*>/.test(line)).map((line) => line.replace(/^\s*>\s?/, '')))));
    else if (/^\s*\|.*\|\s*$/.test(row) && /^\s*\|[\s:|-]+\|\s*$/.test(rows[at + 1] ?? ''))
      nodes.push(table(take((line) => /^\s*\|/.test(line))));
    else if (ITEM.test(row)) nodes.push(list(take((line) => ITEM.test(line) || /^\s{2,}\S/.test(line))));
    else nodes.push(el('p', {}, ...joined(take((line) => line.trim() !== '' && !STARTS.test(line)))));
  }
  return nodes;
}

const ITEM = /^\s*([-*+]|\d+[.)])\s+/;
const STARTS = /^(\s*(```|~~~|>|#{1,6}\s|\|.*\|\s*$)|\s*([-*+]|\d+[.)])\s+|<details>)/;

function list(rows) {
  const root = el(/^\s*\d/.test(rows[0]) ? 'ol' : 'ul');
  const depths = [{ indent: rows[0].search(/\S/), node: root }];
  for (const row of rows) {
    const indent = row.search(/\S/);
    if (!ITEM.test(row)) {
      depths.at(-1).node.lastElementChild?.append(' ', ...inline(row.trim()));
      continue;
    }
    while (depths.length > 1 && indent < depths.at(-1).indent) depths.pop();
    if (indent > depths.at(-1).indent + 1 && depths.at(-1).node.lastElementChild !== null) {
      const node = el(/^\s*\d/.test(row) ? 'ol' : 'ul');
      depths.at(-1).node.lastElementChild.append(node);
      depths.push({ indent, node });
    }
    const said = row.replace(ITEM, '');
    const box = /^\[([ xX])\]\s+/.exec(said);
    const tick = box === null ? null : el('input', { type: 'checkbox', disabled: true, checked: box[1] !== ' ' });
    depths.at(-1).node.append(el('li', {}, tick, ...inline(box === null ? said : said.slice(box[0].length))));
  }
  return root;
}

function table(rows) {
  const cells = (row) =>
    row
      .trim()
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.replaceAll('\\|', '|').trim());
  const [head, , ...body] = rows;
  return el(
    'div.table',
    {},
    el(
      'table',
      {},
      el('thead', {}, el('tr', {}, ...cells(head).map((cell) => el('th', {}, ...inline(cell))))),
      el('tbody', {}, ...body.map((row) => el('tr', {}, ...cells(row).map((cell) => el('td', {}, ...inline(cell)))))),
    ),
  );
}

function details(rows) {
  const text = rows.join('\n').replace(/^<details>/, '');
  const summary = /<summary>([\s\S]*?)<\/summary>/.exec(text);
  return el(
    'details',
    {},
    el('summary', {}, ...inline(summary === null ? 'Details' : summary[1].trim())),
    ...blocks(text.replace(summary?.[0] ?? '', '').split('\n')),
  );
}

/** In a comment, unlike in a file, GitHub breaks the line where the text does. */
function joined(rows) {
  return rows.flatMap((row, index) => {
    const nodes = inline(row.replace(/( {2,}|\\)$/, ''));
    return index === rows.length - 1 ? nodes : [...nodes, el('br')];
  });
}

const TOKENS =
  /(`+)([^`](?:.*?[^`])??)\1(?!`)|\*\*(.+?)\*\*|(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*|(?<!\w)_([^_]+)_(?!\w)|~~(.+?)~~|!?\[([^\]]*)\]\(([^)\s]+)\)|\\([\\`*_{}[\]()#+\-.!|<>~])|(https?:\/\/[^\s<>)]+)/;

function inline(text) {
  const nodes = [];
  let rest = text;
  for (let found = TOKENS.exec(rest); found !== null; found = TOKENS.exec(rest)) {
    if (found.index > 0) nodes.push(decode(rest.slice(0, found.index)));
    const [whole, , code, bold, star, under, strike, label, address, escaped, bare] = found;
    if (code !== undefined) nodes.push(el('code', {}, code));
    else if (bold !== undefined) nodes.push(el('strong', {}, ...inline(bold)));
    else if (star !== undefined || under !== undefined) nodes.push(el('em', {}, ...inline(star ?? under)));
    else if (strike !== undefined) nodes.push(el('s', {}, ...inline(strike)));
    else if (address !== undefined) nodes.push(link(address, label || address));
    else if (escaped !== undefined) nodes.push(escaped);
    else nodes.push(link(bare, bare));
    rest = rest.slice(found.index + whole.length);
  }
  if (rest !== '') nodes.push(decode(rest));
  return nodes;
}

function decode(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as Plot from '@observablehq/plot';
import { Resvg } from '@resvg/resvg-js';
import { parseHTML } from 'linkedom';
import type { Figure, Panel, Point } from '../render/hero/figure.js';

/** A figure as a PNG that is read on a phone: twice the width of one, so that its text is some 12 pixels there. */
const WIDTH = 780;
const FONT = 25;
const LINE = 34;
const MARGIN = 24;
const LEVELS_HEIGHT = 330;
const DIFFERENCES_HEIGHT = 300;
/** Characters of a text line that fit. */
const CHARS_MAX = 52;

const CONTROL = '#3b6fb6';
const CANDIDATE = '#d9730d';
const AGREED = '#dcefdc';
const INK = '#1d1c1d';
const FAMILY = 'DejaVu Sans';

/** Draws in the calling process, synchronously. Throws what the libraries throw. */
export function drawPng(figure: Figure): Buffer {
  const svg = drawSvg(figure);
  const ttf = join(dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json')), 'ttf');
  const font = {
    loadSystemFonts: false,
    fontFiles: [join(ttf, 'DejaVuSans.ttf'), join(ttf, 'DejaVuSans-Bold.ttf')],
    defaultFontFamily: FAMILY,
  };
  return Buffer.from(new Resvg(svg, { font, background: '#ffffff' }).render().asPng());
}

/** The same as SVG text. */
export function drawSvg({ title, lines, panels }: Figure): string {
  const wrapped = lines.flatMap(wrap);
  const parts = [text(title, MARGIN, MARGIN + FONT, { bold: true, size: FONT + 5 })];
  let y = MARGIN + FONT + LINE + 6;
  for (const line of wrapped) {
    parts.push(text(line, MARGIN, y, {}));
    y += LINE;
  }
  for (const panel of panels) {
    const { svg, height } = drawPanel(panel);
    parts.push(`<g transform="translate(0 ${y})">${svg}</g>`);
    y += height + 8;
  }
  const height = y + MARGIN;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}">${parts.join('')}</svg>`;
}

function drawPanel(panel: Panel): { readonly svg: string; readonly height: number } {
  return panel.kind === 'levels' ? drawLevels(panel) : drawDifferences(panel);
}

function drawLevels({ label, control, candidate, runs }: Extract<Panel, { kind: 'levels' }>) {
  const legend = LINE * 3;
  const svg = plot(LEVELS_HEIGHT, [
    Plot.line(control, { x: stepOf, y: heightOf, stroke: CONTROL, strokeWidth: 3 }),
    Plot.line(candidate, { x: stepOf, y: heightOf, stroke: CANDIDATE, strokeWidth: 3 }),
  ]);
  const head = [
    text(label, MARGIN, FONT, { bold: true }),
    text(`━ old: ${runs.control}`, MARGIN, FONT + LINE, { color: CONTROL }),
    text(`━ new: ${runs.candidate}`, MARGIN, FONT + 2 * LINE, { color: CANDIDATE }),
  ].join('');
  return { svg: `${head}<g transform="translate(0 ${legend})">${svg}</g>`, height: LEVELS_HEIGHT + legend };
}

function drawDifferences({ label, points, lo, hi, mean, halfWidth }: Extract<Panel, { kind: 'differences' }>) {
  const legend = LINE * 2;
  const steps = points.map(stepOf);
  const x1 = Math.min(...steps);
  const x2 = Math.max(...steps);
  const far = Math.max(...points.map((point) => Math.abs(heightOf(point))), Math.abs(lo ?? 0), Math.abs(hi ?? 0), 1e-9) * 1.1;
  const marks: Plot.Markish[] = [];
  if (points.length > 0) {
    if (lo !== null || hi !== null) marks.push(Plot.rect([0], { x1, x2, y1: lo ?? -far, y2: hi ?? far, fill: AGREED }));
    marks.push(Plot.ruleY([0], { stroke: '#888888', strokeWidth: 1.5 }));
    marks.push(Plot.dot(points, { x: stepOf, y: heightOf, r: 3, fill: '#777777' }));
    if (mean !== null && halfWidth !== null) {
      marks.push(Plot.rect([0], { x1, x2, y1: mean - halfWidth, y2: mean + halfWidth, fill: CANDIDATE, fillOpacity: 0.35 }));
    }
    if (mean !== null) marks.push(Plot.ruleY([mean], { stroke: CANDIDATE, strokeWidth: 4 }));
  }
  const svg = plot(DIFFERENCES_HEIGHT, marks, [-far, far]);
  const head =
    text(label, MARGIN, FONT, { bold: true }) +
    text(
      points.length === 0 ? 'no step that both runs logged' : 'dots: steps · line: mean, its interval · green: agreed',
      MARGIN,
      FONT + LINE,
      {
        size: FONT - 3,
      },
    );
  return { svg: `${head}<g transform="translate(0 ${legend})">${svg}</g>`, height: DIFFERENCES_HEIGHT + legend };
}

function plot(height: number, marks: readonly Plot.Markish[], domain?: readonly [number, number]): string {
  const { document } = parseHTML('<html><body></body></html>');
  const drawn = Plot.plot({
    document,
    width: WIDTH,
    height,
    marginLeft: 130,
    marginRight: 50,
    marginBottom: 60,
    marginTop: 14,
    style: { fontSize: `${FONT - 3}px`, fontFamily: FAMILY, background: 'white', color: INK, overflow: 'hidden' },
    x: { label: null, ticks: 4, tickFormat: (step: number) => `${step}` },
    y: { label: null, ticks: 5, grid: true, ...(domain === undefined ? {} : { domain }) },
    marks: [...marks],
  });
  // Plot leaves the namespace out, which HTML does not need; without it this is no picture to anybody else.
  drawn.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return drawn.outerHTML;
}

function stepOf([step]: Point): number {
  return step;
}

function heightOf([, value]: Point): number {
  return value;
}

interface Style {
  readonly bold?: boolean;
  readonly size?: number;
  readonly color?: string;
}

function text(words: string, x: number, y: number, { bold = false, size = FONT, color = INK }: Style): string {
  const weight = bold ? ' font-weight="bold"' : '';
  return `<text x="${x}" y="${y}" font-family="${FAMILY}" font-size="${size}"${weight} fill="${color}">${xmlText(words)}</text>`;
}

function xmlText(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** At spaces; a word that is longer than a line is cut into lines. */
function wrap(line: string): readonly string[] {
  const lines: string[] = [];
  let open = '';
  for (const word of line.split(' ').flatMap((each) => each.match(new RegExp(`.{1,${CHARS_MAX}}`, 'gu')) ?? [])) {
    if (open !== '' && open.length + 1 + word.length > CHARS_MAX) {
      lines.push(open);
      open = `  ${word}`;
    } else open = open === '' ? word : `${open} ${word}`;
  }
  return [...lines, open];
}

import { readFileSync } from 'node:fs';
import type { Figure } from '../render/hero/figure.js';
import { drawPng } from './draw.js';

/** The short-lived process that draws: a figure as JSON in the file that is named, its PNG on standard output. */
const figure: Figure = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
process.stdout.write(drawPng(figure));

import { el, redraw } from './dom.js';
import { markdown } from './markdown.js';

/** Draws the status issue as GitHub would show it. */
export function drawIssue(panel, issue) {
  redraw(panel, JSON.stringify(issue), () => [
    el(
      'header.panel-head',
      {},
      el('h2', {}, `${issue.title} `, el('span.quiet', {}, `#${issue.number}`)),
      el('div.labels', {}, ...issue.labels.map((label) => el('span.label', {}, label))),
    ),
    el(
      'div.panel-body',
      {},
      issue.body === '' ? null : el('div.comment.markdown', {}, ...markdown(issue.body)),
      ...issue.comments.map((comment) =>
        el(
          'article.comment',
          {},
          el(
            'p.by',
            {},
            el('strong', {}, comment.author),
            el(
              'time',
              { datetime: comment.createdAt, title: comment.createdAt },
              `${comment.createdAt.slice(0, 16).replace('T', ' ')} UTC`,
            ),
          ),
          el('div.markdown', {}, ...markdown(comment.body)),
        ),
      ),
      issue.comments.length === 0 && issue.body === ''
        ? el('p.empty', {}, 'No entries yet. Every told transition is mirrored here.')
        : null,
    ),
  ]);
}

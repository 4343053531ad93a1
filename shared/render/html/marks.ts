import type { Severity } from '../../model/verdict.ts';
import { type Markup, markup } from '../markup.ts';

/** A shape for each severity, so that colour is never the only difference. */
const shapes: { readonly [S in Severity]: Markup } = {
  critical: markup`<path class="shape" d="M5 1h6l4 4v6l-4 4H5l-4-4V5z"/><path class="shape-sign" d="M4 7h8v2H4z"/>`,
  high: markup`<path class="shape" d="M8 1l7.5 14H.5z"/><path class="shape-sign" d="M7.2 6h1.6v4.5H7.2zm0 5.5h1.6V13H7.2z"/>`,
  medium: markup`<path class="shape" d="M8 .5L15.5 8 8 15.5.5 8z"/>`,
  low: markup`<circle class="shape" cx="8" cy="8" r="6.5"/>`,
  info: markup`<path class="shape" d="M1.5 1.5h13v13h-13z"/><path class="shape-sign" d="M7.2 4h1.6v1.6H7.2zm0 3h1.6v5H7.2z"/>`,
};

/** The severity's shape; decoration, as its word always stands beside it. */
export function severityMark(severity: Severity): Markup {
  return markup`<svg class="mark ${severity}" viewBox="0 0 16 16" aria-hidden="true">${shapes[severity]}</svg>`;
}

import { visible, visibleLines } from './visible-text.ts';

// A symbol, not a name: no JSON of a target can pretend to be markup.
const made = Symbol('markup');

/** Text of HTML or XML that a template of ours made. */
export type Markup = { readonly [made]: string };

type Part = Markup | readonly Markup[] | string | number;

/**
 * Template tag for HTML and XML. Every string in it becomes visible, escaped text, right between tags and in quoted attributes;
 * only what this tag made goes in as it is.
 */
export function markup(literals: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let text = literals[0] ?? '';
  parts.forEach((part, index) => {
    text += print(part) + (literals[index + 1] ?? '');
  });
  return { [made]: text };
}

/** Text whose line feeds and tabs count, for `<pre>` and XML text. */
export function block(text: string): Markup {
  return { [made]: escape(visibleLines(text)) };
}

/** Text of ours, word for word: a style sheet. */
export function verbatim(text: string): Markup {
  return { [made]: text };
}

/** The text of what a template made. */
export function printMarkup(part: Markup): string {
  return part[made];
}

/** Nothing, where a template has an optional part. */
export const nothing = verbatim('');

function print(part: Part): string {
  if (typeof part === 'string') return escape(visible(part));
  if (typeof part === 'number') return String(part);
  return made in part ? part[made] : part.map((piece) => piece[made]).join('');
}

const escapes: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');
}

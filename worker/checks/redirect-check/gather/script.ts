import { sliceLength, type Work } from '../../../probes/work.ts';
import { resolveLocation } from '../../../web/location.ts';
import { isSamePage } from '../../../web/redirect.ts';

/** A text that is run as a page loads, and against what its addresses are resolved. */
export type PageScript = { readonly text: string; readonly base: string };

/** What is read of a script, each character once: comments, strings, boundaries, and a literal that is set as the address. */
const tokens = new RegExp(
  [
    String.raw`\/\/[^\n]*|<!--[^\n]*|\/\*[^]*?(?:\*\/|$)`,
    String.raw`"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|\`(?:[^\`\\]|\\[^])*\`?`,
    '[{};]',
    String.raw`(?<![\w$.])(?:(?:window|document|self|top|parent|globalThis)\s{0,9}\.\s{0,9}){0,3}location\s{0,9}` +
      String.raw`(?:(?:\.\s{0,9}href\s{0,9})?=|\.\s{0,9}(?:replace|assign)\s{0,9}\()\s{0,9}` +
      String.raw`(?:"(?<literal>(?:[^"\\\n]|\\.){0,2048})"|'(?<literal>(?:[^'\\\n]|\\.){0,2048})'|\`(?<literal>(?:[^\`\\$]|\\.){0,2048})\`)` +
      String.raw`(?!\s{0,9}[+.?[])`,
  ].join('|'),
  'g',
);

/** How much before a brace or an address is looked at, in characters: whatever is asked of it costs a fixed time. */
const headLength = 120;
const blockHead = /^$|(?:^|[^\w$.])(?:else|try|do|finally|(?:if|for|while|switch)\s?\([^]*\))$/;
const functionHead = /\bfunction\b|=>\s?\(?$/;
const calledAtOnce =
  /(?:(?:^|[^\w$)\]\s])\s?\(|[!+~-]|\bvoid|(?:\$|\b(?:jQuery|ready|setTimeout|requestAnimationFrame|queueMicrotask))\s?\(|\bonload\s?=|\baddEventListener\s?\(\s?["'](?:load|pageshow|DOMContentLoaded)["']\s?,)\s*(?:async\s)?\s?(?:function\b[^()]*)?(?:\([^()]*\)|[\w$]+)\s?(?:=>\s?)?$/;
const ownCondition = /\b(?:if|while)\s?\([^]*\blocation\b|\blocation\b[^]*(?:&&|\|\||\?)\s?\(?$/;

/**
 * Finds where a script sends the visitor as it loads: the first literal that is set as `location` or `location.href`, or given to
 * `location.replace` or `assign`, outside of functions that wait to be called and of conditions on the page's own address.
 * A guess: the script is neither run nor parsed, and an address that is computed is not found.
 * @param page the page's own address: what leads back to it is left out
 * @returns the address, resolved; null where there is none; or why the script was not read to its end
 */
export async function findScriptTarget(
  { text, base }: PageScript,
  page: string,
  work: Work,
): Promise<string | null | { readonly cut: string }> {
  let paid = 0;
  for (const { at, literal } of readTokens(text)) {
    for (; paid < at; paid += sliceLength) {
      const cut = await work.take(Math.min(sliceLength, text.length - paid));
      if (cut !== undefined) return { cut };
    }
    const target = literal === undefined ? undefined : resolveLocation(literal, base)?.url.href;
    if (target !== undefined && !isSamePage(target, page)) return target;
  }
  return null;
}

/** The tokens of a script, each with where it begins and, where it runs and sets the address, with what it sets; then the end. */
function* readTokens(text: string): Generator<{ readonly at: number; readonly literal?: string }> {
  const runs = [true];
  let boundary = 0;
  for (const { 0: token, index, groups } of text.matchAll(tokens)) {
    const head = text.slice(Math.max(boundary, index - headLength), index).trim();
    const isRunning = runs.at(-1) !== false;
    const literal = groups?.['literal'];
    if (literal === undefined) yield { at: index + 1 };
    else if (isRunning && mayRun(head)) yield { at: index + 1, literal: literal.replace(/\\(\W)/g, '$1') };
    if (token === '{') runs.push(isRunning && mayRun(head, blockHead));
    if (token === '}') runs.pop();
    if (/^[{};]$/.test(token)) boundary = index + 1;
  }
  yield { at: text.length };
}

/** @param head what stands before, back to the last brace or semicolon; `other` is what else may stand before a brace */
function mayRun(head: string, other = /^/): boolean {
  if (ownCondition.test(head)) return false;
  return functionHead.test(head) ? calledAtOnce.test(head) : other.test(head);
}

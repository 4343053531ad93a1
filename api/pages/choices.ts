import { z } from 'zod';
import { categoryNameOf } from '#shared/catalogue/domain-health/category-words';
import { categoryNames } from '#shared/catalogue/domain-health/weights';
import { categoryNames as lighthouseNames } from '#shared/catalogue/pagespeed-check/categories';
import { readOptions } from '#shared/catalogue/read-options';
import type { CheckSpec } from '#shared/catalogue/spec';
import { labelOf } from '#shared/render/labels';
import { type Markup, markup, nothing } from '#shared/render/markup';
import type { Visit } from './visit.ts';

/** Options that take some of a few words: they are ticked, not written. */
const ticked: { readonly [option: string]: readonly string[] } = {
  parts: categoryNames,
  category: lighthouseNames,
};

/** The form of a check's own options. Nothing for a check without any. */
export function choiceForm({ self, question: { spec } }: Visit): Markup {
  const fields = choiceFields(spec, self.split('?')[1] ?? '');
  return fields === nothing
    ? nothing
    : markup`<form class="chosen" action="${self}" method="post">${fields}</form>
`;
}

type Described = {
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
};

/** The options of a check as fields of its form, with what the page was asked for; nothing for a check without any. */
function choiceFields(spec: CheckSpec, query: string): Markup {
  const { options, repeatable, name: check } = spec;
  const schema = z.toJSONSchema(options, { io: 'input' });
  const fields = Object.entries((schema.properties ?? {}) as { readonly [name: string]: Described });
  if (fields.length === 0) return nothing;
  const asked = new URLSearchParams(query);
  const rows = fields.map(([name, described]) => {
    const id = `${check}-${name}`;
    const value = repeatable.includes(name)
      ? asked.getAll(name).join(' ') || usualWords(spec, name)
      : (asked.get(name) ?? defaultOf(described));
    const hint = markup`<span class="hint">${described.description ?? ''}</span>`;
    const words = ticked[name];
    if (words) return boxes({ id, name, value }, words, hint);
    return markup`<p><label for="${id}">${labelOf(name)}</label> ${fieldOf({ id, name, value }, described)}<br>${hint}</p>
`;
  });
  return markup`<details class="choices fold"><summary><h2>Choices</h2></summary>
${rows}<button type="submit">Check with these</button></details>
`;
}

type Field = { readonly id: string; readonly name: string; readonly value: string };

function fieldOf({ id, name, value }: Field, { enum: values }: Described): Markup {
  if (values === undefined)
    return markup`<input id="${id}" name="${name}" value="${value}" maxlength="500" autocomplete="off" spellcheck="false">`;
  const options = values.map(
    (one) => markup`<option value="${one}"${one === value ? markup` selected` : nothing}>${one}</option>`,
  );
  return markup`<select id="${id}" name="${name}">${options}</select>`;
}

/** A box for each word: those that were asked for are ticked, else those that are usual. */
function boxes({ id, name, value }: Field, words: readonly string[], hint: Markup): Markup {
  const asked = wordsIn(value);
  const isAsked = (word: string) => asked.length === 0 || asked.includes(word) || asked.includes('all');
  return markup`<fieldset><legend>${labelOf(name)}</legend>${words.map(
    (word) =>
      markup`<label for="${id}-${word}"><input type="checkbox" id="${id}-${word}" name="${name}" value="${word}"${isAsked(word) ? markup` checked` : nothing}> ${categoryNameOf(word)}</label> `,
  )}<br>${hint}</fieldset>
`;
}

function defaultOf({ default: usual, enum: values }: Described): string {
  return typeof usual === 'string' ? usual : (values?.[0] ?? '');
}

function wordsIn(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

/** What a check takes where a list is not named; "" for one that has no such words. */
function usualWords(spec: CheckSpec, name: string): string {
  const read = readOptions(spec, {});
  const usual = 'options' in read ? read.options[name] : undefined;
  return Array.isArray(usual) ? usual.join(' ') : '';
}

/** Whether these words are what is asked for anyway: the usual ones, or all where none are named. */
function isUsual(name: string, words: readonly string[], usual: string): boolean {
  const common = usual === '' ? ticked[name] : wordsIn(usual);
  return common?.length === words.length && common.every((word) => words.includes(word));
}

/**
 * The query of a tool with what was chosen in the form of its page. What a check takes anyway is left out, so that the page without a query is
 * the same.
 * @param query as the page was asked; @param chosen field → its text; several values of one stand apart by spaces or commas
 */
export function queryOfChoices(
  spec: CheckSpec,
  query: string,
  chosen: { readonly [name: string]: string | undefined },
): string {
  const { options, repeatable } = spec;
  const schema = z.toJSONSchema(options, { io: 'input' });
  const fields = (schema.properties ?? {}) as { readonly [name: string]: Described };
  const kept = query
    .split('&')
    .filter((pair) => pair !== '' && chosen[pair.split('=', 1)[0] ?? ''] === undefined);
  const added = Object.entries(chosen).flatMap(([name, text = '']) => {
    const isList = repeatable.includes(name);
    const values = isList ? wordsIn(text) : [text.trim()];
    if (isList && isUsual(name, values, usualWords(spec, name))) return [];
    const usual = fields[name] ? defaultOf(fields[name]) : '';
    return values
      .filter((value) => value !== '' && value !== usual)
      .map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  });
  return [...kept, ...added].join('&');
}

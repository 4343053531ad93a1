import { z } from 'zod';
import type { CheckSpec } from '#shared/catalogue/spec';
import { labelOf } from '#shared/render/labels';
import { type Markup, markup, nothing } from '#shared/render/markup';

type Described = {
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
};

/** The options of a check as fields of its form, with what the page was asked for; nothing for a check without any. */
export function choiceFields({ options, repeatable, name: check }: CheckSpec, query: string): Markup {
  const schema = z.toJSONSchema(options, { io: 'input' });
  const fields = Object.entries((schema.properties ?? {}) as { readonly [name: string]: Described });
  if (fields.length === 0) return nothing;
  const asked = new URLSearchParams(query);
  const rows = fields.map(([name, described]) => {
    const id = `${check}-${name}`;
    const value = repeatable.includes(name)
      ? asked.getAll(name).join(' ')
      : (asked.get(name) ?? defaultOf(described));
    return markup`<p><label for="${id}">${labelOf(name)}</label> ${fieldOf({ id, name, value }, described)}<br><span class="hint">${described.description ?? ''}</span></p>
`;
  });
  return markup`<details class="choices"><summary>Choices</summary>
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

function defaultOf({ default: usual, enum: values }: Described): string {
  return typeof usual === 'string' ? usual : (values?.[0] ?? '');
}

/**
 * The query of a tool with what was chosen in the form of its page. What a check takes anyway is left out, so that the page without a query is
 * the same.
 * @param query as the page was asked; @param chosen field → its text; several values of one stand apart by spaces or commas
 */
export function queryOfChoices(
  { options, repeatable }: CheckSpec,
  query: string,
  chosen: { readonly [name: string]: string | undefined },
): string {
  const schema = z.toJSONSchema(options, { io: 'input' });
  const fields = (schema.properties ?? {}) as { readonly [name: string]: Described };
  const kept = query
    .split('&')
    .filter((pair) => pair !== '' && chosen[pair.split('=', 1)[0] ?? ''] === undefined);
  const added = Object.entries(chosen).flatMap(([name, text = '']) => {
    const values = repeatable.includes(name) ? text.split(/[\s,]+/) : [text.trim()];
    const usual = fields[name] ? defaultOf(fields[name]) : '';
    return values
      .filter((value) => value !== '' && value !== usual)
      .map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  });
  return [...kept, ...added].join('&');
}

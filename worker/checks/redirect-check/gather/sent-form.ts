/** A form of a page: how scripts name it, and where it sends its visitor. */
export type PageForm = {
  readonly names: readonly string[];
  /** Resolved; null where it cannot be. */
  readonly action: string | null;
};

/** Which form a script sends; an empty one where it does not say, or made the form itself. */
export type SentForm = { readonly index?: number; readonly name?: string };

const sending = new Set<string | undefined>(['submit', 'requestSubmit']);
/** Tokens before the call that may name the form. */
const nameLength = 10;

/** Which form is sent by a call of `submit` that stands at a place; undefined where none is. */
export function readSubmit(code: readonly string[], at: number): SentForm | undefined {
  if (!sending.has(code[at]) || code[at - 1] !== '.') return undefined;
  // A handler that is given to it waits for the visitor.
  if (code[at + 1] !== '(' || code[at + 2] !== ')') return undefined;
  const text = code.slice(Math.max(0, at - nameLength), at - 1).join(' ');
  for (const [pattern, read] of references) {
    const found = pattern.exec(text);
    if (found) return read(found[1] ?? '');
  }
  return {};
}

const named = (name: string): SentForm => ({ name });
const references: readonly (readonly [pattern: RegExp, read: (text: string) => SentForm])[] = [
  [/\bforms \[ (\d{1,3}) \]$/, (text) => ({ index: Number(text) })],
  [/\bforms \. ([\w$]+)$/, named],
  [/\bgetElementById \( "(\S+) \)$/, named],
  [/\b(?:querySelector|jQuery|\$) \( "form \)$/, () => ({ index: 0 })],
  [/(?:\bquerySelector|\bjQuery|\$) \( "(?:form)?#([\w-]+) \)$/, named],
  [/\bdocument \. ([\w$]+)$/, named],
];

/** Where a form sends its visitor; null where the page does not say which it is. */
export function actionOf({ index, name }: SentForm, forms: readonly PageForm[]): string | null {
  const form = name === undefined ? forms[index ?? 0] : forms.find(({ names }) => names.includes(name));
  const isSure = name !== undefined || index !== undefined || forms.length === 1;
  return (isSure && form?.action) || null;
}

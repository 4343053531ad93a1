import { resolveLocation } from '../../../web/location.ts';
import { openScript, type Script } from './running-code.ts';
import { type AddressSetter, searchScript } from './script.ts';

/** What the scripts of a page do with the visitor's address. */
export type ScriptsSeen = {
  /** A script sets the address as it loads. */
  readonly setsAddress: boolean;
  /** Where to, resolved, where the script says it in one plain string; null where it does not. */
  readonly scriptTarget: string | null;
};

/** A text that is run on a page, and against what its addresses are resolved. */
export type PageScript = { readonly text: string; readonly base: string };

/**
 * Reads what runs as a page loads, each text once: its scripts, and the `onload` of its body, which may call a function of any of them.
 * @param url the page's own address
 */
export function readScripts(
  scripts: readonly PageScript[],
  onload: PageScript | undefined,
  url: string,
): ScriptsSeen {
  const read: { readonly script: Script; readonly base: string }[] = [];
  for (const { text, base } of scripts) {
    const script = readScript(text);
    const { setter } = searchScript(script);
    if (setter) return seeSetter(setter, base, url);
    read.push({ script, base });
  }
  if (!onload) return nothing;
  const { setter, called } = searchScript(readScript(onload.text));
  if (setter) return seeSetter(setter, onload.base, url);
  for (const { script, base } of read) {
    const scopes = [...script.functions].flatMap(([name, bodies]) => (called.has(name) ? bodies : []));
    const found = searchScript(script, scopes);
    if (found.setter) return seeSetter(found.setter, base, url);
  }
  return nothing;
}

const nothing: ScriptsSeen = { setsAddress: false, scriptTarget: null };

function readScript(text: string): Script {
  const { script, read } = openScript(text);
  read(text.length);
  return script;
}

function seeSetter({ target }: AddressSetter, base: string, url: string): ScriptsSeen {
  const resolved = target === null ? undefined : resolveLocation(fillOwnParts(target, url), base);
  return { setsAddress: true, scriptTarget: resolved?.url.href ?? null };
}

function fillOwnParts(target: string, url: string): string {
  const own = new URL(url) as unknown as Readonly<Record<string, string>>;
  return target.replace(/\$\{location\.(\w+)\}/g, (_, part: string) => own[part] ?? '');
}

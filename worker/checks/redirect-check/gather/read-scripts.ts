import { sliceLength, type Work } from '../../../probes/work.ts';
import { resolveLocation } from '../../../web/location.ts';
import { openScript, type Script } from './running-code.ts';
import { type AddressSetter, searchScript } from './script.ts';

/** What the scripts of a page do with the visitor's address. */
export type ScriptsSeen = {
  /** A script sets the address as it loads. */
  readonly setsAddress: boolean;
  /** Where to, resolved, where the script says it in one plain string; null where it does not. */
  readonly scriptTarget: string | null;
  /** Why not all was read, where the run's work ran out. */
  readonly cut?: string;
};

/** A text that is run on a page, and against what its addresses are resolved. */
export type PageScript = { readonly text: string; readonly base: string };

/**
 * Reads what runs as a page loads, each text once: its scripts, and the `onload` of its body, which may call a function of any of them.
 * @param url the page's own address
 */
export async function readScripts(
  { scripts, onload }: { readonly scripts: readonly PageScript[]; readonly onload: PageScript | undefined },
  url: string,
  work: Work,
): Promise<ScriptsSeen> {
  const read: { readonly script: Script; readonly base: string }[] = [];
  for (const { text, base } of scripts) {
    const script = await readScript(text, work);
    if (typeof script === 'string') return { ...nothing, cut: script };
    const { setter } = searchScript(script);
    if (setter) return seeSetter(setter, base, url);
    read.push({ script, base });
  }
  if (!onload) return nothing;
  const own = await readScript(onload.text, work);
  if (typeof own === 'string') return { ...nothing, cut: own };
  const { setter, called } = searchScript(own);
  if (setter) return seeSetter(setter, onload.base, url);
  for (const { script, base } of read) {
    const scopes = [...script.functions].flatMap(([name, bodies]) => (called.has(name) ? bodies : []));
    const found = searchScript(script, scopes);
    if (found.setter) return seeSetter(found.setter, base, url);
  }
  return nothing;
}

const nothing: ScriptsSeen = { setsAddress: false, scriptTarget: null };

/** The script, or why it was not read. */
async function readScript(text: string, work: Work): Promise<Script | string> {
  const { script, read } = openScript(text);
  for (;;) {
    const spent = await work.take(Math.min(text.length, sliceLength));
    if (spent !== undefined) return spent;
    if (read(sliceLength)) return script;
  }
}

function seeSetter({ target }: AddressSetter, base: string, url: string): ScriptsSeen {
  const resolved = target === null ? undefined : resolveLocation(fillOwnParts(target, url), base);
  return { setsAddress: true, scriptTarget: resolved?.url.href ?? null };
}

function fillOwnParts(target: string, url: string): string {
  const own = new URL(url) as unknown as Readonly<Record<string, string>>;
  return target.replace(/\$\{location\.(\w+)\}/g, (_, part: string) => own[part] ?? '');
}

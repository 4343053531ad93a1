import { sliceLength, type Work } from '../../../probes/work.ts';
import { resolveLocation } from '../../../web/location.ts';
import { openScript, type Script } from './running-code.ts';
import { type AddressSetter, type ScriptPlace, searchScript } from './script.ts';
import type { PageForm } from './sent-form.ts';

/** What the scripts of a page do with the visitor's address. */
export type ScriptsObservation = {
  /** A script sets the address as it loads. */
  readonly setsAddress: boolean;
  /** Where to, resolved, where the script says it in one plain string; null where it does not. */
  readonly scriptTarget: string | null;
  /** Why not all was read, where the run's work ran out. */
  readonly cut?: string;
};

/** A text that is run on a page, and against what its addresses are resolved. */
export type PageScript = { readonly text: string; readonly base: string };

/** What of a page runs, and what its scripts may send. */
export type RunningPage = {
  readonly url: string;
  readonly scripts: readonly PageScript[];
  /** Of its body. */
  readonly onload: PageScript | undefined;
  readonly forms: readonly PageForm[];
};

/** Reads what runs as a page loads, each text once: its scripts, and the `onload` of its body, which may call a function of any of them. */
export async function readScripts(
  { url, scripts, onload, forms }: RunningPage,
  work: Work,
): Promise<ScriptsObservation> {
  const read: { readonly script: Script; readonly place: ScriptPlace }[] = [];
  for (const { text, base } of scripts) {
    const script = await readScript(text, work);
    if (typeof script === 'string') return { ...nothing, cut: script };
    const place = { page: url, base, forms };
    const { setter } = searchScript(script, place);
    if (setter) return seeSetter(setter, place);
    read.push({ script, place });
  }
  if (!onload) return nothing;
  const own = await readScript(onload.text, work);
  if (typeof own === 'string') return { ...nothing, cut: own };
  const place = { page: url, base: onload.base, forms };
  const { setter, called } = searchScript(own, place);
  if (setter) return seeSetter(setter, place);
  for (const each of read) {
    const scopes = [...each.script.functions].flatMap(([name, bodies]) => (called.has(name) ? bodies : []));
    const found = searchScript(each.script, each.place, scopes);
    if (found.setter) return seeSetter(found.setter, each.place);
  }
  return nothing;
}

const nothing: ScriptsObservation = { setsAddress: false, scriptTarget: null };

/** The script, or why it was not read. */
async function readScript(text: string, work: Work): Promise<Script | string> {
  const { script, read } = openScript(text);
  for (;;) {
    const spent = await work.take(Math.min(text.length, sliceLength));
    if (spent !== undefined) return spent;
    if (read(sliceLength)) return script;
  }
}

function seeSetter({ target }: AddressSetter, { base }: ScriptPlace): ScriptsObservation {
  const resolved = target === null ? undefined : resolveLocation(target, base);
  return { setsAddress: true, scriptTarget: resolved?.url.href ?? null };
}

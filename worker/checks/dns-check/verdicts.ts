import { brokenBy, type Evidence, type Fix, type Verdict } from '#shared/model/verdict';

/**
 * Broken by what was seen; holds only where there was nothing more to see.
 * @param unseen the verdict where something was not seen; undefined where all was
 */
export function brokenBySeen(evidence: readonly Evidence[], unseen: Verdict | undefined, fix?: Fix): Verdict {
  return evidence.length === 0 ? (unseen ?? 'holds') : brokenBy(evidence, fix);
}

/** The TXT record to publish, as a fix. */
export function publish(text: string, name: string, value: string, type = 'TXT') {
  return { text, record: { name, type, value } };
}

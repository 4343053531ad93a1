import { oncePerObservation, type Observation, textsOf } from '../../../../dns/observation.ts';
import type { Zone } from '../../../../dns/zone.ts';
import { type Dmarc, isDmarc, parseDmarc } from './parse-dmarc.ts';

/** One name of a DNS tree walk (RFC 9989 §4.10). */
export type Step = {
  readonly domain: string;
  readonly observation: Observation;
  /** Texts that begin as a DMARC record. */
  readonly texts: readonly string[];
  /** The record, where there is exactly one and its tag list is not void. */
  readonly dmarc: Dmarc | null;
};

/** What a walk found, longest name first; it ends at a record with psd=y or psd=n, or at a name that could not be asked. */
export type Walk = {
  readonly steps: readonly Step[];
  readonly found: readonly { readonly domain: string; readonly dmarc: Dmarc }[];
  /** The step that gave no answer; what lies above it is unknown. */
  readonly lost: Step | null;
};

/** The names of a walk (RFC 9989 §4.10): the domain, then its parents; of eight labels or more, the next has seven. At most eight. */
export function walkNames(domain: string): string[] {
  const labels = domain.split('.');
  const parents = labels.length > 7 ? labels.slice(-7) : labels.slice(1);
  return [domain, ...parents.map((_, index) => parents.slice(index).join('.'))];
}

/** Walks up from a domain. All names are looked at, whatever is found, so that a gather asks them at once. */
export function walkTree(zone: Zone, domain: string): Walk {
  const steps = walkNames(domain).map((name) => readStep(zone, name));
  const lost = steps.findIndex(({ observation }) => observation.outcome === 'unknown');
  const stop = steps.findIndex(({ dmarc }) => dmarc !== null && dmarc.psd !== 'u');
  const end = Math.min(...[lost, stop < 0 ? -1 : stop + 1].filter((index) => index >= 0), steps.length);
  const walked = steps.slice(0, end);
  return {
    steps: lost >= 0 && lost === end ? steps.slice(0, end + 1) : walked,
    found: walked.flatMap((step) =>
      step.dmarc === null ? [] : [{ domain: step.domain, dmarc: step.dmarc }],
    ),
    lost: lost >= 0 && lost === end ? (steps[lost] ?? null) : null,
  };
}

function readStep(zone: Zone, domain: string): Step {
  const observation = zone.look(`_dmarc.${domain}`, 'TXT');
  return { domain, observation, ...readRecord(observation) };
}

const readRecord = oncePerObservation((observation): Pick<Step, 'texts' | 'dmarc'> => {
  const texts = textsOf(observation)
    .map(({ text }) => text)
    .filter(isDmarc);
  const parsed = texts.length === 1 ? parseDmarc(texts[0] ?? '') : null;
  const isGood = parsed !== null && 'tags' in parsed && parsed.repeated.length === 0;
  return { texts, dmarc: isGood ? parsed : null };
});

/** The organizational domain (RFC 9989 §4.10.2); null where a name that counts gave no answer. */
export function orgDomainOf(domain: string, { found, lost }: Walk): string | null {
  for (const step of found) {
    if (step.dmarc.psd === 'n') return step.domain;
    if (step.dmarc.psd === 'y' && step.domain !== domain) return oneLabelBelow(step.domain, domain);
  }
  if (lost) return null;
  return found.at(-1)?.domain ?? domain;
}

function oneLabelBelow(parent: string, domain: string): string {
  return domain
    .split('.')
    .slice(-(parent.split('.').length + 1))
    .join('.');
}

/**
 * The record that applies to mail from a domain (RFC 9989 §4.10.1): its own, else that of its organizational domain, else that of the
 * public suffix domain above. `unknown` where a name that counts gave no answer.
 */
export function discoverPolicy(
  domain: string,
  walk: Walk,
): { readonly domain: string; readonly dmarc: Dmarc } | 'none' | 'unknown' {
  const [first] = walk.found;
  if (first?.domain === domain) return first;
  const orgDomain = orgDomainOf(domain, walk);
  if (orgDomain === null) return 'unknown';
  const last = walk.found.at(-1);
  const own = walk.found.find((step) => step.domain === orgDomain);
  return own ?? (last?.dmarc.psd === 'y' ? last : 'none');
}

import type { Pace } from '#shared/ports/pace';
import type { TargetPolicy } from '#shared/targets/parse-target';
import type { Dial } from '../guard.ts';
import { yieldToOthers } from '../turns.ts';
import { sendVerified, type VerifiedAnswer, type VerifiedSettings } from '../verified/send.ts';
import type { RdapAnswer, RdapProbe, RegistryRests } from './port.ts';
import { readRegisteredDomain } from './read-domain.ts';
import type { Registries } from './registries.ts';
import { openRegistryTurns, type RegistryTurns } from './registry-turns.ts';

type RdapLimits = VerifiedSettings['limits'] & {
  readonly bodyBytes: number;
  readonly redirects: number;
};

export const rdapLimits: RdapLimits = {
  tlsMs: 4000,
  requestMs: 10_000,
  headerBytes: 16_384,
  bodyBytes: 262_144,
  redirects: 3,
};

type RdapSettings = {
  readonly registries: Registries;
  /** Of all runs together, whatever else has none. */
  readonly pace: Pace;
  readonly isAnonymous: boolean;
  readonly dial: Dial;
  readonly policy: TargetPolicy;
  readonly userAgent: string;
  readonly limits: RdapLimits;
};

/** Opens the probe for one run. */
export function openRdapProbe(settings: RdapSettings, signal: AbortSignal): RdapProbe {
  const { registries } = settings;
  const turns = openRegistryTurns(settings.pace, settings.isAnonymous);
  return {
    canAsk: (domain) => registries.registryOf(domain).kind === 'listed',
    async ask(domain, rests, ending) {
      const registry = registries.registryOf(domain);
      if (registry.kind === 'none') return { kind: 'no-rdap' };
      if (registry.kind === 'insecure') return unknown('its registry answers over plain http only');
      const either = AbortSignal.any([signal, ending]);
      const asking = { domain, rests, settings, turns, signal: either };
      try {
        return await walk(new URL(`domain/${domain}`, registry.base), asking);
      } catch (error) {
        signal.throwIfAborted();
        if (!ending.aborted) throw error;
        return unknown('the registry did not answer in time');
      }
    },
  };
}

/** For workers that ask no registries (PROBE_RDAP). */
export const noRdap: RdapProbe = {
  canAsk: () => false,
  ask: async () => unknown('registries are not asked here (PROBE_RDAP is off)'),
};

type RegistryQuestion = {
  readonly domain: string;
  readonly rests: RegistryRests;
  readonly settings: RdapSettings;
  readonly turns: RegistryTurns;
  readonly signal: AbortSignal;
};

/**
 * Asks, and follows redirects to other registries (RFC 7480 §5.2): only to where the bootstrap could have sent us at once, so that no
 * server can send us elsewhere.
 */
async function walk(start: URL, asking: RegistryQuestion): Promise<RdapAnswer> {
  const { registries, limits } = asking.settings;
  const seen = new Set<string>();
  let url = start;
  for (;;) {
    seen.add(url.href);
    const answer = await askOnce(url, asking);
    if (!('location' in answer)) return answer;
    const next = URL.parse(answer.location, url.href);
    if (!next || next.username !== '' || next.password !== '' || !registries.isOfRegistry(next))
      return unknown('the registry redirects to an address that is none of a registry in IANA’s list');
    if (seen.has(next.href)) return unknown('the registry redirects in a circle');
    if (seen.size > limits.redirects)
      return unknown(`the registry redirects more than ${limits.redirects} times`);
    url = next;
  }
}

type Moved = { readonly location: string };

async function askOnce(
  url: URL,
  { domain, rests, settings, turns, signal }: RegistryQuestion,
): Promise<RdapAnswer | Moved> {
  const { host } = url;
  if (await rests.isResting(host)) return unknown('the registry has asked us to wait');
  if (!(await turns.take(host, signal))) return unknown('its registry is asked as often as we allow');
  const answer = await sendVerified(
    {
      url: url.href,
      method: 'GET',
      headers: { accept: 'application/rdap+json, application/json', 'accept-encoding': 'identity' },
      bodyLimitBytes: settings.limits.bodyBytes,
    },
    settings,
    signal,
  );
  if (answer.kind === 'failure') return unknown(`its registry could not be asked: ${answer.reason}`);
  const restS = restOf(answer);
  if (restS !== undefined) {
    await rests.rest(host, restS);
    return unknown('the registry has asked us to wait');
  }
  return readAnswer(answer, domain);
}

type Response = Extract<VerifiedAnswer, { kind: 'response' }>;

const redirects: readonly number[] = [301, 302, 303, 307, 308];

async function readAnswer({ status, headers, body }: Response, domain: string): Promise<RdapAnswer | Moved> {
  const location = headers.get('location') ?? '';
  if (redirects.includes(status) && location !== '') return { location };
  // A page about a missing page says nothing of the domain (RFC 7480 §5.3).
  const isPage = /html/i.test(headers.get('content-type') ?? '');
  if (status === 404 && !isPage) return { kind: 'missing' };
  if (status !== 200) return unknown(`the registry answered with status ${status}`);
  if (body.cut !== undefined)
    return unknown(
      body.cut === 'limit' ? 'the registry’s answer is too long' : 'the registry’s answer broke off',
    );
  // Reading 256 kB takes some milliseconds.
  await yieldToOthers();
  const read = readRegisteredDomain(Buffer.from(body.bytes ?? []).toString('utf8'), domain);
  return typeof read === 'string' ? unknown(read) : { kind: 'domain', domain: read };
}

/** Registries limit by address: for 429, and for 503 with a time, nothing is asked before (RFC 7480 §5.5). */
function restOf({ status, headers }: Response): number | undefined {
  const asked = readWait(headers.get('retry-after'), Date.now());
  if (status === 429) return Math.min(asked ?? usualRestS, longestRestS);
  return status === 503 && asked !== undefined ? Math.min(asked, longestRestS) : undefined;
}

const usualRestS = 60;
const longestRestS = 86_400;

function unknown(reason: string): RdapAnswer {
  return { kind: 'unknown', reason };
}

/** The fixed form of a date in HTTP (RFC 9110 §5.6.7); Date.parse alone takes almost anything. */
const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** How many seconds a Retry-After asks to wait, at least 1; undefined where the field is missing or is no such time. @param nowMs Unix time */
export function readWait(field: string | undefined, nowMs: number): number | undefined {
  const text = field?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Math.max(1, Number(text));
  if (!httpDate.test(text)) return undefined;
  return Math.max(1, Math.ceil((Date.parse(text) - nowMs) / 1000));
}

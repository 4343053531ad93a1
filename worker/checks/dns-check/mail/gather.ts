import { isAddress } from '#shared/targets/classify-address';
import { type Asker, openAsker } from '../../../dns/asker.ts';
import { haveOneOwner } from '../../../dns/public-suffix.ts';
import { walkZone } from '../../../dns/walk-zone.ts';
import type { PolicyObservation } from '../../../mail/fetch-policy.ts';
import { fetchPolicy } from '../../../mail/fetch-policy.ts';
import type { HalfContext } from '../halves.ts';
import { fetchBimi, lateBimi } from './bimi/files.ts';
import type { Bimi } from './bimi/parse-bimi.ts';
import type { BimiFiles, MailEvidence, SpfEvaluation } from './evidence.ts';
import { type MailFacts, readMail } from './facts.ts';
import { evaluateSpf } from './spf/evaluate-spf.ts';
import type { SpfMessage } from './spf/message.ts';

/** Longest gathering; what is not there by then stays unknown. Well below the check's own limit, so that a slow server costs a part, not the report. */
const limitMs = 9000;
const mxEvaluationLimit = 4;

/** What the mail half is given to look with. */
export type MailContext = Pick<HalfContext, 'domain' | 'options' | 'ask'> & {
  readonly probes: Pick<HalfContext['probes'], 'http'>;
};

/** Sees the mail of a domain: asks all that is known to be needed at once, and again what the answers call for. */
export async function gatherMail(
  { domain, options, ask, probes }: MailContext,
  limit = limitMs,
): Promise<MailEvidence> {
  const asker = openAsker({ ask }, domain);
  const deadline = openDeadline(limit);
  const subject = { domain, selectors: options.dkimSelector };
  const wanted = readMessage(domain, options);
  // Beside the walk: its questions are mostly the same ones, and answered once.
  const message = wanted === null ? null : begin(evaluateSpf(asker, wanted, limit));
  const fetching: Fetching = { policy: null, bimi: undefined };
  try {
    const facts = await walkZone(asker, deadline.over, (zone) => {
      const seen = readMail(zone, subject.domain, subject.selectors);
      if (wantsPolicy(seen)) fetching.policy ??= begin(fetchPolicy(probes.http, seen.sts.policyUrl));
      if (wantsFiles(seen)) fetching.bimi ??= begin(fetchBimi(probes.http, seen.bimi.bimi));
      return seen;
    });
    const late = lateBimi(facts.bimi.bimi);
    const [mxHosts, file, bimi, asked] = await Promise.all([
      Promise.all(listMxMessages(facts).map(({ host, ...from }) => evaluateHost(asker, host, from, limit))),
      fetching.policy && Promise.race([fetching.policy, deadline.over.then(() => lateFile)]),
      fetching.bimi && Promise.race([fetching.bimi, deadline.over.then(() => late)]),
      message,
    ]);
    const observations = [...asker.observations.values()];
    return {
      ...subject,
      sights: observations,
      policy: file,
      ...(bimi === undefined ? {} : { bimi }),
      message: asked,
      mxHosts,
    };
  } finally {
    deadline.stop();
  }
}

/** What is fetched beside the walk, as soon as the answers call for it. */
type Fetching = { policy: Promise<PolicyObservation> | null; bimi: Promise<BimiFiles> | undefined };

const lateFile: PolicyObservation = {
  kind: 'failure',
  code: 'response-timeout',
  reason: 'no answer in time',
};

function openDeadline(ms: number): { over: Promise<void>; stop: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  return { over: promise, stop: () => clearTimeout(timer) };
}

// What is begun before the walk is awaited after it; a run that is aborted in between must not leave its error unheard.
function begin<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

function wantsPolicy({ sts }: MailFacts): boolean {
  return sts.texts.length > 0 || sts.hasHost === true;
}

// A record that declines, or cannot be read, names no file.
function wantsFiles(facts: MailFacts): facts is MailFacts & { readonly bimi: { readonly bimi: Bimi } } {
  const { bimi } = facts.bimi;
  return bimi !== null && (bimi.logo !== null || bimi.authority !== null);
}

function readMessage(domain: string, { ip, sender, helo }: MailContext['options']): SpfMessage | null {
  if (ip === undefined || !isAddress(ip)) return null;
  return { ip, sender: sender ?? `postmaster@${domain}`, helo: helo ?? domain };
}

function listMxMessages({ domain, mx, spf }: MailFacts): (SpfMessage & { host: string })[] {
  if (spf.records.length !== 1) return [];
  // A provider's hosts for incoming mail send nothing in the domain's name.
  const own = mx.hosts.filter(({ host }) => haveOneOwner(host, domain));
  const all = own.flatMap(({ host, addresses }) =>
    addresses.map(({ address }) => ({ host, ip: address, sender: `postmaster@${domain}`, helo: host })),
  );
  return all.slice(0, mxEvaluationLimit);
}

async function evaluateHost(
  asker: Asker,
  host: string,
  from: SpfMessage,
  limit: number,
): Promise<SpfEvaluation & { host: string }> {
  return { host, ...(await evaluateSpf(asker, from, limit)) };
}

import {
  domainRegistration,
  type Registration,
  registrationQuestion,
  unknownRegistration,
} from '#shared/catalogue/domain-health/registration';
import type { CheckSpec } from '#shared/catalogue/spec';
import { type Freshness } from '#shared/model/freshness';
import { type Job, randomId } from '#shared/model/job';
import { makeReport, type ReportFacts } from '#shared/model/report';
import type { JobKeyOf } from '#shared/queue/job-keys';
import type { DnsProbe } from '../probes/dns/port.ts';
import type { RdapAnswer, RdapProbe, RegistryRests } from '../probes/rdap/port.ts';
import type { RunStore } from '../run/run-store.ts';

export type RegistrationSettings = {
  readonly reportStore: RunStore;
  readonly jobKeyOf: JobKeyOf;
  /** Unix ms by the clock that all processes share. */
  readonly now: () => number;
};

export type RegistrationAsking = {
  readonly dns: Pick<DnsProbe, 'ask'>;
  readonly rdap: RdapProbe;
  readonly wanted: Freshness;
  /** When it fires, what is not known by then stays unknown. */
  readonly ending: AbortSignal;
};

/**
 * Asks the registry of a domain, and stores what it answered for all workers; nothing where the store has an answer that is fresh enough.
 * Only a name that its parent delegates is asked about: nobody learns from us which free names people look at.
 */
export async function askRegistration(
  job: Pick<Job, 'jobId' | 'target'>,
  settings: RegistrationSettings,
  asking: RegistrationAsking,
): Promise<void> {
  const question = registrationQuestion(job.target);
  if (!question) return;
  const { target } = question;
  const { reportStore, jobKeyOf, now } = settings;
  const jobKey = jobKeyOf(domainRegistration, target, {}, undefined);
  const known = await reportStore.findFresh([{ jobKey, wanted: asking.wanted }], now());
  if (known.has(jobKey)) return;
  const registration = await learn(target, settings, asking);
  const times = timesOf(registration, now());
  const report = makeReport(internalFacts(domainRegistration, target, times), {
    state: 'complete',
    verdicts: {},
    score: null,
    fields: { registration },
  });
  await reportStore.insert(report, { jobId: job.jobId, reportId: randomId(), jobKey });
}

async function learn(
  name: string,
  settings: RegistrationSettings,
  { dns, rdap, ending }: RegistrationAsking,
): Promise<Registration> {
  const delegated = rdap.canAsk(name) ? await isDelegated(name, dns) : true;
  if (delegated !== true)
    return unknownRegistration(name, delegated === false ? notDelegated : delegationUnknown);
  const answer = await rdap.ask(name, openRests(settings), ending);
  return toRegistration(name, answer, settings.now());
}

const notDelegated = 'its parent zone delegates no such name, so the registry is not asked';
const delegationUnknown =
  'the DNS did not say whether its parent zone delegates the name, so the registry is not asked';
const noRdap = 'IANA lists no RDAP service for its top-level domain';

function toRegistration(name: string, answer: RdapAnswer, nowMs: number): Registration {
  if (answer.kind === 'unknown') return unknownRegistration(name, answer.reason);
  if (answer.kind === 'no-rdap') return unknownRegistration(name, noRdap, 'no-rdap');
  const askedAt = new Date(nowMs).toISOString();
  if (answer.kind === 'missing')
    return { ...unknownRegistration(name, 'the registry knows no such name', 'missing'), askedAt };
  const { expiresAt, expiresUnread, registeredAt, registrar, statuses, ds, isSigned } = answer.domain;
  // Of a list that is not whole nobody can say in what it differs.
  const nameServers = answer.domain.nameServersUnread ? [] : answer.domain.nameServers;
  const noDate =
    expiresUnread === undefined
      ? 'the registry does not tell when the registration ends'
      : `the registry’s date could not be read: “${expiresUnread.slice(0, 60).replaceAll(/[^ -~]/g, '?')}”`;
  return {
    ...(expiresAt === null ? { state: 'no-date', reason: noDate } : { state: 'ok' }),
    name,
    expiresAt,
    registeredAt,
    askedAt,
    registrar,
    statuses: [...statuses],
    nameServers: [...nameServers],
    ds: [...ds],
    isSigned,
  };
}

/**
 * Whether the parent of a name delegates it. Where its own servers do not answer, the resolver cannot tell its NS records, but still its DS:
 * those are the parent's (RFC 4035 §3.1.4.1). null where neither was reported.
 */
async function isDelegated(name: string, dns: Pick<DnsProbe, 'ask'>): Promise<boolean | null> {
  // As dns-check asks for its own records, so that both are asked once.
  const servers = await dns.ask({ name, type: 'NS' }, { dnssecOk: true });
  if (servers.kind === 'answer' && servers.rcode === 'NOERROR')
    return servers.answers.some(({ type, name: owner }) => type === 'NS' && owner === name);
  if (servers.kind === 'answer' && servers.rcode === 'NXDOMAIN') return false;
  const signer = await dns.ask({ name, type: 'DS' }, { dnssecOk: true });
  if (signer.kind === 'answer' && signer.rcode === 'NXDOMAIN') return false;
  return signer.kind === 'answer' && signer.rcode === 'NOERROR' ? true : null;
}

const dayMs = 86_400_000;
/** A cached date outlives a renewal: near the end it is asked again soon. */
const nearEndMs = 30 * dayMs;
const freshNearEndS = 3600;
const unknownFreshS = 60;

/**
 * For how long an answer serves. What is unknown serves a minute, and counts as old as an answer must be for a caller who asks afresh: the
 * next one who does has the registry asked.
 * @param nowMs Unix time
 */
export function timesOf(
  { state, expiresAt }: Pick<Registration, 'state' | 'expiresAt'>,
  nowMs: number,
): { readonly checkedAtMs: number; readonly freshForS: number } {
  const { freshForS, refreshFloorS } = domainRegistration;
  if (state === 'unknown') {
    const ageS = refreshFloorS - unknownFreshS;
    return { checkedAtMs: nowMs - 1000 * ageS, freshForS: ageS + unknownFreshS };
  }
  const isNear = expiresAt !== null && Date.parse(expiresAt) - nowMs < nearEndMs;
  return { checkedAtMs: nowMs, freshForS: isNear ? freshNearEndS : freshForS };
}

/** A registry that asked to be left alone, kept as a report that is fresh for so long. */
const registryRest = { ...domainRegistration, name: 'registry-rest' };

function openRests({ reportStore, jobKeyOf, now }: RegistrationSettings): RegistryRests {
  const keyOf = (host: string) => jobKeyOf(registryRest, host, {}, undefined);
  return {
    async isResting(host) {
      const wanted = { since: Number.MAX_SAFE_INTEGER, orFresh: true };
      const jobKey = keyOf(host);
      return (await reportStore.findFresh([{ jobKey, wanted }], now())).has(jobKey);
    },
    async rest(host, freshForS) {
      const facts = internalFacts(registryRest, host, { checkedAtMs: now(), freshForS });
      const report = makeReport(facts, { state: 'complete', verdicts: {}, score: null, fields: {} });
      const reportId = randomId();
      await reportStore.insert(report, { jobId: reportId, reportId, jobKey: keyOf(host) });
    },
  };
}

type ReportTimes = { readonly checkedAtMs: number; readonly freshForS: number };

/** The facts of a report that only other runs read: it has no id to ask for, and is kept while it is fresh. */
function internalFacts(
  { name, rulesVersion }: Pick<CheckSpec, 'name' | 'rulesVersion'>,
  domain: string,
  { checkedAtMs, freshForS }: ReportTimes,
): ReportFacts {
  return {
    check: name,
    target: { domain },
    rules: {},
    rulesVersion,
    reportId: undefined,
    checkedAtMs,
    durationMs: 0,
    freshForS,
    keepForS: freshForS,
  };
}

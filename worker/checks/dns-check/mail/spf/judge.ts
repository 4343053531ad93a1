import type { MailMode } from '#shared/catalogue/dns-check/mail/report';
import { type SpfCode, spfRules } from '#shared/catalogue/dns-check/mail/rules/spf';
import {
  allOf,
  brokenBy,
  brokenIf,
  type Evidence,
  type Fix,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { textsOf } from '../../../../dns/observation.ts';
import { clip, showFault } from '../../../../mail/fault.ts';
import type { KnownSenders } from '../../mail-providers/find.ts';
import { publish } from '../../verdicts.ts';
import type { SpfEvaluation } from '../evidence.ts';
import type { ServerSpf, SpfFacts } from './facts.ts';
import { isClosedSpf, type SpfBranch, spfRecordsOf } from './grow-tree.ts';
import { judgeBehindAll } from './judge-behind-all.ts';
import { judgeTerms } from './judge-terms.ts';
import { judgeTree } from './judge-tree.ts';
import { withOneSpf } from './one-record.ts';
import { parseTerm } from './parse-term.ts';
import { mergeSpf } from './republish.ts';

export type SpfContext = {
  readonly mode: MailMode;
  /** True where mail to the domain goes to its own address, as it has no MX record. */
  readonly isImplicit: boolean;
  /** True for a name without records of its own, or below a domain whose DMARC policy rejects mail in its name already. */
  readonly isCovered: boolean;
  readonly senders: KnownSenders;
  readonly mxHosts: readonly (SpfEvaluation & { readonly host: string })[];
};

/** Judges the sender policy of a domain. */
export function judgeSpf(facts: SpfFacts, context: SpfContext): Verdicts<SpfCode> {
  const { observation, tree, domain } = facts;
  const beside = {
    'spf-type99': judgeType99(facts),
    'spf-inconsistent-servers': judgeServers(facts.servers),
  };
  if (observation.outcome === 'unknown')
    return {
      ...allOf(spfRules, notTested(`the TXT records of ${domain} could not be read: ${observation.why}`)),
      ...beside,
      ...(facts.hasProvenFailure
        ? { 'spf-record-lookup-failed': brokenBy([{ name: domain, reason: observation.why }]) }
        : {}),
    };
  const judged: Verdicts<SpfCode> = {
    ...(tree?.spf ? judgeRecord(facts, tree, context) : allOf(spfRules, 'not-applicable')),
    ...judgePresence(facts, context),
    'spf-record-lookup-failed': 'holds',
    ...beside,
    'spf-sender-id': brokenBy(facts.senderId.map((record) => ({ record }))),
  };
  return tree === null ? judged : withOneSpf(judged, tree);
}

type PresenceCode = 'spf-missing' | 'spf-missing-parked' | 'spf-multiple' | 'spf-record-ignored';

function judgePresence(
  { domain, records, almost, isDoubled }: SpfFacts,
  { mode, isImplicit, isCovered, senders }: SpfContext,
): Pick<Verdicts<SpfCode>, PresenceCode> {
  const isIgnored = records.length === 0 && almost.length > 0;
  const isMissing = records.length === 0 && !isIgnored;
  const slip = isDoubled
    ? ` There is one at ${domain}.${domain}: the name was entered in full where only a name below the domain belongs.`
    : '';
  const missing = (own: MailMode, fix: Fix): Verdict => {
    if (!isMissing) return mode === own ? 'holds' : 'not-applicable';
    if (mode === 'unknown') return notTested('it is not known whether the domain accepts mail');
    return mode === own ? brokenIf(true, { name: domain, slip }, fix) : 'not-applicable';
  };
  return {
    'spf-missing': missing('mail', startRecord(domain, senders)),
    'spf-missing-parked': isCovered ? 'not-applicable' : missing('parked', closeDomain(domain, isImplicit)),
    'spf-multiple': judgeMultiple(
      domain,
      records.map(({ text }) => text),
    ),
    'spf-record-ignored': isIgnored ? brokenBy(almost) : 'holds',
  };
}

// Who gets the mail sends it only where that is a service with mailboxes. A first record that forgets a sender stops its mail.
function startRecord(domain: string, { services, includes, isWhole }: KnownSenders): Fix {
  if (!isWhole)
    return {
      text: 'List every server and service that sends mail for the domain: its mail server, and newsletters, tickets and invoices sent by others. Their help pages name the term for each. Put the terms between v=spf1 and ~all in one TXT record. If nothing sends for the domain, publish v=spf1 -all.',
    };
  const names = services.map(({ name }) => name).join(' and ');
  const value = ['v=spf1', ...includes.map((name) => `include:${name}`), '~all'].join(' ');
  return publish(
    `Publish this record if only ${names} sends mail for the domain. Otherwise first add a term for each other service that sends.`,
    domain,
    value,
  );
}

// A web server may send mail although nothing says so.
function closeDomain(domain: string, isImplicit: boolean): Fix {
  return isImplicit
    ? {
        text: 'If nothing sends mail in the name of the domain, its web server included, publish v=spf1 -all.',
      }
    : publish('Publish a record that allows no sender.', domain, 'v=spf1 -all');
}

function judgeMultiple(domain: string, records: readonly string[]): Verdict {
  if (records.length < 2) return 'holds';
  const merged = mergeSpf(records);
  const evidence = [
    { name: domain, count: records.length },
    ...records.map((record) => ({ record: clip(record) })),
  ];
  return brokenBy(
    evidence,
    merged === null
      ? undefined
      : publish('Delete all of them, and publish one record with the terms of all.', domain, merged),
  );
}

/** RFC 7208 §3.4: name and text below this many octets fit into an answer of 512. */
const sizeLimit = 450;
/** All TXT records of the name travel together; above this, an answer goes on by TCP even with EDNS. */
const setLimit = 1232;
/** Octets of a record beside its text: a pointer to the name, type, class, TTL, two lengths (RFC 1035 §3.2.1). */
const recordOverhead = 13;

function judgeSize({ domain, records, observation }: SpfFacts): Verdict {
  const octets = domain.length + (records[0]?.text.length ?? 0);
  const all = textsOf(observation).reduce(
    (sum, { text }) => sum + text.length + recordOverhead,
    domain.length,
  );
  const what = all >= setLimit ? `All TXT records of ${domain} together` : 'Name and SPF record together';
  return brokenIf(octets >= sizeLimit || all >= setLimit, {
    name: domain,
    what,
    octets: all >= setLimit ? all : octets,
  });
}

type RecordVerdicts = Omit<
  Verdicts<SpfCode>,
  PresenceCode | 'spf-record-lookup-failed' | 'spf-type99' | 'spf-inconsistent-servers' | 'spf-sender-id'
>;

function judgeRecord(
  facts: SpfFacts,
  tree: SpfBranch,
  { mode, mxHosts, senders }: SpfContext,
): RecordVerdicts {
  const [record] = facts.records;
  const faults = (tree.spf?.faults ?? []).map((fault) => showFault(fault));
  return {
    ...judgeTree(tree),
    ...judgeTerms(tree, senders),
    ...judgeBehindAll(tree, facts.freed, mode === 'parked'),
    'spf-syntax': brokenBy(faults),
    'spf-not-closed': judgeClosed(tree, mode, record?.text ?? ''),
    'spf-strings-run-together': brokenBy(findRunTogether(record?.strings ?? [])),
    'spf-record-size': judgeSize(facts),
    'spf-mx-not-allowed': mode === 'parked' ? 'not-applicable' : judgeMxHosts(mxHosts),
  };
}

// A permerror is the same for all senders, and has a rule of its own.
function judgeMxHosts(mxHosts: SpfContext['mxHosts']): Verdict {
  if (mxHosts.length === 0 || mxHosts.some(({ result }) => result === 'permerror')) return 'not-applicable';
  const refused = mxHosts.filter(({ result }) => result !== 'pass' && result !== 'temperror');
  const unseen = mxHosts.find(({ result }) => result === 'temperror');
  if (refused.length === 0 && unseen)
    return notTested(`the policy could not be evaluated for ${unseen.host}`);
  return brokenBy(refused.map(({ ip, host, result }) => ({ ip, host, verdict: result })));
}

function judgeClosed(tree: SpfBranch, mode: MailMode, record: string): Verdict {
  if (mode !== 'parked') return 'not-applicable';
  const fix = publish('Publish a record that allows no sender.', tree.domain, 'v=spf1 -all');
  return brokenIf(!isClosedSpf(tree), { name: tree.domain, record: clip(record) }, fix);
}

/** Longest string of a TXT record (RFC 1035 §3.3); one of just this length was cut by a machine, which leaves no space out. */
const stringLimit = 255;

// A string that begins with a term behind one that ends with one: their author thought that a space is put between them.
function isTerm(word: string): boolean {
  return !('problem' in parseTerm(word, 0)) && !word.startsWith('v=');
}

function findRunTogether(strings: readonly string[]): Evidence[] {
  return strings.slice(1).flatMap((right, index) => {
    const left = strings[index] ?? '';
    const before = left.slice(left.lastIndexOf(' ') + 1);
    const [after = ''] = right.split(' ', 1);
    if (left.length === stringLimit || !isTerm(before) || !isTerm(after)) return [];
    return [{ before: clip(before, 80), after: clip(after, 80) }];
  });
}

function judgeType99({ type99, domain }: SpfFacts): Verdict {
  if (type99.outcome === 'unknown')
    return notTested(`the records of type SPF could not be read: ${type99.why}`);
  return brokenIf(type99.outcome === 'found', { name: domain });
}

function judgeServers(servers: readonly ServerSpf[]): Verdict {
  const answered = servers.filter(
    ({ observation }) => observation.outcome === 'found' || observation.outcome === 'nodata',
  );
  const [first, ...others] = answered.map(({ host, observation }) => ({
    host,
    record: spfRecordsOf(observation)
      .map(({ text }) => text)
      .toSorted()
      .join(' | '),
  }));
  if (servers.length === 0) return 'not-applicable';
  if (!first || others.length === 0) return notTested('fewer than two name servers answered');
  const odd = others.filter(({ record }) => record !== first.record);
  const show = (record: string) => (record === '' ? 'no SPF record' : clip(record));
  return brokenBy(
    odd.map(({ host, record }) => ({ server: host, record: show(record), other: show(first.record) })),
  );
}

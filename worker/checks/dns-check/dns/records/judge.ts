import type { recordRules } from '#shared/catalogue/dns-check/rules/records';
import {
  brokenBy,
  brokenIf,
  type Evidence,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { classifyAddress } from '#shared/targets/classify-address';
import { isInZone } from '../../../../dns/name.ts';
import { isOurs } from '../../../../dns/not-asked.ts';
import { describeEde, foundRecords, readAnswer, type RecordsRead } from '../../../../dns/read-answer.ts';
import { readAll, readMx, readText } from '../../../../dns/record-values.ts';
import type { DnsAnswer } from '../../../../probes/dns/port.ts';
import { apexTypes } from '../../halves.ts';
import { describeSlip, meantName } from '../../names.ts';
import { brokenBySeen } from '../../verdicts.ts';
import type { DnsFacts } from '../facts.ts';
import { mostFrequent } from '../ns/delegation.ts';
import { named } from '../servers/server-facts.ts';
import { judgeHttpsRecords } from './judge-https-records.ts';
import { judgeTtls } from './judge-ttls.ts';

type RecordCode = keyof typeof recordRules;

/** Aliases in a row that are still usual: www → customer name at the CDN → region → edge. */
const usualAliases = 4;

/** Judges the records of the domain itself and of www. */
export function judgeRecords(facts: DnsFacts): Verdicts<RecordCode> {
  const { apex, evidence } = facts;
  const random = readAnswer(evidence.random);
  return {
    'domain-not-found':
      facts.exists === null
        ? notTested(apex.SOA.state === 'unknown' ? apex.SOA.why : 'the DNS did not say')
        : 'holds',
    'lookup-failed': judgeLookups(facts),
    'record-name-not-public': judgeNames(facts),
    'record-dot-missing': judgeDots(facts),
    'apex-cname': judgeApexAlias(facts),
    ...judgeAliases(facts),
    'address-not-public': judgeAddresses(facts),
    'address-no-ipv6': judgeIpv6(facts),
    'mx-inconsistent-servers': judgeMxSets(facts),
    'wildcard-present':
      random.state === 'unknown'
        ? notTested(random.why)
        : brokenIf(random.state === 'found', { name: evidence.random.question.name }),
    ...judgeTtls(facts),
    ...judgeHttpsRecords(facts),
  };
}

// A question that a limit of ours ended says nothing of the domain.
function judgeLookups(facts: DnsFacts): Verdict {
  const ours = apexTypes.flatMap((type) => {
    const answer = facts.answers[type];
    return answer.kind === 'failure' && isOurs(answer) ? [answer.reason] : [];
  });
  const unseen = ours[0] === undefined ? undefined : notTested(ours[0]);
  return brokenBySeen(failedLookups(facts), unseen);
}

function failedLookups({ answers, domain }: DnsFacts): readonly Evidence[] {
  return apexTypes.flatMap((type) => {
    const answer = answers[type];
    const reading = readAnswer(answer);
    if (reading.state !== 'unknown' || (answer.kind === 'failure' && isOurs(answer))) return [];
    return [{ name: domain, type, reason: reading.why, extendedErrors: extendedErrors(answers[type]) }];
  });
}

function extendedErrors(answer: DnsAnswer): readonly string[] {
  return answer.kind === 'answer' ? answer.ede.map(describeEde) : [];
}

// Records with names that were not read may have such names too.
function judgeNames({ evidence: { refused = [] }, apex }: DnsFacts): Verdict {
  const unread = [apex.MX, apex.NS, apex.TXT].find(({ state }) => state === 'unknown');
  return brokenBySeen(
    refused.map(({ name, why, record }) => ({ name, why, record: record ?? 'A record' })),
    unread?.state === 'unknown' ? notTested(unread.why) : undefined,
  );
}

function judgeApexAlias({ zone, apex, domain }: DnsFacts): Verdict {
  if (zone.kind === 'inside') return 'not-applicable';
  const [alias] = apex.A.aliases;
  if (zone.kind === 'unknown') return notTested(zone.why);
  if (apex.A.state === 'unknown' && !alias) return notTested(apex.A.why);
  return brokenIf(alias !== undefined, { name: domain, target: alias?.target ?? '' });
}

type NamedRecords = { readonly name: string; readonly reading: RecordsRead };

function addressAnswers({ evidence, answers }: DnsFacts): readonly NamedRecords[] {
  return [answers.A, answers.AAAA, evidence.www.A, evidence.www.AAAA].map((answer) => ({
    name: answer.question.name,
    reading: readAnswer(answer),
  }));
}

function judgeAliases(facts: DnsFacts): Verdicts<'cname-dangling' | 'cname-loop' | 'cname-chain-long'> {
  const seen = addressAnswers(facts);
  // Both address types lead along the same aliases; the answer that came says where.
  const known = seen.filter(({ reading }) => reading.aliases.length > 0);
  const chains = [...Map.groupBy(known, ({ name }) => name).values()].flatMap(
    (same) => same.find(({ reading }) => reading.state !== 'unknown') ?? same.slice(0, 1),
  );
  const failed = seen.find(
    ({ name, reading }) => reading.state === 'unknown' && !chains.some((chain) => chain.name === name),
  );
  const unseen = failed?.reading.state === 'unknown' ? notTested(failed.reading.why) : undefined;
  const told = (isBroken: (reading: RecordsRead) => boolean): Verdict => {
    const broken = chains.filter(({ reading }) => isBroken(reading));
    if (broken.length === 0) return unseen ?? (chains.length === 0 ? 'not-applicable' : 'holds');
    return brokenBy(
      broken.map(({ name, reading }) => ({
        name,
        hops: reading.aliases.length,
        target: reading.aliases.at(-1)?.target ?? '',
        ...describeTarget(reading.aliases.at(-1)?.target ?? '', name, facts.domain),
      })),
    );
  };
  return {
    'cname-dangling': told((reading) => reading.state === 'none' && reading.nxdomain),
    'cname-loop': told(isLoop),
    'cname-chain-long': told((reading) => !isLoop(reading) && reading.aliases.length > usualAliases),
  };
}

// Nobody but the owner can claim a name inside the domain.
function describeTarget(target: string, name: string, domain: string) {
  const risk = isInZone(target, domain)
    ? ''
    : ` Anyone who can register that name, or claim it at the provider, takes over ${name}.`;
  return { slip: describeSlip(target, domain), risk };
}

function isLoop({ aliases }: RecordsRead): boolean {
  const last = aliases.at(-1)?.target;
  return last !== undefined && aliases.some(({ name }) => name === last);
}

function judgeIpv6({ apex: { A, AAAA }, domain }: DnsFacts): Verdict {
  if (AAAA.state === 'found') return 'holds';
  if (A.state === 'unknown') return notTested(A.why);
  if (A.state === 'none') return 'not-applicable';
  return AAAA.state === 'unknown' ? notTested(AAAA.why) : brokenIf(true, { name: domain });
}

// Blocks of the documentation are left out: examples and parked names use them on purpose.
function judgeAddresses(facts: DnsFacts): Verdict {
  const seen = addressAnswers(facts);
  const bad = seen.flatMap(({ name, reading }) =>
    foundRecords(reading).flatMap((record): Evidence[] => {
      const [address] = readAll([record], readText);
      if (address === undefined) return [];
      const verdict = classifyAddress(address, { allow: [], deny: [] });
      const isBad = verdict.kind === 'refused' && verdict.rule !== 'documentation';
      return isBad ? [{ name, type: record.type, address, block: verdict.rule }] : [];
    }),
  );
  if (bad.length > 0) return brokenBy(bad);
  const failed = seen.find(({ reading }) => reading.state === 'unknown');
  if (failed?.reading.state === 'unknown') return notTested(`${failed.name}: ${failed.reading.why}`);
  return seen.some(({ reading }) => reading.state === 'found') ? 'holds' : 'not-applicable';
}

/**
 * Judges that no record lacks its last dot where a wildcard answers for the name that this makes: then nothing looks broken, and mail or
 * visitors arrive at the wildcard's address. Without a wildcard such a name does not exist, which has rules of its own.
 */
function judgeDots({ apex, evidence, domain }: DnsFacts): Verdict {
  const slips = [
    ...readAll(foundRecords(apex.MX), readMx).map(({ exchange }) => ({ record: 'MX', name: exchange })),
    ...readAll(foundRecords(apex.NS), readText).map((name) => ({ record: 'NS', name })),
    ...[evidence.www.A, evidence.www.AAAA].flatMap((answer) =>
      readAnswer(answer).aliases.map(({ target }) => ({ record: 'CNAME', name: target })),
    ),
  ].flatMap(({ record, name }): Evidence[] => {
    const meant = meantName(name.toLowerCase(), domain);
    return meant === undefined ? [] : [{ record, name, meant }];
  });
  const unread = [apex.MX, apex.NS].find(({ state }) => state === 'unknown');
  if (slips.length === 0) return unread?.state === 'unknown' ? notTested(unread.why) : 'holds';
  const random = readAnswer(evidence.random);
  if (random.state === 'unknown') return notTested(`whether a wildcard answers is not known: ${random.why}`);
  if (random.state === 'none') return 'not-applicable';
  return brokenBy([...new Map(slips.map((slip) => [JSON.stringify(slip), slip])).values()]);
}

/** Judges that every name server gives the same MX records. */
function judgeMxSets({ zone, authoritative, servers }: DnsFacts): Verdict {
  if (zone.kind === 'inside') return 'not-applicable';
  const spoke = authoritative.flatMap((server) =>
    server.exchanges === null ? [] : [{ server, mx: server.exchanges.join(', ') || 'none' }],
  );
  if (spoke.length === 0) return notTested('no name server gave its MX records');
  if (spoke.length < Math.min(2, servers.length))
    return notTested('only one name server gave its MX records');
  const usual = mostFrequent(spoke.map(({ mx }) => mx));
  return brokenBy(
    spoke.filter(({ mx }) => mx !== usual).map(({ server, mx }) => ({ ...named(server), mx, others: usual })),
  );
}

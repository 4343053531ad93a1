import type { SmtpCode } from '#shared/catalogue/smtp-check/rules';
import { brokenBy, type Verdict, type Verdicts } from '#shared/model/verdict';
import { isUnknownCommand } from '../facts/address.ts';
import type { AddressFacts, HostFacts } from '../facts/facts.ts';
import { describeReply, readEhlo, readName } from '../facts/replies.ts';
import { type Finding, foundIf, judgeEach, judgeHosts, unseen } from './each.ts';

type ConnectionCode = Extract<
  SmtpCode,
  | 'target-address-not-allowed'
  | `mail-host-${string}`
  | 'mail-hosts-differ'
  | 'greeting-name-missing'
  | 'ehlo-unsupported'
>;

/** Judges whether the hosts are there, and how they present themselves. */
export function judgeConnection(hosts: readonly HostFacts[]): Verdicts<ConnectionCode> {
  return {
    'target-address-not-allowed': judgeHosts(hosts, (host) => [testPublic(host)]),
    'mail-host-unreachable': judgeHosts(hosts, (host) => [testHost(host)]),
    'mail-host-address-unreachable': judgeHosts(hosts, testAddresses),
    'mail-host-not-smtp': judgeEach(hosts, testSmtp),
    'mail-host-declined': judgeEach(hosts, testDeclined),
    'greeting-name-missing': judgeEach(hosts, testName),
    'ehlo-unsupported': judgeEach(hosts, testEhlo),
    'mail-hosts-differ': judgeDifferences(hosts),
  };
}

function testPublic({ seen, addresses }: HostFacts): Finding {
  if (addresses.length > 0) return 'holds';
  return seen.failure?.code === 'target-address-not-allowed'
    ? { found: { host: seen.host } }
    : unseen(seen.failure?.reason ?? 'it has no address');
}

/** Whether something was there at all, willing or not. */
function isThere({ answer: { fault } }: AddressFacts): boolean {
  return fault !== 'unreachable' && fault !== 'unseen';
}

function testHost({ seen, addresses }: HostFacts): Finding {
  if (addresses.some(isThere)) return 'holds';
  const [first] = addresses;
  if (first === undefined) return unseen(seen.failure?.reason ?? 'it has no address');
  const open = addresses.find(({ answer }) => answer.fault === 'unseen');
  if (open) return unseen(open.answer.reason);
  return { found: { host: seen.host, reason: first.answer.reason } };
}

/** Each address counts here: one that we have no way to may be dead. */
function testAddresses({ addresses }: HostFacts): readonly Finding[] {
  if (addresses.length < 2 || !addresses.some(isThere)) return ['not-applicable'];
  const findings = addresses.map((one) => {
    const { fault, reason } = one.answer;
    return fault === 'unseen' ? unseen(reason) : foundIf(fault === 'unreachable', one, { reason });
  });
  const isFound = findings.some((one) => typeof one === 'object' && 'found' in one);
  const open = findings.filter((one) => one !== 'holds');
  return isFound || open.length === 0 ? findings : open;
}

function testSmtp(one: AddressFacts): Finding {
  const { fault, reason, state } = one.answer;
  if (fault === 'not-smtp') return foundIf(true, one, { reason });
  return isThere(one) && state !== 'silent' ? 'holds' : unseen(reason);
}

function testDeclined(one: AddressFacts): Finding {
  const { fault, reason } = one.answer;
  return isThere(one) ? foundIf(fault === 'declined', one, { reason }) : unseen(reason);
}

const greetingShown = 200;

function testName(one: AddressFacts): Finding {
  const { first } = one.seen;
  if (one.answer.state !== 'ok' || first.kind !== 'talked' || first.greeting.kind !== 'reply')
    return unseen(one.answer.reason);
  const greeting = describeReply(first.greeting).slice(0, greetingShown);
  return foundIf(readName(first.greeting) === null, one, { greeting });
}

function testEhlo(one: AddressFacts): Finding {
  const { first } = one.seen;
  if (one.answer.state !== 'ok' || first.kind !== 'talked' || first.ehlo?.kind !== 'reply')
    return unseen(one.answer.reason);
  return foundIf(isUnknownCommand(first.ehlo), one, { reply: describeReply(first.ehlo) });
}

/** What may differ, in the order of its weight. */
const differences: readonly { readonly of: (one: AddressFacts) => string | null; readonly what: string }[] = [
  {
    of: ({ startTls: { state } }) => (state === 'unknown' ? null : state),
    what: 'only one of them encrypts as it should',
  },
  {
    of: ({ chain, untrusted }) => (chain === null ? null : String(untrusted === null)),
    what: 'only one of them has a certificate of a public CA for its name',
  },
  {
    of: ({ startTls }) => startTls.connection?.protocol ?? null,
    what: 'they choose different versions of TLS',
  },
  {
    of: (one) => (one.startTls.talk === null ? null : String(hasExtension(one, 'REQUIRETLS'))),
    what: 'only one of them offers REQUIRETLS',
  },
];

function hasExtension({ startTls }: AddressFacts, name: string): boolean {
  return readEhlo(startTls.talk?.ehloAfter ?? null).extensions.some((line) => line.toUpperCase() === name);
}

function judgeDifferences(hosts: readonly HostFacts[]): Verdict {
  const seen = hosts.flatMap(({ addresses }) => addresses).filter(({ answer }) => answer.state === 'ok');
  if (seen.length < 2) return 'not-applicable';
  for (const { of, what } of differences) {
    const known = seen.filter((one) => of(one) !== null);
    const [first] = known;
    const other = first && known.find((one) => of(one) !== of(first));
    if (first && other) return brokenBy([{ one: placeOf(first), other: placeOf(other), what }]);
  }
  return 'holds';
}

function placeOf({ host, seen }: AddressFacts): string {
  return `${host} (${seen.address})`;
}

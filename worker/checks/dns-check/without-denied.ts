import { isInZone } from '../../dns/name.ts';
import { heldBack } from '../../dns/not-asked.ts';
import { type Observation, unknownObservation } from '../../dns/observation.ts';
import { readAnswer } from '../../dns/read-answer.ts';
import type { DnsAnswer } from '../../probes/dns/port.ts';
import type { Hidden } from './dns/dnssec/find-hidden.ts';
import type { MailboxAnswers } from './dns/evidence.ts';
import type { DnsCheckEvidence } from './gather.ts';

const reasons = {
  hidden: 'the zone denies it, its servers have it',
  open: 'the zone denies it, and denies what its servers have',
} as const;

type Question = { readonly name: string; readonly type: string };

/**
 * The evidence without what the resolver was told is not there, and the zone's servers have: nothing is known of that. Where names are hidden,
 * nor is it of any other name that is denied, but for those that a server itself was seen not to have.
 */
export function withoutDenied(evidence: DnsCheckEvidence, hidden: readonly Hidden[]): DnsCheckEvidence {
  if (hidden.length === 0) return evidence;
  const { dns, mail } = evidence;
  const whyOpen = openDoubts(dns, hidden);
  const open = (answer: DnsAnswer): DnsAnswer => {
    const why =
      readAnswer(answer).state === 'none' ? whyOpen(answer.question, isNxdomain(answer)) : undefined;
    return why === undefined ? answer : heldBack(answer.question, why);
  };
  const openAll = <T extends object>(answers: T): T =>
    Object.fromEntries(
      Object.entries(answers).map(([key, one]) => [
        key,
        typeof one === 'object' ? open(one as DnsAnswer) : one,
      ]),
    ) as T;
  const { primary, mailbox } = dns;
  return {
    ...evidence,
    dns: {
      ...dns,
      apex: openAll(dns.apex),
      www: openAll(dns.www),
      hosts: dns.hosts.map(openAll),
      ...(primary === undefined ? {} : { primary: openAll(primary) }),
      ...(mailbox === undefined ? {} : { mailbox: openMailbox(mailbox, openAll) }),
    },
    mail: {
      ...mail,
      sights: mail.sights.map((observation) => doubt(observation, whyOpen)),
      // Whether the mail hosts may send was seen through the denial too.
      mxHosts: [],
    },
  };
}

type WhyOpen = (question: Question, isGone: boolean) => string | undefined;

function openDoubts(
  { servers, direct, domain }: DnsCheckEvidence['dns'],
  hidden: readonly Hidden[],
): WhyOpen {
  const lacking = [
    ...servers.flatMap(({ owns = [], mx }) => [...owns, ...(mx ? [mx] : [])]),
    ...direct,
  ].filter((answer) => readAnswer(answer).state === 'none');
  const hidesNames = hidden.some(({ of }) => of === 'name');
  return (question, isGone) => {
    if (!isInZone(question.name, domain)) return undefined;
    const isHidden = hidden.some(({ of, name, type }) =>
      of === 'name' ? isInZone(question.name, name) : question.name === name && question.type === type,
    );
    if (isHidden) return reasons.hidden;
    if (!isGone || !hidesNames) return undefined;
    const isLacking = ({ question: { name, type }, ...answer }: DnsAnswer) =>
      name === question.name && (type === question.type || isNxdomain(answer));
    return lacking.some(isLacking) ? undefined : reasons.open;
  };
}

function openMailbox(mailbox: MailboxAnswers, openAll: <T extends object>(answers: T) => T): MailboxAnswers {
  const { exchanges, ...own } = mailbox;
  return { ...openAll(own), exchanges: exchanges.map(openAll) };
}

function doubt(observation: Observation, whyOpen: WhyOpen): Observation {
  const { name, type, server, outcome, unchecked, again } = observation;
  const isDenied = server === undefined && (outcome === 'nodata' || outcome === 'nxdomain');
  const why = isDenied ? whyOpen({ name, type }, outcome === 'nxdomain') : undefined;
  if (why === undefined) return observation;
  return unknownObservation(
    { name, type, ...(unchecked ? { unchecked } : {}), ...(again ? { again } : {}) },
    why,
  );
}

function isNxdomain(answer: object): boolean {
  return 'rcode' in answer && answer.rcode === 'NXDOMAIN';
}

import { isInZone } from '../../dns/name.ts';
import { heldBack } from '../../dns/not-asked.ts';
import { type Observation, unknownObservation } from '../../dns/observation.ts';
import { readAnswer } from '../../dns/read-answer.ts';
import type { DnsAnswer } from '../../probes/dns/port.ts';
import type { Hidden } from './dns/dnssec/find-hidden.ts';
import type { DnsEvidence } from './dns/evidence.ts';
import type { DnsCheckEvidence } from './gather.ts';

const reasons = {
  hidden: 'the zone denies it, its servers have it',
  open: 'the zone denies it, and denies what its servers have',
} as const;

/**
 * The evidence without what the resolver was told is not there, and the zone's servers have: nothing is known of that. Where names are hidden,
 * nor is it of any other name that is denied, but for those that a server itself was seen not to have.
 */
export function withoutDenied(evidence: DnsCheckEvidence, hidden: readonly Hidden[]): DnsCheckEvidence {
  if (hidden.length === 0) return evidence;
  const { dns, mail } = evidence;
  const whyOpen = openDoubts(dns, hidden);
  const open = (value: unknown): unknown => {
    if (isDenial(value)) {
      const why = whyOpen(value.question, value.rcode === 'NXDOMAIN');
      return why === undefined ? value : heldBack(value.question, why);
    }
    if (Array.isArray(value)) return value.map(open);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, open(one)]));
  };
  const sights = mail.sights.map((observation): Observation => {
    const { name, type, server, outcome, unchecked, again } = observation;
    const isDenied = server === undefined && (outcome === 'nodata' || outcome === 'nxdomain');
    const why = isDenied ? whyOpen({ name, type }, outcome === 'nxdomain') : undefined;
    const question = { name, type, ...(unchecked ? { unchecked } : {}), ...(again ? { again } : {}) };
    return why === undefined ? observation : unknownObservation(question, why);
  });
  // Whether the mail hosts may send was seen through the denial too.
  return { ...evidence, dns: open(dns) as DnsEvidence, mail: { ...mail, sights, mxHosts: [] } };
}

type Denial = Extract<DnsAnswer, { kind: 'answer' }>;

/** What the resolver was told is not there; a name server speaks with authority, and of what it has itself. */
function isDenial(value: unknown): value is Denial {
  if (typeof value !== 'object' || value === null || !('kind' in value) || !('question' in value))
    return false;
  const answer = value as DnsAnswer;
  if (answer.kind === 'failure' || (answer.flags.aa && !answer.flags.ra)) return false;
  return readAnswer(answer).state === 'none';
}

type WhyOpen = (
  question: { readonly name: string; readonly type: string },
  isGone: boolean,
) => string | undefined;

function openDoubts({ servers, direct, domain }: DnsEvidence, hidden: readonly Hidden[]): WhyOpen {
  const own = [...servers.flatMap(({ owns = [], mx }) => [...owns, ...(mx ? [mx] : [])]), ...direct];
  const lacking = own.filter((answer) => readAnswer(answer).state === 'none');
  const hidesNames = hidden.some(({ of }) => of === 'name');
  return (question, isGone) => {
    if (!isInZone(question.name, domain)) return undefined;
    const isHidden = hidden.some(({ of, name, type }) =>
      of === 'name' ? isInZone(question.name, name) : question.name === name && question.type === type,
    );
    if (isHidden) return reasons.hidden;
    if (!isGone || !hidesNames) return undefined;
    const isLacking = lacking.some(
      (answer) =>
        answer.question.name === question.name &&
        (answer.question.type === question.type || (answer.kind === 'answer' && answer.rcode === 'NXDOMAIN')),
    );
    return isLacking ? undefined : reasons.open;
  };
}

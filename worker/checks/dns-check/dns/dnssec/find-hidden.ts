import { ownRecords, recordsAt } from '../../../../dns/read-answer.ts';
import { readAll, readRrsig, readSoa } from '../../../../dns/record-values.ts';
import type { DnsAnswer, DnsReply } from '../../../../probes/dns/port.ts';
import type { DnsEvidence, ServerAnswers } from '../evidence.ts';
import { readDnsFacts } from '../facts.ts';
import { denialRecordsIn, labelsOf } from './denial-records.ts';
import { signerOf } from './read-denial.ts';
import { checkRecords, readSigning, type Signer } from './read-signing.ts';
import { faultIn } from './set-faults.ts';
import { type Speaks, speakingOf } from './speaks-of.ts';

/** What a server has, and its own signed proofs say is not there: a whole name, or one type of it. */
export type Hidden = {
  readonly name: string;
  readonly type: string;
  readonly of: 'name' | 'type';
  readonly server: string;
  readonly ip: string;
};

/**
 * Finds what the zone's denial hides. Each server is held against itself, at one serial: what another one has, a late secondary or another signer
 * (RFC 8901), is another fault. Validators that use what was proven before (RFC 8198) answer from the denial, and never ask for what is there.
 */
export function findHidden(evidence: DnsEvidence): readonly Hidden[] {
  const suspected = evidence.servers.filter((server) => hiddenAt(server, evidence, recordsOf).length > 0);
  // Signatures are looked at only where there is something to say.
  if (suspected.length === 0) return [];
  const facts = readDnsFacts(evidence);
  const signing = readSigning(facts);
  return suspected.flatMap((server) => {
    const own = signing.servers.find(({ ip }) => ip === server.address)?.keys;
    const keys = own && own.length > 0 ? own : signing.keys;
    const signer = signerOf(facts, keys);
    return hiddenAt(server, evidence, (answer) => signedIn(answer, signer));
  });
}

type Records = (answer: DnsReply) => DnsReply['authority'];

const recordsOf: Records = ({ authority }) => authority;

function signedIn({ authority }: DnsReply, signer: Signer): DnsReply['authority'] {
  return denialRecordsIn(authority).filter(
    (record) => faultIn({ signatures: checkRecords(authority, record, signer) }) === undefined,
  );
}

function hiddenAt(server: ServerAnswers, evidence: DnsEvidence, records: Records): readonly Hidden[] {
  const { absentName, absentType, proofs = [] } = server;
  const denials = [absentName, absentType, ...proofs].flatMap((answer): readonly Speaks[] =>
    answer?.kind === 'answer' && answer.flags.aa && isAtSerial(answer, server.soa)
      ? [speakingOf(records(answer), evidence.domain)]
      : [],
  );
  if (denials.length === 0) return [];
  const hidden = ownOf(server, evidence).flatMap(({ question }): readonly Hidden[] => {
    const of = denials.map((speaks) => speaks(question)).find((said) => said !== undefined);
    return of === undefined ? [] : [{ ...question, of, server: server.name, ip: server.address }];
  });
  return [...new Map(hidden.map((one) => [`${one.type} ${one.name}`, one])).values()];
}

// A transfer may come between two questions.
function isAtSerial({ authority }: DnsReply, soa: DnsAnswer): boolean {
  const [there] = readAll(
    authority.filter(({ type }) => type === 'SOA'),
    readSoa,
  );
  const [now] = readAll(ownRecords(soa), readSoa);
  return there === undefined || now === undefined || there.serial === now.serial;
}

/** What the server itself has: records under the name that was asked for, not those of a wildcard, whose own name is not there (RFC 4035 §3.1.3.3). */
function ownOf(
  { address, soa, ns, mx, plainMx, owns = [] }: ServerAnswers,
  { direct, domain }: DnsEvidence,
): readonly DnsReply[] {
  const apex = [soa, ns, mx, plainMx, ...direct.filter(({ server }) => server === address)];
  return [...apex, ...owns].flatMap((answer) => {
    if (answer?.kind !== 'answer' || !answer.flags.aa || answer.rcode !== 'NOERROR') return [];
    const { question, answers } = answer;
    const type = [question.type, 'CNAME'].find((one) => recordsAt(answers, question.name, one).length > 0);
    if (type === undefined || answers.some((record) => record.type === 'DNAME')) return [];
    if (question.name === domain) return [answer];
    const labels = readAll(recordsAt(answers, question.name, 'RRSIG'), readRrsig)
      .filter(({ typeCovered }) => typeCovered === type)
      .map((rrsig) => rrsig.labels);
    const isOwn = labels.length > 0 && Math.min(...labels) === labelsOf(question.name)?.length;
    return isOwn ? [answer] : [];
  });
}

import { brokenBy, isMalformed, notTested, type Verdict } from '#shared/model/verdict';
import { readObservation } from '../../../../dns/observation.ts';
import { foundRecords, readAnswer } from '../../../../dns/read-answer.ts';
import { readMailbox } from '../../../../dns/read-mailbox.ts';
import { readAll, readMx } from '../../../../dns/record-values.ts';
import { openZone, observationKey, type Zone } from '../../../../dns/zone.ts';
import type { HostAnswers, MailboxAnswers } from '../evidence.ts';
import { parseMailboxName } from './parse-mailbox-name.ts';

/**
 * Judges whether the mail address that RNAME stands for can get mail (RFC 5321 §5.1, RFC 7505): by the hosts that MX names, else by
 * the addresses of the mail domain itself.
 * @param answers what was asked of the resolver's RNAME; another RNAME of the name servers was not asked about
 */
export function judgeMailbox(rname: string, answers: MailboxAnswers | undefined): Verdict {
  const mailbox = parseMailboxName(rname);
  if (isMalformed(mailbox)) return 'not-applicable';
  const host = mailbox.domain.toLowerCase();
  if (answers?.name !== host) return notTested(`the resolver did not give ${host} as the mail domain`);
  const found = findFault(answers);
  if (found === null) return 'holds';
  if ('unseen' in found) return notTested(found.unseen);
  return brokenBy([{ mail: `${mailbox.local}@${host}`, host, found: found.fault }]);
}

/** A sentence's end: what keeps mail away, or what was not answered; null where mail arrives. */
type MailboxFault = { readonly fault: string } | { readonly unseen: string } | null;

function findFault(answers: MailboxAnswers): MailboxFault {
  const { takes, why } = readMailbox(zoneOf(answers), answers.name);
  if (takes === false) return { fault: why };
  const mx = readAnswer(answers.MX);
  if (mx.state === 'unknown') return { unseen: `MX of ${answers.name}: ${mx.why}` };
  if (mx.state === 'none') return findHostFault([answers], '');
  const names = readAll(foundRecords(mx), readMx).map(({ exchange }) => exchange.toLowerCase());
  if (names.length === 0) return { unseen: `the MX records of ${answers.name} cannot be read` };
  const { exchanges } = answers;
  const asked = exchanges.map(({ name }) => name);
  const isWhole = names.every((exchange) => exchange === '' || asked.includes(exchange));
  const fault = findHostFault(exchanges, `has no mail host with an address (${asked.join(', ')})`);
  if (fault === null || 'unseen' in fault || isWhole) return fault;
  return { unseen: `only ${asked.length} of its mail hosts were asked` };
}

function zoneOf({ name, MX, A, AAAA }: MailboxAnswers): Zone {
  const types = { MX, A, AAAA };
  const observations = Object.entries(types).map(([type, answer]) => readObservation({ name, type }, answer));
  return openZone(new Map(observations.map((observation) => [observationKey(observation), observation])));
}

// One address is enough, whatever else was not answered.
function findHostFault(hosts: readonly HostAnswers[], fault: string): MailboxFault {
  const readings = hosts.flatMap(({ name, A, AAAA }) =>
    [A, AAAA].map((answer) => ({ name, reading: readAnswer(answer) })),
  );
  if (readings.some(({ reading }) => reading.state === 'found')) return null;
  for (const { name, reading } of readings)
    if (reading.state === 'unknown') return { unseen: `the address of ${name}: ${reading.why}` };
  return { fault };
}

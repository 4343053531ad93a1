import { isMalformed } from '#shared/model/verdict';
import { foundRecords, ownRecords, readAnswer } from '../../../../dns/read-answer.ts';
import { readAll, readMx, readSoa, readText } from '../../../../dns/record-values.ts';
import type { DnsAnswer } from '../../../../probes/dns/port.ts';
import type { HalfContext, SharedAnswers } from '../../halves.ts';
import { askHost } from '../ask-host.ts';
import type { ApexAnswers, HostAnswers, MailboxAnswers } from '../evidence.ts';
import { parseMailboxName } from './parse-mailbox-name.ts';

/** Hosts of the mail domain that are asked for; one that has an address is enough. */
const exchangeLimit = 5;

// As the mail half asks of its own hosts, so that a domain that names itself costs no question more.
const how = { dnssecOk: true } as const;

/** Asks whether the mail domain of the SOA's RNAME takes mail: beside the name servers, in the two rounds that they take. */
export async function gatherMailbox(
  context: HalfContext,
  known: SoaInputs,
): Promise<MailboxAnswers | undefined> {
  const name = await mailDomain(known);
  if (name === undefined) return undefined;
  const { ask } = context;
  const mx = ask({ name, type: 'MX' }, how);
  const [MX, host, exchanges] = await Promise.all([
    mx,
    askHost(context, name, how),
    mx.then(async (answer) =>
      Promise.all(exchangesOf(answer).map(async (exchange) => askHost(context, exchange, how))),
    ),
  ]);
  return { ...host, MX, exchanges };
}

/** The hosts of an MX answer that are asked for, the preferred ones first; a null MX names none. */
function exchangesOf(answer: DnsAnswer): readonly string[] {
  const records = readAll(foundRecords(readAnswer(answer)), readMx);
  const sorted = records.toSorted((a, b) => a.preference - b.preference);
  const names = sorted.map(({ exchange }) => exchange.toLowerCase()).filter((exchange) => exchange !== '');
  return [...new Set(names)].slice(0, exchangeLimit);
}

// Where the resolver refuses a bogus SOA, it gives it without checking.
async function mailDomain({ shared, unchecked }: SoaInputs): Promise<string | undefined> {
  const answer = await shared.apex.SOA;
  const again = readAnswer(answer).state === 'unknown' ? (await unchecked).SOA : undefined;
  const [soa] = readAll(ownRecords(again ?? answer), readSoa);
  const mailbox = soa && parseMailboxName(soa.rname);
  return mailbox === undefined || isMalformed(mailbox) ? undefined : mailbox.domain.toLowerCase();
}

/** Looks up the primary server that the SOA names, in the round of the name servers' addresses. One that is a name server is looked up there. */
export async function gatherPrimary(
  context: HalfContext,
  { shared, unchecked }: SoaInputs,
): Promise<HostAnswers | undefined> {
  const [soaAnswer, nsAnswer] = await Promise.all([shared.apex.SOA, shared.apex.NS]);
  const again = readAnswer(soaAnswer).state === 'unknown' ? (await unchecked).SOA : undefined;
  const [soa] = readAll(ownRecords(again ?? soaAnswer), readSoa);
  const name = soa?.mname.toLowerCase() ?? '';
  if (name === '' || readAll(ownRecords(nsAnswer), readText).includes(name)) return undefined;
  return askHost(context, name, { checkingDisabled: true });
}

/** What was asked already when the names of an SOA are looked up. */
type SoaInputs = { readonly shared: SharedAnswers; readonly unchecked: Promise<Partial<ApexAnswers>> };

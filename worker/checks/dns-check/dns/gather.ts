import { randomBytes } from 'node:crypto';
import { ancestorsOf } from '../../../dns/name.ts';
import { ownRecords } from '../../../dns/read-answer.ts';
import type { DnsAnswer, DnsAskOptions } from '../../../probes/dns/port.ts';
import { type ApexType, apexTypes, type HalfContext, type SharedAnswers } from '../halves.ts';
import { gatherCaaFailure } from './caa/failure.ts';
import type { Ancestor, ApexAnswers, DnsEvidence } from './evidence.ts';
import { gatherDelegation, isDenied } from './ns/gather-delegation.ts';
import { gatherTargets } from './records/binding-targets.ts';
import { gatherMailbox, gatherPrimary } from './soa/gather-mailbox.ts';

/** How many names above the domain are asked, the nearest first; a name of more labels is made to cost questions. */
const ancestorLimit = 16;

/**
 * Looks at a domain's records, its parent and its name servers. What does not hang on another answer is asked at once:
 * the domain and the names above it; then the name servers' addresses, and the mail domain that the SOA names; then each of them
 * directly, the parent's, and the hosts of that mail domain; a fourth round only for servers that the parent alone knows.
 */
export async function gatherDns(context: HalfContext, shared: SharedAnswers): Promise<DnsEvidence> {
  const askedAtS = Math.floor(Date.now() / 1000);
  const { domain, ask } = context;
  const ancestors = Promise.all(
    ancestorsOf(domain)
      .filter((name, at) => at < ancestorLimit || name === '')
      .map((name) => askAncestor(context, name)),
  );
  const unchecked = askAgain(context, shared, { dnssecOk: true, checkingDisabled: true });
  const random = `${randomBytes(8).toString('hex')}.${domain}`;
  const [apex, withoutCheck, secondTry, above, root, wwwA, wwwAaaa, randomA, delegation, named] =
    await Promise.all([
      allApex(shared),
      unchecked,
      askAgain(context, shared, { dnssecOk: false }),
      ancestors,
      ask({ name: '', type: 'SOA' }, { dnssecOk: true }),
      ask({ name: `www.${domain}`, type: 'A' }),
      ask({ name: `www.${domain}`, type: 'AAAA' }),
      ask({ name: random, type: 'A' }),
      gatherDelegation(context, { shared, unchecked, ancestors }),
      gatherNamed(context, { shared, unchecked }),
    ]);
  const found = isDenied(apex.SOA, await shared.exists)
    ? await askOwnServer(context, delegation.servers)
    : {};
  return {
    domain,
    askedAtS,
    apex,
    unchecked: { ...withoutCheck, ...found },
    secondTry,
    root,
    ancestors: above,
    www: { A: wwwA, AAAA: wwwAaaa },
    random: randomA,
    ...delegation,
    ...named,
  };
}

// Other names that records of the domain lead to.
async function gatherNamed(
  context: HalfContext,
  known: Parameters<typeof gatherMailbox>[1],
): Promise<Pick<DnsEvidence, 'mailbox' | 'primary' | 'bindingTargets' | 'caa'>> {
  const [mailbox, primary, bindingTargets, caa] = await Promise.all([
    gatherMailbox(context, known),
    gatherPrimary(context, known),
    gatherTargets(context, known.shared.apex.HTTPS),
    gatherCaaFailure(context),
  ]);
  return {
    ...(mailbox === undefined ? {} : { mailbox }),
    ...(primary === undefined ? {} : { primary }),
    bindingTargets,
    ...(caa === undefined ? {} : { caa }),
  };
}

// The resolver asked a server of the parent that denies the domain; its own servers tell what others see.
async function askOwnServer(
  { domain, ask }: HalfContext,
  servers: DnsEvidence['servers'],
): Promise<Partial<ApexAnswers>> {
  const server = servers.find(({ soa }) => ownRecords(soa).length > 0)?.address;
  if (server === undefined) return {};
  const asked = apexTypes
    // The parent's own record.
    .filter((type) => type !== 'DS')
    .map(async (type) => [type, await ask({ name: domain, type }, { server, dnssecOk: true })] as const);
  return Object.fromEntries(await Promise.all(asked));
}

async function allApex({ apex }: SharedAnswers): Promise<ApexAnswers> {
  const answers = await Promise.all(apexTypes.map(async (type) => [type, await apex[type]] as const));
  return Object.fromEntries(answers) as ApexAnswers;
}

async function askAncestor({ ask }: HalfContext, name: string): Promise<Ancestor> {
  const [ns, caa] = await Promise.all([
    ask({ name, type: 'NS' }),
    name === '' ? null : ask({ name, type: 'CAA' }),
  ]);
  return { name, ns, caa };
}

// A validating resolver answers SERVFAIL for what is bogus, and hands it out when checking is disabled (RFC 4035 §3.2.2).
// It answers SERVFAIL also when the servers were slow; so the question is put once more as it was, without DO only because
// equal questions of a run are asked once.
async function askAgain(
  { domain, ask }: HalfContext,
  { apex }: SharedAnswers,
  options: DnsAskOptions,
): Promise<Partial<ApexAnswers>> {
  const answers = await Promise.all(
    apexTypes.map(async (type): Promise<readonly [ApexType, DnsAnswer] | undefined> => {
      const answer = await apex[type];
      if (answer.kind === 'failure' || answer.rcode !== 'SERVFAIL') return undefined;
      return [type, await ask({ name: domain, type }, options)];
    }),
  );
  return Object.fromEntries(answers.filter((answer) => answer !== undefined));
}

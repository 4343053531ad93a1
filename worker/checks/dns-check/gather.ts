import { dnsCheckOptions } from '#shared/catalogue/dns-check/options';
import { type HeldBack, openQuestions } from '../../dns/questions.ts';
import { readAnswer } from '../../dns/read-answer.ts';
import type { DnsAnswer } from '../../probes/dns/port.ts';
import type { GatherContext } from '../check.ts';
import type { DnsEvidence } from './dns/evidence.ts';
import { gatherDns } from './dns/gather.ts';
import { apexTypes, type HalfContext, type SharedAnswers } from './halves.ts';
import type { MailEvidence } from './mail/evidence.ts';
import { gatherMail } from './mail/gather.ts';

/** What the whole check has seen, half by half. */
export type DnsCheckEvidence = {
  readonly dns: DnsEvidence;
  readonly mail: MailEvidence;
  /** Absent in evidence that was kept before there were limits. */
  readonly heldBack?: HeldBack;
};

/** The run limit is 15 s; what has not come by then is reported as not looked at. */
const deadlineMs = 11_000;

/** Gathers both halves at the same time, over one set of shared answers. */
export async function gatherDnsCheck({
  target,
  options,
  probes,
  progress,
}: GatherContext): Promise<DnsCheckEvidence> {
  const questions = openQuestions({ dns: probes.dns, target, policy: probes.policy, progress, deadlineMs });
  try {
    const context: HalfContext = {
      domain: target,
      options: dnsCheckOptions.parse(options),
      ask: questions.ask,
      probes,
    };
    const shared = askShared(context);
    const [dns, mail] = await Promise.all([gatherDns(context, shared), gatherMail(context)]);
    const heldBack = questions.heldBack();
    return { dns: { ...dns, refused: heldBack.refused }, mail, heldBack };
  } finally {
    questions.close();
  }
}

// Sent, and not waited for.
function askShared({ domain, ask }: HalfContext): SharedAnswers {
  const apex = Object.fromEntries(
    apexTypes.map((type) => [type, ask({ name: domain, type }, { dnssecOk: true })] as const),
  ) as SharedAnswers['apex'];
  return { apex, exists: apex.SOA.then((soa) => !isNxdomain(soa)) };
}

// An alias that leads nowhere is there itself.
function isNxdomain(answer: DnsAnswer): boolean {
  const reading = readAnswer(answer);
  return reading.state === 'none' && reading.nxdomain && reading.aliases.length === 0;
}

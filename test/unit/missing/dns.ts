import type { DnsCheckEvidence } from '../../../worker/checks/dns-check/gather.ts';
import { gatherMail } from '../../../worker/checks/dns-check/mail/gather.ts';
import type { HttpAnswer } from '../../../worker/probes/http/port.ts';
import { cases } from '../dns-check/cases.ts';
import { goodWorld } from '../dns-check/good-world.ts';
import { cases as mailCases } from '../dns-check/mail/cases.ts';
import { goodPolicy } from '../dns-check/mail/good-zone.ts';
import { bodyOf, contextOf, stubDns, stubWeb } from '../dns-check/mail/zone-literal.ts';
import { gatherIn } from '../dns-check/run-check.ts';
import { kept, type Lost, namesIn, replaceIn, type Sight } from './lost.ts';

const why = 'no answer within 3 tries';
type Part = Parameters<Parameters<typeof replaceIn>[1]>[0];
type Question = { readonly name: string; readonly type: string };

/** The question that an answer is of, and whom it was asked; undefined for what is no answer. */
function askedIn(part: Part): { readonly question: Question; readonly server: string } | undefined {
  const { kind, question, server, outcome, name, type } = part;
  if (kind === 'answer' || (kind === 'failure' && question !== undefined))
    return { question: question as Question, server: String(server) };
  if (outcome === undefined) return undefined;
  return { question: { name: String(name), type: String(type) }, server: String(server ?? '') };
}

function lose(part: Part): object {
  const { outcome, question, server } = part;
  if (outcome !== undefined) return { ...part, outcome: 'unknown', records: [], secure: false, why };
  return { kind: 'failure', question, code: 'timeout', reason: why, server };
}

/** Each question without its answers, each server silent, and each of the files that mail has on the web. */
export function withoutAnswers(evidence: DnsCheckEvidence): Lost<DnsCheckEvidence> {
  const questionOf = (part: Part) => {
    const asked = askedIn(part);
    return asked && `${asked.question.type} of ${asked.question.name}`;
  };
  const serverOf = (part: Part) => askedIn(part)?.server;
  const without = (nameOf: (part: Part) => string | undefined) =>
    namesIn(evidence, nameOf).map(
      (name) =>
        [name, replaceIn(evidence, (part) => (nameOf(part) === name ? lose(part) : undefined))] as const,
    );
  const { mail } = evidence;
  return [
    ...without(questionOf),
    ...without(serverOf),
    [
      'the policy file',
      {
        ...evidence,
        mail: {
          ...mail,
          policy: mail.policy && { kind: 'failure', code: 'connection-timeout', reason: why },
        },
      },
    ],
  ];
}

export async function dnsSights(): Promise<readonly Sight<DnsCheckEvidence>[]> {
  const sights: Sight<DnsCheckEvidence>[] = [];
  for (const { name, change, domain } of cases) {
    const evidence = await gatherIn(goodWorld(change), domain);
    sights.push({ name, evidence, lost: () => withoutAnswers(evidence) });
  }
  const good = await gatherIn(goodWorld({}));
  for (const {
    name,
    zone,
    options = {},
    http = {},
    web,
    isSigned = true,
    unsigned = [],
    lame = [],
  } of mailCases) {
    const answer = { body: bodyOf(goodPolicy), ...http } as HttpAnswer;
    const context = contextOf(stubDns(zone, { isSigned, unsigned, lame }), stubWeb(answer, web), options);
    const evidence = kept({ ...good, mail: await gatherMail(context) });
    sights.push({
      name,
      evidence,
      lost: () => withoutAnswers({ ...evidence, dns: { ...evidence.dns, servers: [], direct: [] } }),
    });
  }
  return sights;
}

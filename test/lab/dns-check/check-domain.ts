import { readConfig } from '#shared/settings/config';
import { dnsCheck } from '../../../worker/checks/dns-check/index.ts';
import type { SpentBudget } from '../../../worker/probes/budget.ts';
import type { DnsAnswer, DnsProbe } from '../../../worker/probes/dns/port.ts';
import { prepareProbesOf } from '../../../worker/start/probe-settings.ts';

/** Gathers over real sockets, and judges. */
export async function checkDomain(domain: string, settings: Record<string, string>) {
  return dnsCheck.assess((await gatherDomain(domain, settings)).evidence);
}

/** Gathers over real sockets; with the bytes of all answers, and the budgets that ran out. */
export async function gatherDomain(domain: string, settings: Record<string, string>) {
  const probes = prepareProbesOf(readConfig(settings));
  const opened = probes.open(new AbortController().signal);
  const answers = new Set<DnsAnswer>();
  const dns: DnsProbe = {
    ...opened.dns,
    async ask(question, options) {
      const answer = await opened.dns.ask(question, options);
      answers.add(answer);
      return answer;
    },
  };
  try {
    const evidence = await dnsCheck.gather({
      target: domain,
      options: {},
      probes: { ...opened, dns },
      progress: () => undefined,
    });
    const sizes = [...answers].map((answer) => (answer.kind === 'answer' ? answer.sizeBytes : 0));
    const spent: readonly SpentBudget[] = opened.spent();
    return { evidence, answerBytes: sizes.reduce((sum, size) => sum + size, 0), spent };
  } finally {
    opened.close();
    probes.close();
  }
}

import type { DnsAnswer, DnsReply } from './port.ts';

/** The texts among an answer's records of the type: names, or addresses. */
export function textsIn(answer: DnsAnswer, type: string): readonly string[] {
  if (answer.kind === 'failure') return [];
  return answer.answers.flatMap((record) =>
    record.type === type && typeof record.data === 'string' ? [record.data] : [],
  );
}

/** Where the aliases of an answer lead, in the order in which they follow each other from the name that was asked for. */
export function aliasesIn({ question, answers }: DnsReply): readonly string[] {
  const found = new Set<string>();
  for (let name = question.name.toLowerCase(); ;) {
    const alias = answers.find((record) => record.type === 'CNAME' && record.name === name)?.data;
    if (typeof alias !== 'string' || found.has(alias)) return [...found];
    found.add(alias);
    name = alias;
  }
}

/** Whether a response code says something of the name: that it is there, or that it is not. */
export function isSaid(rcode: string): boolean {
  return rcode === 'NOERROR' || rcode === 'NXDOMAIN';
}

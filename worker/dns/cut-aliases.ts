import type { DnsAnswer, DnsRecord } from '../probes/dns/port.ts';

/**
 * Takes out of an answer what stands behind an alias to a name that is not public: a resolver follows it without asking us, and may know
 * names of its own network. The alias stays; what it leads to does not exist in the public DNS.
 */
export function cutAtRefusedAlias(answer: DnsAnswer, isRefused: (name: string) => boolean): DnsAnswer {
  // Behind the alias that was asked for itself stands nothing.
  if (answer.kind === 'failure' || answer.question.type === 'CNAME') return answer;
  const { owners, isCut } = followPublic(answer.answers, answer.question.name.toLowerCase(), isRefused);
  if (!isCut) return answer;
  const answers = answer.answers.filter(({ name }) => owners.has(name));
  return {
    ...answer,
    rcode: 'NXDOMAIN',
    flags: { ...answer.flags, ad: false },
    answers,
    authority: [],
    additional: [],
  };
}

function followPublic(
  records: readonly DnsRecord[],
  start: string,
  isRefused: (name: string) => boolean,
): { readonly owners: ReadonlySet<string>; readonly isCut: boolean } {
  const owners = new Set<string>();
  for (let name = start; !owners.has(name);) {
    owners.add(name);
    const alias = records.find((record) => record.type === 'CNAME' && record.name === name)?.data;
    if (typeof alias !== 'string') break;
    if (isRefused(alias)) return { owners, isCut: true };
    name = alias;
  }
  return { owners, isCut: false };
}

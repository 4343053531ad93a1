import type { DnsAnswer, DnsRecord } from '../probes/dns/port.ts';

/**
 * Finds the record that names a host, among answers of a run.
 * @param host in lower case
 * @returns type and owner, such as "MX of example.com"; null where no record spells it out, as with a macro
 */
export function findOrigin(answers: readonly DnsAnswer[], host: string): string | null {
  const record = answers
    .flatMap((answer) => (answer.kind === 'answer' ? answer.answers : []))
    .find((one) => namesIn(one).some((name) => name === host || name.endsWith(`.${host}`)));
  return record === undefined ? null : `${record.type} of ${record.name}`;
}

// Where each type has names (RFC 1035 §3.3, RFC 9460 §2.1); any word of a text may be one.
const nameFields = ['exchange', 'mname', 'rname', 'target'];

function namesIn({ data }: DnsRecord): readonly string[] {
  if (typeof data === 'string') return [data.toLowerCase()];
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data).flatMap(([field, value]) => {
    if (typeof value !== 'string') return [];
    if (field === 'text') return value.toLowerCase().split(/[^a-z0-9._-]+/);
    return nameFields.includes(field) ? [value.toLowerCase()] : [];
  });
}

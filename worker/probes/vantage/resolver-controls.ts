import { randomBytes } from 'node:crypto';
import type { DnsAnswer } from '../dns/port.ts';
import { textsIn } from '../dns/read-reply.ts';
import { ipv4OnlyName, readPrefixes } from './nat64.ts';
import type { ControlNotes, ControlWire, Outcome } from './port.ts';

/** What is asked of this machine's own resolver, to learn what it does to answers. */
export type ResolverControls = {
  answers(): Promise<Outcome>;
  /** Whether it answers for all types of records. */
  types(): Promise<Outcome>;
  /** Whether it says that a name does not exist, and only of one that does not. */
  honest(): Promise<{ readonly outcome: Outcome; readonly rewrites: readonly string[] }>;
  /** What it adds to answers. */
  learn(): Promise<void>;
};

/** Opens them. */
export function openResolverControls(wire: ControlWire, notes: ControlNotes): ResolverControls {
  const hidden = [
    { name: '', type: 'DNSKEY', isThere: true },
    { name: 'com', type: 'DS', isThere: true },
    { name: '', type: 'CAA', isThere: false },
    { name: '', type: 'HTTPS', isThere: false },
  ];
  const honest = () => askForTruth(wire, notes);
  return {
    honest,
    async answers(): Promise<Outcome> {
      if (!notes.mayAsk()) return 'unsure';
      const answer = await wire.askResolver({ name: '', type: 'NS' }, { edns: false });
      return answer.kind === 'answer' && isSaid(answer.rcode) ? 'works' : 'fails';
    },
    async types(): Promise<Outcome> {
      const answers = await Promise.all(
        hidden.map(async ({ name, type, isThere }) => {
          if (!notes.mayAsk()) return 'unsure';
          const answer = await wire.askResolver({ name, type });
          if (answer.kind === 'failure') return 'unsure';
          if (answer.rcode === 'NOTIMP') return 'fails';
          const isEmpty = answer.rcode === 'NOERROR' && textTypes(answer, type) === 0;
          return isThere && isEmpty ? 'fails' : 'works';
        }),
      );
      return answers.find((one) => one === 'fails') ?? answers.find((one) => one === 'unsure') ?? 'works';
    },
    async learn(): Promise<void> {
      const [{ rewrites }, mapped] = await Promise.all([
        honest(),
        notes.mayAsk() ? wire.askResolver({ name: ipv4OnlyName, type: 'AAAA' }) : undefined,
      ]);
      const nat64 = mapped ? readPrefixes(textsIn(mapped, 'AAAA')) : [];
      notes.keepTraits({ rewrites, nat64 });
    },
  };
}

async function askForTruth(wire: ControlWire, notes: ControlNotes): ReturnType<ResolverControls['honest']> {
  if (!notes.mayAsk()) return { outcome: 'unsure', rewrites: [] };
  const name = `${randomBytes(9).toString('hex')}.com`;
  const [answer, six, above] = await Promise.all([
    wire.askResolver({ name, type: 'A' }),
    notes.mayAsk() ? wire.askResolver({ name, type: 'AAAA' }) : undefined,
    notes.mayAsk() ? wire.askResolver({ name: 'com', type: 'NS' }) : undefined,
  ]);
  const rewrites = [...textsIn(answer, 'A'), ...(six ? textsIn(six, 'AAAA') : [])];
  if (rewrites.length > 0 || (above && isDenial(above))) return { outcome: 'fails', rewrites };
  return { outcome: isDenial(answer) ? 'works' : 'unsure', rewrites };
}

function isDenial(answer: DnsAnswer): boolean {
  return answer.kind === 'answer' && answer.rcode === 'NXDOMAIN';
}

function isSaid(rcode: string): boolean {
  return rcode === 'NOERROR' || rcode === 'NXDOMAIN';
}

function textTypes(answer: DnsAnswer & { readonly kind: 'answer' }, type: string): number {
  return answer.answers.filter((record) => record.type === type).length;
}

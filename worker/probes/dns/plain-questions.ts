import type { DnsAnswer, DnsAskOptions, DnsQuestion } from './port.ts';

/** How questions of a run are asked, before anybody asks whose failure it was. */
export type PlainQuestions = {
  resolver(question: DnsQuestion, options: DnsAskOptions): Promise<DnsAnswer>;
  server(address: string, question: DnsQuestion, options: DnsAskOptions): Promise<DnsAnswer>;
};

/** Whether the guard refuses to dial an address. */
export type IsRefusedAddress = (address: string) => boolean;

/** What stands for an answer that cannot be had from here. */
export function notFromHere(question: DnsQuestion, reason: string, server = ''): DnsAnswer {
  return { kind: 'failure', question, code: 'not-from-here', reason, server };
}

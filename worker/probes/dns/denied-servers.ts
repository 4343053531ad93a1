import { type DeniedNames, deniedWhy } from '#shared/targets/denied-names';
import type { DnsAnswer, DnsQuestion, DnsRecord, DnsTransfer } from './port.ts';

/** Name servers that the operator was asked not to send anything to, known by the addresses that answers gave their names. */
export type DeniedServers = {
  /** Asks, unless it would be one of them, and notes what the answer tells of them. @param asked `server`: left out where a resolver is asked */
  ask(asked: ServerQuestion, act: () => Promise<DnsAnswer>): Promise<DnsAnswer>;
  has(server: string): boolean;
};
type ServerQuestion = { readonly question: DnsQuestion; readonly server: string | undefined };

/** Opens them for one run: what it asks a name server for by its address, an earlier answer has told it. */
export function openDeniedServers(denied: DeniedNames | undefined): DeniedServers {
  const servers = new Set<string>();
  const add = ({ type, data }: DnsRecord) => {
    if ((type === 'A' || type === 'AAAA') && typeof data === 'string') servers.add(data);
  };
  const note = (names: DeniedNames, { question, answers, additional }: DnsAnswer & { kind: 'answer' }) => {
    const aliases = answers.flatMap(({ type, data }) =>
      type === 'CNAME' && typeof data === 'string' ? [data] : [],
    );
    // What a chain of aliases ends at has all of its names.
    const isDenied = [question.name, ...aliases].some((name) => names.covers(name));
    for (const record of answers) if (isDenied || names.covers(record.name)) add(record);
    for (const record of additional) if (names.covers(record.name)) add(record);
  };
  return {
    async ask({ question, server }, act) {
      if (server !== undefined && servers.has(server)) return notAsked(question, server);
      const answer = await act();
      if (denied && answer.kind === 'answer') note(denied, answer);
      return answer;
    },
    has: (server) => servers.has(server),
  };
}

/** What stands for the answer of such a server. Its code says that nothing was asked, so that nothing is concluded. */
function notAsked(question: DnsQuestion, server: string): DnsAnswer {
  return { kind: 'failure', question, code: 'budget-spent', reason: `the name server ${deniedWhy}`, server };
}

/** What stands for the transfer of a zone from such a server. */
export const noTransfer: DnsTransfer = {
  kind: 'failure',
  code: 'target-not-allowed',
  reason: `the name server ${deniedWhy}`,
};

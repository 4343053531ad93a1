// Errors of TLS as OpenSSL and Node name them: of the handshake, and of the certificate.
const ofTls =
  /^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|HOSTNAME_MISMATCH|INVALID_CA)/;

const closed = 'it closed the connection at once: perhaps one side speaks TLS and the other does not';
const meanings: { readonly [code: string]: string } = {
  ECONNREFUSED: 'nothing listens there (ECONNREFUSED)',
  ENOTFOUND: 'the DNS does not know its name (ENOTFOUND)',
  EAI_AGAIN: 'the DNS does not answer for its name (EAI_AGAIN)',
  EHOSTUNREACH: 'no route leads there (EHOSTUNREACH)',
  ENETUNREACH: 'no route leads there (ENETUNREACH)',
  ECONNRESET: closed,
  EPIPE: closed,
};

/** Says in a few words why a server could not be reached, from the error of a client or the cause of it. */
export function sayConnectionFault(error: unknown): string {
  const chain = chainOf(error);
  for (const { code = '' } of chain) {
    if (ofTls.test(code)) return `TLS fails (${code}): see NODE_EXTRA_CA_CERTS for an authority of your own`;
    const meaning = meanings[code];
    if (meaning !== undefined) return meaning;
  }
  const words = chain.map(({ message }) => message).join(' ');
  if (/time[d ]*out|no answer/i.test(words)) return 'it does not answer in time';
  if (/topology is closed/i.test(words)) return 'it is not connected yet';
  if (/closed/i.test(words)) return closed;
  return chain[0]?.message.split('\n')[0] ?? String(error);
}

function chainOf(error: unknown): readonly NodeJS.ErrnoException[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < 5; at = at.cause) chain.push(at);
  // Every address of a name was tried: the first one stands for all.
  return chain.flatMap((each) =>
    each instanceof AggregateError ? [each, ...each.errors.slice(0, 1)] : each,
  );
}

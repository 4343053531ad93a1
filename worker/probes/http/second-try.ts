import type { HttpAnswer } from './port.ts';

/**
 * Faults of grammar that browsers accept, by the code of Node's parser. Node reads them with `insecureHTTPParser` only, or only once the head
 * was written anew, and then also accepts what browsers refuse: so nothing is read so that was not refused for one of these first.
 */
const accepted: { readonly [parserCode: string]: string } = {
  HPE_CR_EXPECTED: 'a line ends with LF alone',
  HPE_LF_EXPECTED: 'a line has a CR that is not followed by LF',
  HPE_INVALID_HEADER_TOKEN:
    'a header line has a character that it must not have, or no colon, or it is folded',
  HPE_UNEXPECTED_SPACE: 'the first header line begins with a space',
  HPE_INVALID_TRANSFER_ENCODING: 'it has both Content-Length and Transfer-Encoding',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'it has Content-Length more than once, or beside Transfer-Encoding',
  HPE_INVALID_CONTENT_LENGTH: 'its Content-Length is not a number',
  HPE_INVALID_VERSION: 'its version of HTTP does not exist',
  HPE_INVALID_STATUS: 'its status line is not as HTTP has it',
  // Only of what begins like HTTP.
  HPE_INVALID_CONSTANT: 'its status line is not as HTTP has it',
};

/** Second tries in one run: each costs one more connection. */
const tryLimit = 8;

export type SecondTries = {
  /** @param send sends the request, to be read strictly or leniently */
  ask(send: (isLenient: boolean) => Promise<HttpAnswer>): Promise<HttpAnswer>;
};

/** Opens the second tries of one run. */
export function openSecondTries(): SecondTries {
  let left = tryLimit;
  return {
    async ask(send) {
      const first = await send(false);
      const malformed = faultOf(first);
      if (malformed === undefined || left === 0) return first;
      left -= 1;
      const second = await send(true);
      return second.kind === 'response' && !hasNull(second) ? { ...second, malformed } : first;
    },
  };
}

// Browsers and curl refuse these.
function hasNull({ headers }: Extract<HttpAnswer, { kind: 'response' }>): boolean {
  return headers.some(([name, value]) => name.includes('\0') || value.includes('\0'));
}

function faultOf(answer: HttpAnswer): string | undefined {
  const code = answer.kind === 'failure' ? (answer.parserCode ?? '') : '';
  return Object.hasOwn(accepted, code) ? accepted[code] : undefined;
}

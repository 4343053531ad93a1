import got, { RequestError } from 'got';

export type ServiceQuestion = {
  /** With the operator's key, so it is never told to anybody. */
  readonly address: URL;
  /** Sent as POST; a GET without. */
  readonly json?: object;
  /** For each attempt, and from now until the last of them ends. */
  readonly attemptMs: number;
  readonly totalMs: number;
  readonly limitBytes: number;
};

/** `body` is the parsed JSON; undefined where it was none or went on beyond the limit. */
export type ServiceAnswer = { readonly status: number; readonly body: unknown };

/** A quota that is used up for now, or a server that is not well: a second question may be answered. */
const worthRepeating = [429, 502, 503, 504];
const repeats = 2;

/**
 * Asks a service that the operator chose, which is no target and needs no guard. Undefined where no answer came in time, or one that leads
 * elsewhere. Throws when the run ends.
 */
export async function askService(
  { address, json, attemptMs, totalMs, limitBytes }: ServiceQuestion,
  signal: AbortSignal,
): Promise<ServiceAnswer | undefined> {
  const tooLong = new AbortController();
  let told: ServiceAnswer | undefined;
  try {
    const question = got(address, {
      ...(json ? { method: 'POST', json } : {}),
      followRedirect: false,
      throwHttpErrors: false,
      timeout: { request: attemptMs },
      retry: {
        limit: repeats,
        methods: ['GET', 'POST'],
        statusCodes: worthRepeating,
        maxRetryAfter: totalMs,
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(totalMs), tooLong.signal]),
      hooks: { beforeRetry: [(error) => void (told = readRefusal(error))] },
    });
    void question.on('request', (request) => {
      request.once('response', ({ statusCode = 0 }) => {
        // What a refusal said is read before the next attempt; the next may say the same.
        if (told?.status !== statusCode) told = { status: statusCode, body: undefined };
      });
    });
    void question.on('downloadProgress', ({ transferred }) => {
      if (transferred > limitBytes) tooLong.abort();
    });
    const { statusCode, body } = await question;
    return isElsewhere(statusCode) ? undefined : { status: statusCode, body: parse(body) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RequestError)) throw error;
    // A refused connection, a late answer and a broken one are alike here: none is the page's fault.
    return tooLong.signal.aborted || isRefusal(told) ? told : undefined;
  }
}

function isRefusal(told: ServiceAnswer | undefined): boolean {
  return told !== undefined && worthRepeating.includes(told.status);
}

function readRefusal({ response }: RequestError): ServiceAnswer | undefined {
  return response && { status: response.statusCode, body: parse(String(response.body)) };
}

function isElsewhere(status: number): boolean {
  return status >= 300 && status < 400;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

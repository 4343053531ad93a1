import { METHODS, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { problems } from '#shared/model/problem';
import { allowedMethods } from './app.ts';

type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Uint8Array };

/** Answers what is not HTTP, or came too late: it never reaches the app, and gets the same kind of answer, by hand. */
export function answerBadRequestOf(publicPath: string) {
  return (error: ClientError, socket: Duplex): void => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const { code, detail, line } = describeBadRequest(error);
    const { status, title } = problems[code];
    const body = JSON.stringify({
      type: `${publicPath}/problems/${code}`,
      title,
      status: line === undefined ? status : Number.parseInt(line, 10),
      detail,
      code,
      requestId: '-',
    });
    const fields = [
      'Content-Type: application/problem+json',
      'Cache-Control: no-store',
      ...(status === 405 ? [`Allow: ${allowedMethods}`] : []),
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    socket.end(
      `HTTP/1.1 ${line ?? `${status} ${STATUS_CODES[status]}`}\r\n${fields.join('\r\n')}\r\n\r\n${body}`,
    );
  };
}

type BadRequest = {
  readonly code: 'invalid_request' | 'method_not_allowed';
  readonly detail: string;
  /** Status code and reason, where it is not the problem's own. */
  readonly line?: string;
};

function describeBadRequest({ code, rawPacket }: ClientError): BadRequest {
  if (code === 'HPE_HEADER_OVERFLOW')
    return {
      code: 'invalid_request',
      detail: 'The header section is larger than 16 KiB.',
      line: '431 Request Header Fields Too Large',
    };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return {
      code: 'invalid_request',
      detail: 'The request did not arrive in time. Send it again, whole.',
      line: '408 Request Timeout',
    };
  const start = Buffer.from(rawPacket?.subarray(0, 40) ?? []).toString('latin1');
  // What follows a good request in the same packet is no method at all.
  const [, method = ''] = /^([A-Z]{1,20}) \//.exec(start) ?? [];
  if (code === 'HPE_INVALID_METHOD' && method !== '' && !METHODS.includes(method))
    return { code: 'method_not_allowed', detail: `This method is not allowed here. Use ${allowedMethods}.` };
  if (code === 'HPE_INVALID_URL')
    return {
      code: 'invalid_request',
      detail:
        'The address has a character that must be percent-encoded, such as a space or a letter outside ASCII: write %C3%BC for ü.',
    };
  return { code: 'invalid_request', detail: 'This is not an HTTP/1.1 request.' };
}

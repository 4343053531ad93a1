import type { IncomingMessage, ServerResponse } from 'node:http';
import { writeOwnHead } from './head.ts';

/** What an answer is written to: the part of Node's response that tools and jobs take. */
export type Outgoing = {
  statusCode: number;
  readonly req: IncomingMessage;
  /** What the log line tells beside. */
  locals: object;
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly closed: boolean;
  getHeader(name: string): string | number | readonly string[] | undefined;
  setHeader(name: string, value: string | number): unknown;
  appendHeader(name: string, value: string): unknown;
  hasHeader(name: string): boolean;
  removeHeader(name: string): void;
  writeHead(status: number, fields: string[]): unknown;
  end(body?: string | Uint8Array, coding?: BufferEncoding): unknown;
  on(event: 'close', listener: () => void): unknown;
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
};

type Lean = Outgoing & {
  readonly response: ServerResponse;
  /** A flat list of names and values. */
  fields: string[];
  length: number | undefined;
};

/**
 * Node's response, for answers that are sent in one piece and whose fields are ours: they are kept as they are and written as one text.
 * Node's own setHeader checks each name and value, at 5 µs for twelve.
 */
export function openLean(response: ServerResponse): Outgoing {
  const lean = Object.create(methods) as Lean & { response: ServerResponse };
  lean.response = response;
  lean.statusCode = 200;
  lean.locals = {};
  lean.fields = [];
  lean.length = undefined;
  return lean;
}

const methods: Omit<Outgoing, 'statusCode' | 'locals'> & ThisType<Lean> = {
  get req() {
    return this.response.req;
  },
  get headersSent() {
    return this.response.headersSent;
  },
  get writableEnded() {
    return this.response.writableEnded;
  },
  get closed() {
    return this.response.closed;
  },
  getHeader(name) {
    const at = indexOf(this.fields, name);
    return at < 0 ? undefined : this.fields[at + 1];
  },
  setHeader(name, value) {
    // Node has to know the length itself.
    if (name === 'Content-Length') this.length = Number(value);
    else {
      const at = indexOf(this.fields, name);
      if (at < 0) this.fields.push(name, String(value));
      else this.fields[at + 1] = String(value);
    }
  },
  appendHeader(name, value) {
    this.fields.push(name, value);
  },
  hasHeader(name) {
    return indexOf(this.fields, name) >= 0;
  },
  removeHeader(name) {
    for (let at = indexOf(this.fields, name); at >= 0; at = indexOf(this.fields, name))
      this.fields.splice(at, 2);
  },
  writeHead(status, fields) {
    this.statusCode = status;
    for (let index = 0; index < fields.length; index += 2) this.removeHeader(fields[index] ?? '');
    for (let index = 0; index < fields.length; index += 2)
      if (fields[index] === 'Content-Length') this.length = Number(fields[index + 1]);
      else this.appendHeader(fields[index] ?? '', fields[index + 1] ?? '');
  },
  end(body, coding = 'utf8') {
    writeOwnHead(this.response, this.statusCode, [this.fields], this.length);
    this.response.end(body, coding);
  },
  on(event, listener) {
    this.response.on(event, listener);
  },
  once(event, listener) {
    this.response.once(event, listener);
  },
  destroy() {
    this.response.destroy();
  },
};

/** Where a name stands in a flat list, in any case. */
function indexOf(fields: readonly string[], name: string): number {
  for (let index = 0; index < fields.length; index += 2) {
    const known = fields[index] ?? '';
    if (known.length === name.length && (known === name || known.toLowerCase() === name.toLowerCase()))
      return index;
  }
  return -1;
}

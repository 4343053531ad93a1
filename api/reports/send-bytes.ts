import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip, zstdCompress } from 'node:zlib';
import type { Request, Response } from 'express';
import { isKnown } from '../answer.ts';
import { type Coding, chooseCoding } from '../report-cache.ts';

export type Sendable = {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly lastModifiedMs: number;
  /** Until then the same bytes are given at this address (Unix ms). */
  readonly expiresAtMs: number;
};

const longestAgeS = 86_400;
const compress = { gzip: promisify(gzip), zstd: promisify(zstdCompress) };

/** Sends what is stored under an id and never changes: 200, or 304 to who has it. */
export async function sendBytes(
  request: Request,
  response: Response,
  { bytes, contentType, lastModifiedMs, expiresAtMs }: Sendable,
): Promise<void> {
  const digest = hash('sha256', bytes, 'base64url').slice(0, 22);
  const tagOf = (coding: Coding) => `"${digest}${coding === 'identity' ? '' : `-${coding}`}"`;
  const isText = /json|xml|^text/.test(contentType);
  const coding = isText ? chooseCoding(request.headers['accept-encoding'], bytes.length) : 'identity';
  const leftS = Math.floor((expiresAtMs - Date.now()) / 1000);
  response.setHeader('ETag', tagOf(coding));
  response.setHeader('Cache-Control', `private, max-age=${Math.max(0, Math.min(longestAgeS, leftS))}`);
  response.setHeader('Last-Modified', new Date(lastModifiedMs).toUTCString());
  if (isKnown(request.headers['if-none-match'], (['identity', 'gzip', 'zstd'] as const).map(tagOf))) {
    response.statusCode = 304;
    response.end();
    return;
  }
  const body = coding === 'identity' ? bytes : await compress[coding](bytes);
  if (coding !== 'identity') response.setHeader('Content-Encoding', coding);
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', body.length);
  response.end(request.method === 'HEAD' ? undefined : body);
}

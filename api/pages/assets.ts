import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Request, Response } from 'express';
import { Problem } from '#shared/model/problem';
import { style } from '#shared/render/html/style';
import { type Representation, represent, sendRepresentation } from '../answer/representation.ts';

/** The files of the pages: name with the hash of its content → its bytes. A new release has new names, so each may be kept for ever. */
const files = new Map<string, Representation>();

/** The report's style sheet and that of the pages around it, as one file. */
export const styleFile = addFile('css', 'text/css; charset=utf-8', style + readOwn('page.css'));
export const scriptFile = addFile('js', 'text/javascript; charset=utf-8', readOwn('page.js'));
/** The picture of the service. */
export const iconText = readOwn('icon.svg');
export const iconFile = addFile('svg', 'image/svg+xml', iconText);

/** Answers /assets/{name}. */
export async function answerAsset(request: Request, response: Response): Promise<void> {
  const file = files.get(String(request.params['name']));
  if (!file) throw new Problem('not_found', 'There is no such file. Load the page again for its new names.');
  await sendRepresentation(request, response, file, ['Cache-Control', 'public, max-age=31536000, immutable']);
}

function addFile(extension: string, contentType: string, text: string): string {
  const name = `${hash('sha256', text, 'base64url').slice(0, 12)}.${extension}`;
  files.set(name, represent(Buffer.from(text), contentType));
  return name;
}

function readOwn(name: string): string {
  return readFileSync(new URL(`web/${name}`, import.meta.url), 'utf8');
}

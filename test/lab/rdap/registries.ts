import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { registryAnswer } from '../../unit/rdap/answers.ts';

/** What a registry does with a question. */
export type Manner = (request: IncomingMessage, response: ServerResponse) => void;

export type LabRegistries = {
  /** To be laid over the settings of the product. */
  readonly settings: { readonly RDAP_BOOTSTRAP_FILE: string };
  readonly sites: { readonly [origin: string]: RequestListener };
  /** Host and path of every question so far. */
  readonly asked: string[];
  /** What each host does from now on. */
  readonly manners: Map<string, Manner>;
  close(): void;
};

/** Registries of a lab: a label of the top level for each, and the host that answers for it over TLS. */
export function openLabRegistries(hosts: { readonly [label: string]: string }): LabRegistries {
  const folder = mkdtempSync(join(tmpdir(), 'diag-rdap-'));
  const path = join(folder, 'dns.json');
  const services = Object.entries(hosts).map(([label, host]) => [[label], [`https://${host}/rdap/`]]);
  writeFileSync(path, JSON.stringify({ version: '1.0', publication: '2026-11-01T00:00:00Z', services }));
  const asked: string[] = [];
  const manners = new Map<string, Manner>();
  const site =
    (host: string): RequestListener =>
    (request, response) => {
      asked.push(`${host}${request.url ?? ''}`);
      (manners.get(host) ?? answerAs({}))(request, response);
    };
  return {
    settings: { RDAP_BOOTSTRAP_FILE: path },
    sites: Object.fromEntries(Object.values(hosts).map((host) => [`https://${host}`, site(host)])),
    asked,
    manners,
    close: () => rmSync(folder, { recursive: true }),
  };
}

/** Answers about whatever domain is asked for. @param more laid over the usual answer */
export function answerAs(more: object): Manner {
  return (request, response) => {
    const domain = (request.url ?? '').split('/').at(-1) ?? '';
    const body = JSON.stringify(registryAnswer(domain, more));
    response.writeHead(200, { 'content-type': 'application/rdap+json' }).end(body);
  };
}

/** Answers with a status, fields and a text alone. */
export function answerWith(status: number, fields: Record<string, string> = {}, body = ''): Manner {
  return (_request, response) => void response.writeHead(status, fields).end(body);
}

import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import { catalogue, findSpec } from '#shared/catalogue/registry';
import { type Backend, openBackend } from '#shared/lifecycle/backend';
import { type ConnectionLimits, usualConnectionLimits } from '#shared/lifecycle/connections';
import type { Logger } from '#shared/telemetry/logger';
import { makeOpenapi } from '../../api/descriptions/document.ts';
import { makeReportSchema } from '../../api/descriptions/report-schema.ts';
import { type Api, openApi } from '../../api/open.ts';
import type { Deprecation } from '../../api/origins/deprecations.ts';
import { openWorker } from '../../worker/start/open.ts';
import type { Zone } from '../lab/kit/dns-server.ts';
import { type Lab, openLab } from '../lab/kit/lab.ts';
import type { Sites } from '../lab/kit/web-servers.ts';

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON. */
  readonly body: Record<string, never>;
};

export type Service = {
  readonly lab: Lab;
  readonly backend: Backend;
  readonly port: number;
  readonly canAnswer: Api['canAnswer'];
  /** Lines that were logged. */
  readonly log: readonly { readonly level: string; readonly message: string; readonly fields: object }[];
  /** Sends a GET and validates its answer against the OpenAPI document. */
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  send(method: string, path: string, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
};

export type ServiceOptions = {
  readonly sites?: Sites;
  readonly zone?: Zone;
  readonly settings?: Record<string, string>;
  readonly withWorker?: boolean;
  readonly deprecations?: readonly Deprecation[];
  readonly connectionLimits?: ConnectionLimits;
  /** Bytes that an account may keep. */
  readonly keptBytes?: number;
};

/** The whole service in this process, over a lab. */
export async function openService({
  sites = {},
  zone = {},
  settings = {},
  withWorker = true,
  deprecations = [],
  connectionLimits = usualConnectionLimits,
  keptBytes,
}: ServiceOptions): Promise<Service> {
  const lab = await openLab({ sites, zone });
  const config = lab.config(settings);
  const { log, lines } = openTestLog();
  const backend = await openBackend(config, log);
  const worker = withWorker ? openWorker({ config, backend, log }) : undefined;
  // Test, API and worker share this process: its lag says nothing of the API's.
  const loadSheddingLimits = { lagMs: 60_000, windowMs: 2000, waits: 10_000 };
  const api: Api = await openApi({
    config,
    backend,
    log,
    loadSheddingLimits,
    deprecations,
    connectionLimits,
    ...(keptBytes === undefined ? {} : { keptBytes }),
  });
  const send = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const answer = await exchange(api.port, method, path, headers);
    if (method === 'GET') validateAnswer(path, answer);
    return answer;
  };
  return {
    lab,
    backend,
    port: api.port,
    canAnswer: api.canAnswer,
    log: lines,
    get: (path, headers) => send('GET', path, headers),
    send,
    async close() {
      await api.close(0);
      await worker?.close(0);
      await backend.jobQueue.close(0);
      await backend.reportStore.close();
      await lab.close();
    },
  };
}

/** The path of a redirect-check. */
export function redirectPath(url: string, more = ''): string {
  return `/api/tools/redirect-check?url=${encodeURIComponent(url)}${more}`;
}

function openTestLog() {
  const lines: { level: string; message: string; fields: object }[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, message, fields });
  const log: Logger = {
    error: write('error'),
    warn: write('warn'),
    info: write('info'),
    debug: write('debug'),
  };
  return { log, lines };
}

function exchange(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, method, path, headers, agent: false },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(pieces).toString();
          const isJson =
            response.headers['content-type']?.includes('json') === true &&
            response.headers['content-encoding'] === undefined &&
            text !== '';
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            body: isJson ? (JSON.parse(text) as Answer['body']) : {},
          });
        });
      },
    );
    request.on('error', reject);
    request.end();
  });
}

const document = makeOpenapi() as unknown as OpenapiDocument;
type Operation = {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
};
type OpenapiDocument = {
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: object;
};
const ajv = new Ajv2020.default({
  strict: false,
  allErrors: true,
  formats: { 'date-time': true, uri: true },
});
const validators = new Map<string, ValidateFunction>();
const reportSchemas = new Map(catalogue.map((spec) => [spec.name, makeReportSchema(spec, '')]));

/** Throws unless status, type and body of an answer are what the OpenAPI document says of its path. */
function validateAnswer(path: string, answer: Answer): void {
  const { status, text } = answer;
  const [pathname = ''] = path.split('?');
  const type = (answer.headers['content-type'] ?? '').split(';')[0] ?? '';
  if (status >= 400 && type !== 'application/problem+json')
    throw new Error(`${path}: ${status} is no problem document but ${type}`);
  const pattern = Object.keys(document.paths).find((known) =>
    new RegExp(`^${known.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
  if (pattern === undefined) return;
  const response = document.paths[pattern]?.get.responses[String(status)];
  if (!response) throw new Error(`${path}: the document knows no ${status}: ${text}`);
  const isReadable = status !== 304 && text !== '' && answer.headers['content-encoding'] === undefined;
  if (!isReadable) return;
  validateBody(`${pattern} ${status} ${type}`, response.content?.[type]?.schema, answer);
  const spec = status === 200 ? findSpec(pattern.split('/')[3] ?? '') : undefined;
  if (spec) validateBody(`/schemas of ${spec.name}, json`, reportSchemas.get(spec.name), answer);
}

function validateBody(name: string, schema: object | undefined, { body, text }: Answer): void {
  if (!schema) throw new Error(`${name}: the document knows no such answer`);
  const validate = validators.get(name) ?? ajv.compile({ ...schema, components: document.components });
  validators.set(name, validate);
  if (!validate(name.endsWith('json') ? body : text))
    throw new Error(`${name}: ${ajv.errorsText(validate.errors)} in ${text.slice(0, 2000)}`);
}

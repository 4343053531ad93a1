import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { findSpec } from '#shared/catalogue/registry';
import { resolveReference, templateOf } from '#shared/model/finding';
import { block, markup, type Markup, nothing, printMarkup } from '#shared/render/markup';
import type { AnswerRequest } from '../answer/accept-json.ts';
import { represent, type Representation, sendRepresentation } from '../answer/representation.ts';
import { basePathOf, originOf, type PageServices } from '../pages/page-services.ts';
import { renderPage } from '../pages/page.ts';
import { admit } from '../request/admit.ts';
import { readOwnQuery } from '../request/read-query.ts';
import { openapiOf } from './document.ts';
import { exampleOf, type Schema, type Schemas } from './example-of.ts';

/** The page names the address that it was asked at; there are few of them. */
const mostOrigins = 8;
/** Stands in the page where that address belongs. */
const anyOrigin = 'https://origin.invalid';

/** Makes what answers /docs: the OpenAPI document as a page, which needs no script. It is rendered once, whatever addresses it is asked at. */
export function answerDocsOf(services: PageServices): AnswerRequest {
  let pieces: readonly string[] | undefined;
  const pages = new LRUCache<string, Representation>({ max: mostOrigins });
  const makePage = (origin: string) => {
    pieces ??= docsPage(services, anyOrigin).split(anyOrigin);
    return represent(Buffer.from(pieces.join(printMarkup(markup`${origin}`))), htmlType);
  };
  return async (request: Request, response: Response) => {
    await admit(services.limits, request, response, 'anyone');
    readOwnQuery(request, []);
    const origin = originOf(services, request);
    const page = pages.get(origin) ?? makePage(origin);
    pages.set(origin, page);
    await sendRepresentation(request, response, page, ['Cache-Control', 'private, max-age=300']);
  };
}

const htmlType = 'text/html; charset=utf-8';

const methods = ['get', 'post', 'patch', 'delete'] as const;

function docsPage({ site }: Pick<PageServices, 'site'>, origin: string): string {
  const base = basePathOf(site);
  const { paths = {}, components, info, tags = [] } = openapiOf(site);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) =>
      item[method] ? [{ ...item[method], path, method: method.toUpperCase() } as unknown as Operation] : [],
    ),
  );
  const around: Around = {
    origin,
    schemas: (components?.schemas ?? {}) as Schemas,
    needsToken: !site.isOpen,
  };
  const groups = tags.map(({ name, description }) => ({
    name,
    about: description ?? '',
    own: operations.filter((operation) => operation.tags.includes(name)),
  }));
  return renderPage({
    base,
    title: 'API: Diagnostic Tools',
    description: 'Every endpoint with its parameters, its answers and an example.',
    isIndexed: true,
    main: markup`<h1>API</h1>
<p>${info.description ?? ''}</p>
<pre><code>${block(`curl '${origin}/api/tools/domain-health/example.com'`)}</code></pre>
<ul><li>A GET waits 25 to 50 seconds for its report. Then the answer is 202 with a <code>Location</code> to ask again; <code>wait=0</code> does not wait.</li>
<li>${site.isOpen ? 'No token is needed. One raises the limits and opens the reports of its account: ' : 'A token is needed: '}<code>Authorization: Bearer TOKEN</code>.</li>
<li>Errors are <a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a> problems with a <code>code</code> and what to do.</li>
<li>The same for programs: <a href="${base}/openapi.json">openapi.json</a>, <a href="${base}/api/findings">every finding</a>, <a href="${base}/llms.txt">llms.txt</a>.</li></ul>
<nav aria-label="Endpoints"><ul class="endpoints">${operations.map(({ operationId, method, path }) => markup`<li><a href="#${operationId}"><code>${method === 'GET' ? '' : `${method} `}${path}</code></a></li>`)}</ul></nav>
${groups.map(({ name, about, own }) => group(name, about, own, around))}`,
  });
}

function group(name: string, about: string, operations: readonly Operation[], around: Around): Markup {
  return markup`<section><h2 class="tag">${name}</h2><p>${about}</p>
${operations.map((operation) => operationSection(operation, around))}</section>
`;
}

/** A parameter of an operation, as OpenAPI tells it. */
type Parameter = {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
};

/** An answer of an operation: what it means, and what its body is. */
type DocumentedAnswer = {
  readonly description?: string;
  readonly content?: { readonly [type: string]: { readonly schema?: Schema } };
};

/** One operation of the document, with its path. */
type Operation = {
  readonly path: string;
  /** In capitals. */
  readonly method: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly responses: { readonly [status: string]: DocumentedAnswer };
};

/** What all operations of a document share. */
type Around = {
  /** The address before each path. */
  readonly origin: string;
  readonly schemas: Schemas;
  /** Whether a call needs a token, where its operation does not say otherwise. */
  readonly needsToken: boolean;
};

/** An operation as a part of the page: what it takes, how to call it, and what it answers. */
function operationSection(operation: Operation, around: Around): Markup {
  const { operationId, method, path, summary, parameters = [] } = operation;
  return markup`<section class="operation" id="${operationId}"><h3><code>${method} ${path}</code></h3>
<p>${summary}</p>
<pre><code>${block(curlOf(operation, around))}</code></pre>
${parameters.length === 0 ? nothing : markup`<details><summary>Parameters of <code>${operationId}</code> (${parameters.length})</summary>${parameterTable(parameters)}</details>`}
<details><summary>Answers of <code>${operationId}</code></summary>${answerTable(operation)}</details>
${exampleSection(operation, around)}</section>
`;
}

function curlOf(operation: Operation, { origin, needsToken }: Around): string {
  const { path, method, parameters = [], tags, security } = operation;
  const valueOf = ({ name, schema }: Parameter) =>
    encodeURIComponent(wordOf(schema?.example) ?? (name === 'url' ? 'https://example.com/' : name));
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce(
      (text, parameter) =>
        text.replace(
          `{${parameter.name}}`,
          parameter.schema?.example === undefined ? parameter.name.toUpperCase() : valueOf(parameter),
        ),
      path,
    );
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map((parameter) => `${parameter.name}=${valueOf(parameter)}`);
  const isFree = security?.some((one) => Object.keys(one).length === 0) ?? !needsToken;
  const token =
    isFree && !tags.includes('reports') && !tags.includes('batches')
      ? ''
      : `-H 'Authorization: Bearer TOKEN' `;
  const send = sendings[method] ?? '';
  return `curl ${send}${token}'${origin}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}'`;
}

/** What a call takes beside its address. A POST is shown with a list of lines, which any program can write. */
const sendings: { readonly [method: string]: string } = {
  POST: `-H 'Content-Type: text/plain' --data-binary @list.txt `,
  DELETE: '-X DELETE ',
};

const places: { readonly [place: string]: string } = { path: 'path', query: 'query', header: 'header field' };

function parameterTable(parameters: readonly Parameter[]): Markup {
  const rows = parameters.map(({ name, in: place, required, description, schema }) => {
    const choices = schema?.enum?.map(String).join(', ');
    const byDefault = wordOf(schema?.default);
    const usual = byDefault === undefined ? '' : ` Default: ${byDefault}.`;
    return markup`<tr><th scope="row"><code>${name}</code></th><td data-label="In">${places[place] ?? place}${required ? ', required' : ''}</td><td data-label="Meaning">${description ?? schema?.description ?? ''}${choices === undefined ? nothing : markup` One of: ${choices}.`}${usual}</td></tr>
`;
  });
  return markup`<table class="rows"><thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Meaning</th></tr></thead><tbody>
${rows}</tbody></table>`;
}

function answerTable({ responses }: Operation): Markup {
  const rows = Object.entries(responses).map(
    ([status, { description = '' }]) =>
      markup`<tr><th scope="row">${status}</th><td data-label="Meaning">${description}</td></tr>
`,
  );
  return markup`<table class="rows"><thead><tr><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead><tbody>
${rows}</tbody></table>`;
}

function exampleSection(operation: Operation, { schemas }: Around): Markup {
  const schema = operation.responses['200']?.content?.['application/json']?.schema;
  if (schema === undefined) return nothing;
  const made = exampleOf(schema, schemas);
  const text = JSON.stringify(isObject(made) ? withEnvelope(operation.path, made) : made, null, 2);
  return markup`<details><summary>Example answer of <code>${operation.operationId}</code></summary>
<p class="hint">Made from the schema: the values are examples, each list has one item, and “…” is any text.</p>
<pre><code>${block(text)}</code></pre></details>
`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A report with a finding that its check really has. */
function withEnvelope(path: string, made: object): object {
  const spec = findSpec(path.split('/')[3] ?? '');
  const [first] = Object.entries(spec?.rules ?? {}).filter(([, { points }]) => points > 0 && points < 40);
  if (!spec || !first) return made;
  const [code, { part, severity, points, title, detail, fix, references }] = first;
  const finding = {
    code,
    ...(part === undefined ? {} : { part }),
    severity,
    title,
    detail: templateOf(detail),
    scoreEffect: -points,
    evidence: [],
    fix: { text: fix },
    references: references.map(resolveReference),
  };
  const target = spec.targetKind === 'domain' ? { domain: 'example.com' } : { url: 'https://example.com/' };
  const isOwn = 'findings' in made && 'check' in made;
  return isOwn
    ? { ...made, check: spec.name, target, rulesVersion: spec.rulesVersion, findings: [finding] }
    : made;
}

/** A value of a parameter as it stands in a URL. */
function wordOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return value === undefined ? undefined : JSON.stringify(value);
}

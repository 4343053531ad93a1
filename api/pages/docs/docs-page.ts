import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { block, type Markup, markup, printMarkup } from '#shared/render/markup';
import { type Representation, represent, sendRepresentation } from '../../answer/representation.ts';
import { openapiOf } from '../../openapi/document.ts';
import type { AnswerRequest } from '../../request/accept-json.ts';
import { admit } from '../../request/admit.ts';
import { readOwnQuery } from '../../request/read-query.ts';
import { renderPage } from '../layout.ts';
import { basePathOf, originOf, type PageDesk } from '../page-desk.ts';
import type { Schemas } from './example-of.ts';
import { type Around, type Operation, operationSection } from './operation.ts';

/** The page names the address that it was asked at; there are few of them. */
const mostOrigins = 8;
/** Stands in the page where that address belongs. */
const anyOrigin = 'https://origin.invalid';

/** Makes what answers /docs: the OpenAPI document as a page, which needs no script. It is rendered once, whatever addresses it is asked at. */
export function answerDocsOf(desk: PageDesk): AnswerRequest {
  let pieces: readonly string[] | undefined;
  const pages = new LRUCache<string, Representation>({ max: mostOrigins });
  const makePage = (origin: string) => {
    pieces ??= docsPage(desk, anyOrigin).split(anyOrigin);
    return represent(Buffer.from(pieces.join(printMarkup(markup`${origin}`))), htmlType);
  };
  return async (request: Request, response: Response) => {
    await admit(desk.admission, request, response, 'anyone');
    readOwnQuery(request, []);
    const origin = originOf(desk, request);
    const page = pages.get(origin) ?? makePage(origin);
    pages.set(origin, page);
    await sendRepresentation(request, response, page, ['Cache-Control', 'private, max-age=300']);
  };
}

const htmlType = 'text/html; charset=utf-8';

const methods = ['get', 'post', 'patch', 'delete'] as const;

function docsPage({ site }: Pick<PageDesk, 'site'>, origin: string): string {
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

import { findSpec } from '#shared/catalogue/registry';
import { resolveReference } from '#shared/model/finding';
import { block, type Markup, markup, nothing } from '#shared/render/markup';
import { exampleOf, type Schema, type Schemas } from './example-of.ts';

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
export type Operation = {
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
export type Around = {
  /** The address before each path. */
  readonly origin: string;
  readonly schemas: Schemas;
  /** Whether a call needs a token, where its operation does not say otherwise. */
  readonly needsToken: boolean;
};

/** An operation as a part of the page: what it takes, how to call it, and what it answers. */
export function operationSection(operation: Operation, around: Around): Markup {
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
    detail,
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

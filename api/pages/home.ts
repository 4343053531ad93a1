import type { Request, Response } from 'express';
import { findSpec } from '#shared/catalogue/registry';
import { markup, nothing } from '#shared/render/markup';
import { parseDomain, parseHttpUrl, type TargetPolicy, tellFault } from '#shared/targets/parse-target';
import { admit } from '../request/admit.ts';
import { readForm } from '../request/read-json.ts';
import { readOwnQuery } from '../request/read-query.ts';
import { admitForm } from './admit-form.ts';
import {
  basePathOf,
  mainCheck,
  originOf,
  type PageServices,
  pagePath,
  withParameter,
} from './page-services.ts';
import { renderPage, seeOther, sendPage, sendPassingPage } from './page.ts';
import { samples } from './samples.ts';
import { type Slip, targetField } from './target-field.ts';
import { startRun, usualQuestion, visitOf } from './tool-page.ts';

/** Answers /: one field for what to check, and what this service is. */
export async function answerHome(
  services: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  await admit(services.limits, request, response, 'anyone');
  readOwnQuery(request, []);
  await sendPage(request, response, homePage(services, request), 'private, max-age=300');
}

/** Answers /go?target=: understands the field, and sends the visitor to the page of that check. */
export async function answerGo(services: PageServices, request: Request, response: Response): Promise<void> {
  await admit(services.limits, request, response, 'anyone');
  const query = new URLSearchParams(request.url.split('?')[1] ?? '');
  const target = query.get('target') ?? '';
  const read = readField(target, query.get('check') ?? '', services.targetPolicy);
  if (read.ok) return seeOther(response, `${basePathOf(services.site)}${read.path}`);
  sendPassingPage(response, read.status, homePage(services, request, { target, why: read.why }));
}

/** Answers a POST of the same field: starts the check, and sends the visitor to it. */
export async function answerField(
  services: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  const caller = await admitForm(services, request, response, 'anyone');
  const { target = '', check = '' } = await readForm(services.bodies, { request, response, caller }, [
    'target',
    'check',
  ]);
  const read = readField(target, check, services.targetPolicy);
  if (!read.ok)
    return sendPassingPage(response, read.status, homePage(services, request, { target, why: read.why }));
  // The page of the target asks for the token, and has a button.
  if (!caller.scopes.includes('tools')) return seeOther(response, `${basePathOf(services.site)}${read.path}`);
  const spec = findSpec(read.check);
  if (!spec) throw new Error(`${read.check} is in the catalogue`);
  const question = usualQuestion(services, spec, read.target, caller);
  const query = spec.targetKind === 'url' ? `url=${encodeURIComponent(read.target)}` : '';
  const visit = visitOf(services, request, caller, { question, query });
  const self = read.page === undefined ? visit.self : withParameter(visit.self, 'page', read.page);
  return startRun(services, { ...visit, self }, response);
}

function homePage(services: PageServices, request: Request, slip?: Slip): string {
  const base = basePathOf(services.site);
  return renderPage({
    base,
    title: slip ? 'Not understood: Diagnostic Tools' : 'Diagnostic Tools: check a domain or a URL',
    description:
      'Checks the DNS, mail, TLS, headers, redirects and speed of a domain or URL, and says how to fix what it finds.',
    isIndexed: slip === undefined,
    main: markup`<section class="hero"><h1>What would you like to check?</h1>
${targetField(services.site, base, slip)}</section>
<section id="recent" hidden><h2>Your recent checks</h2><ul class="recent"></ul>
<p class="hint">This list is kept in this browser only. <button type="button" class="plain" id="forget">Forget it</button></p></section>
${
  services.site.isOpen
    ? nothing
    : markup`<p class="hint">This service needs a token. <a href="${base}/session">Sign in, or see who has</a>.</p>
`
}${honestText}
<section><h2>The same from a program</h2>
<p>Every check is one GET that answers with JSON. <a href="${base}/docs">All endpoints and options</a>.</p>
<details><summary>curl, JavaScript and Python</summary>
${samples(`${originOf(services, request)}/api/tools/domain-health/example.com`)}</details></section>
`,
  });
}

const honestText = markup`<section><h2>What it does</h2>
<p>It looks at a domain from outside, as any visitor, mail server or resolver can. It gives a grade, says what each finding cost, shows what was seen, and gives the record or setting that fixes it.</p>
<h2>What it does not do</h2>
<ul><li>It does not log in, guess passwords or try attacks, and it cannot see what is behind a login.</li>
<li>It does not guess: what could not be seen is listed as not tested, and costs no points.</li>
<li>A good grade says that these checks found little. It is no proof that a site is safe.</li>
<li>Opening a page here never starts a check. Only a button does.</li></ul></section>
`;

/** Where the one field of the first page leads, or what is wrong with its text. */
type FieldRead =
  | {
      readonly ok: true;
      readonly check: string;
      readonly target: string;
      readonly path: string;
      /** The page that was named, where only its domain is checked. */
      readonly page?: string;
    }
  | { readonly ok: false; readonly status: 400 | 422; readonly why: string };

/**
 * Understands what people paste: a domain, a URL, or an e-mail address, of which only the domain is taken.
 * @param check the tool that was asked for; "" for the usual one
 */
export function readField(text: string, check: string, policy: TargetPolicy): FieldRead {
  const spec = findSpec(check === '' ? mainCheck : check);
  if (!spec) return { ok: false, status: 400, why: 'There is no such check.' };
  const meant = tidy(text);
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(meant) || /[/?]|:\d+$/.test(meant);
  const parsed =
    isUrl || spec.targetKind === 'url'
      ? hostOrUrl(meant.includes('://') ? meant : `https://${meant}`, spec.targetKind, policy)
      : parseDomain(meant, policy);
  if (parsed.ok) {
    const { value: target } = parsed;
    const path = pagePath(spec.name, target);
    const page = isUrl && spec.targetKind === 'domain' ? pageNamed(meant, policy) : undefined;
    return page === undefined
      ? { ok: true, check: spec.name, target, path }
      : { ok: true, check: spec.name, target, path: withParameter(path, 'page', page), page };
  }
  return {
    ok: false,
    status: parsed.fault.kind === 'refused' ? 422 : 400,
    why: tellFault(parsed.fault),
  };
}

/** The URL, where it says more than its domain: a path, a query or a port. */
function pageNamed(meant: string, policy: TargetPolicy): string | undefined {
  const url = parseHttpUrl(meant.includes('://') ? meant : `https://${meant}`, policy);
  if (!url.ok) return undefined;
  const { pathname, search, port, href } = url.value;
  return pathname === '/' && search === '' && port === '' ? undefined : href;
}

function hostOrUrl(text: string, kind: 'domain' | 'url', policy: TargetPolicy) {
  const url = parseHttpUrl(text, policy);
  if (!url.ok) return url;
  return kind === 'domain'
    ? parseDomain(url.value.hostname, policy)
    : { ok: true as const, value: url.value.href };
}

/** Without the spaces and brackets around it, and without the person before the @. */
function tidy(text: string): string {
  const trimmed = text
    .trim()
    .replace(/^<(.*)>$/, '$1')
    .trim();
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) return trimmed;
  const [, domain] = /@([^\s@<>]+?)[>;,.]*$/.exec(trimmed) ?? [];
  return domain ?? trimmed;
}

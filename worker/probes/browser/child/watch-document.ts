import type { HTTPRequest, HTTPResponse, Page } from 'puppeteer-core';
import type { LoadedDocument } from '../port.ts';
import type { ChildMessage } from './messages.ts';
import { orAfter } from './or-after.ts';

/** What watching the document gives. */
export type DocumentWatch = {
  /** Resolves as soon as the document is known to be nothing that can be measured. Never resolves for a page that loads. */
  readonly fault: Promise<NoPage>;
  /** The answer that became the page on which the browser ended, as far as it was seen; else the one that came first. */
  seen(finalUrl: string): Promise<LoadedDocument | undefined>;
  /** Tells it of an address whose certificate was refused: the browser gives such a request up without a word of why. */
  readonly refuse: (address: string, why: string) => void;
};

type NoPage = Extract<ChildMessage, { kind: 'no-page' }>;

const htmlTypes = ['text/html', 'application/xhtml+xml'];

/**
 * Watches the document of the page: whether it failed, is an error, or is no HTML. Lighthouse finds the same, but only after it has waited
 * for a first paint.
 */
export function watchDocument(page: Page): DocumentWatch {
  const documents: { readonly url: string; readonly read: Promise<LoadedDocument> }[] = [];
  let refuse: DocumentWatch['refuse'] = () => undefined;
  const fault = new Promise<NoPage>((resolve) => {
    let document: HTTPRequest | undefined;
    let asked = '';
    const isDocument = (request: HTTPRequest) => {
      // Only the first navigation and what it is redirected to: later ones are the page's own doing.
      if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return false;
      document ??= request;
      return request === document || request.redirectChain().includes(document);
    };
    page.on('request', (request) => {
      if (isDocument(request)) asked = request.url();
    });
    refuse = (address, why) => {
      // Neither is reported with its fragment everywhere.
      if (withoutFragment(address) === withoutFragment(asked))
        resolve(noPage('INSECURE_DOCUMENT_REQUEST', why));
    };
    page.on('response', (response) => {
      const isFirst = isDocument(response.request());
      if (!isFirst && !isLater(page, response)) return;
      const found = isFirst ? findFault(response) : undefined;
      if (found) resolve(found);
      else if (response.status() < 300 && documents.length < mostDocuments)
        documents.push({ url: withoutFragment(response.url()), read: readDocument(response) });
    });
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText ?? '';
      // A page may leave its document while it still loads; that is no failure.
      if (isDocument(request) && reason !== 'net::ERR_ABORTED') resolve(noPage(codeOf(reason), reason));
    });
  });
  const seen = async (finalUrl: string) => {
    const final = documents.findLast(({ url }) => url === withoutFragment(finalUrl));
    return (final ?? documents[0])?.read;
  };
  return { fault, seen, refuse };
}

/** A page that sends the visitor on by itself makes another document; few do so more than once. */
const mostDocuments = 5;

function isLater(page: Page, response: HTTPResponse): boolean {
  const request = response.request();
  return request.isNavigationRequest() && request.frame() === page.mainFrame();
}

function withoutFragment(address: string): string {
  return address.split('#', 1)[0] ?? '';
}

/** Pages that stand before a site are short, and name themselves at their beginning. */
const bodyLimit = 65_536;
const bodyMs = 2000;
const headersLimit = 200;

async function readDocument(response: HTTPResponse): Promise<LoadedDocument> {
  // The browser drops the body of a page that is left or killed.
  const body = await orAfter(
    response.text().catch(() => ''),
    bodyMs,
    '',
  );
  const headers = Object.entries(response.headers()).flatMap(([name, value]) =>
    value.split('\n').map((line) => [name, line.slice(0, 2000)] as const),
  );
  return {
    url: response.url().slice(0, 2048),
    status: response.status(),
    headers: headers.slice(0, headersLimit),
    bodyStart: body.slice(0, bodyLimit),
  };
}

function findFault(response: HTTPResponse): NoPage | undefined {
  const status = response.status();
  const { 'content-type': type = '', 'content-disposition': disposition = '' } = response.headers();
  if (status === 204 || status === 205)
    return noPage('FAILED_DOCUMENT_REQUEST', 'the answer has no content', status);
  if (status >= 400) return noPage('ERRORED_DOCUMENT_REQUEST', `status code ${status}`, status);
  if (status >= 300) return undefined;
  if (/^\s*attachment\b/i.test(disposition.slice(0, 100)))
    return noPage('FAILED_DOCUMENT_REQUEST', 'the document is sent as a download', status);
  const mediaType = type.split(';')[0]?.trim().toLowerCase() ?? '';
  // Without a type Chromium sniffs; Lighthouse then tells what it took it for.
  if (mediaType !== '' && !htmlTypes.includes(mediaType))
    return noPage('NOT_HTML', `it is sent as ${mediaType.slice(0, 100)}`, status);
  return undefined;
}

function codeOf(reason: string): string {
  if (/^net::ERR_(?:CERT|SSL)_/.test(reason)) return 'INSECURE_DOCUMENT_REQUEST';
  return reason === 'net::ERR_TOO_MANY_REDIRECTS' ? 'CHROME_INTERSTITIAL_ERROR' : 'FAILED_DOCUMENT_REQUEST';
}

function noPage(code: string, message: string, status: number | null = null): NoPage {
  return { kind: 'no-page', code, message, status };
}

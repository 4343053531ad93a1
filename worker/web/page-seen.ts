import { type Block, type LastAnswer, noMarkup, readBlock } from './block-page.ts';
import { isAttachment, isDocument, parseContentType } from './content-type.ts';
import { type DefaultPage, findDefaultPage } from './default-pages.ts';
import { indexFields, valuesOf } from './fields.ts';

/**
 * Why the page that was asked for was not seen. `why` is a clause. Then nothing gets a letter: not by a page that is somebody else's, an error,
 * or no page at all. What was proven on the way, such as HSTS and the redirect to https, is judged all the same.
 */
export type Unseen =
  | { readonly kind: 'blocked'; readonly why: string; readonly block: Block }
  /** Nobody has put a site there: what stands there is the server's page, or that of a registrar. */
  | { readonly kind: 'default-page'; readonly why: string; readonly page: DefaultPage }
  | { readonly kind: 'error-status'; readonly why: string; readonly status: number }
  | { readonly kind: 'no-document'; readonly why: string; readonly type: string }
  | { readonly kind: 'unfinished'; readonly why: string };

/** True where somebody else's page stands in the place of the site's: its headers and cookies say nothing of the site. */
export function isOfOthers(unseen: Unseen | undefined): boolean {
  return unseen?.kind === 'blocked' || unseen?.kind === 'default-page';
}

/**
 * Says whether the end of a chain is the page of the site; every check asks here.
 * @param last the last answer; undefined where the chain did not come to its end
 * @param start the address that the visitor asked for
 * @returns undefined where the page was seen
 */
export function readUnseen(last: LastAnswer | undefined, start: string): Unseen | undefined {
  if (!last) return { kind: 'unfinished', why: 'the redirects lead to no page' };
  const block = readBlock(last, start);
  if (block) return { kind: 'blocked', why: block.reason, block };
  const { status } = last;
  if (status >= 400) return { kind: 'error-status', why: `the answer is an error, status ${status}`, status };
  const page = findDefaultPage(last.bodySigns);
  if (page && status < 300) return { kind: 'default-page', why: `it is ${page.shown}`, page };
  const type = isFrontPage(start) ? typeOfNoDocument(last) : undefined;
  return type === undefined
    ? undefined
    : { kind: 'no-document', why: `the answer is no page: ${type}`, type };
}

// Who asks for the front page asks for a site. Any other address may be an API or a file, which is then what was asked for.
function isFrontPage(start: string): boolean {
  const { pathname, search } = new URL(start);
  return pathname === '/' && search === '';
}

/** What came instead of a page; undefined where a page came. */
function typeOfNoDocument({ status, headers, bodySigns }: LastAnswer): string | undefined {
  if (status === 204 || status === 205 || status === 304) return `status ${status}, which has no body`;
  const fields = indexFields(headers);
  const type = parseContentType(valuesOf(fields, 'content-type'));
  if (isAttachment(fields)) return `${type?.essence ?? 'a file'}, as a download`;
  if (type === undefined && bodySigns.includes(noMarkup)) return 'text without a Content-Type';
  return isDocument(type) ? undefined : type?.essence;
}

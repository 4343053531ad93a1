import type { Reference } from '../../../model/verdict.ts';

/** A place in CSP Level 3. */
export const csp3 = (title: string, anchor: string): Reference => ({
  title: `CSP Level 3: ${title}`,
  url: `https://www.w3.org/TR/CSP3/#${anchor}`,
});

/** A place in the Fetch Standard. */
export const fetchStandard = (title: string, anchor: string): Reference => ({
  title: `Fetch Standard: ${title}`,
  url: `https://fetch.spec.whatwg.org/#${anchor}`,
});

/** A place in the HTML Standard. */
export const htmlStandard = (title: string, address: string): Reference => ({
  title: `HTML Standard: ${title}`,
  url: `https://html.spec.whatwg.org/multipage/${address}`,
});

/** The draft that replaces RFC 6265; its sections are cited by title. */
export const cookieDraft = (title: string, anchor: string): Reference => ({
  title: `RFC 6265bis draft: ${title}`,
  url: `https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#${anchor}`,
});

export const xFrameOptions = htmlStandard(
  'X-Frame-Options',
  'document-lifecycle.html#the-x-frame-options-header',
);
export const permissionsPolicy: Reference = {
  title: 'Permissions Policy: the header',
  url: 'https://www.w3.org/TR/permissions-policy/#permissions-policy-http-header-field',
};
export const referrerPolicy = (title: string, anchor: string): Reference => ({
  title: `Referrer Policy: ${title}`,
  url: `https://www.w3.org/TR/referrer-policy/#${anchor}`,
});
export const subresourceIntegrity = (title: string, anchor: string): Reference => ({
  title: `Subresource Integrity: ${title}`,
  url: `https://www.w3.org/TR/sri-2/#${anchor}`,
});
export const preloadList: Reference = {
  title: 'HSTS preload list: submission requirements',
  url: 'https://hstspreload.org/#submission-requirements',
};
export const mixedContent = (title: string, anchor: string): Reference => ({
  title: `Mixed Content: ${title}`,
  url: `https://www.w3.org/TR/mixed-content/#${anchor}`,
});

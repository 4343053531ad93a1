import type { Page } from 'puppeteer-core';

/** What is done with a certificate that the browser does not believe. */
export type Trust = {
  /** Whether the operator's own authorities vouch for this origin. Asked once for each. */
  readonly judge: (origin: string) => Promise<boolean>;
  /** Told of each address that is refused, with Chromium's word for why. */
  readonly onRefused: (address: string, why: string) => void;
};

/**
 * Has every certificate that the browser does not believe judged elsewhere, while the request waits: so a page with files of several hosts of
 * the operator's own authority needs one load. The setting holds for the page, its frames and its workers.
 */
export async function trustOwnAuthorities(page: Page, { judge, onRefused }: Trust): Promise<void> {
  const devtools = await page.createCDPSession();
  const judged = new Map<string, Promise<boolean>>();
  devtools.on('Security.certificateError', ({ eventId, errorType, requestURL }) => {
    const origin = URL.parse(requestURL)?.origin ?? '';
    const asked = judged.get(origin) ?? judge(origin);
    judged.set(origin, asked);
    void asked.then(async (isTrusted) => {
      if (!isTrusted) onRefused(requestURL, `net::${errorType}`);
      const action = isTrusted ? 'continue' : 'cancel';
      // A request that was given up in the meantime has no answer to give.
      await devtools.send('Security.handleCertificateError', { eventId, action }).catch(() => undefined);
    });
  });
  await devtools.send('Security.enable');
  await devtools.send('Security.setOverrideCertificateErrors', { override: true });
}

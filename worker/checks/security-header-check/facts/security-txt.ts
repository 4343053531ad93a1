import type { HeaderEvidence } from '../evidence.ts';
import { hasKnownField, parseSecurityTxt, type SecurityTxt } from '../grammar/security-txt.ts';
import { readSiteFile, type SiteFile } from './site-file.ts';

export type FoundSecurityTxt = Extract<SiteFile<SecurityTxt>, { state: 'found' }>;

/** A site's security.txt; `isLegacy` where it is only at /security.txt. */
export type SecurityTxtObservation = { readonly file: SiteFile<SecurityTxt>; readonly isLegacy: boolean };

/** Reads the security.txt at the well-known place, else the one at the old place (RFC 9116 §3). */
export function readSecurityTxt({
  files,
  url,
}: Pick<HeaderEvidence, 'files' | 'url'>): SecurityTxtObservation {
  if (!files)
    return { file: { state: 'not-tested', url, why: 'the file was not asked for' }, isLegacy: false };
  const wellKnown = readText(readSiteFile(files.securityTxt.wellKnown));
  const legacy = readText(readSiteFile(files.securityTxt.legacy));
  if (wellKnown.state === 'found' || legacy.state === 'absent') return { file: wellKnown, isLegacy: false };
  // Where either could not be asked, nobody knows that there is none.
  if (wellKnown.state === 'not-tested') return { file: wellKnown, isLegacy: false };
  return { file: legacy, isLegacy: true };
}

// Servers answer any address with a text of their own; without a single field it is no security.txt.
function readText(file: SiteFile<string>): SiteFile<SecurityTxt> {
  if (file.state !== 'found') return file;
  const content = parseSecurityTxt(file.content);
  return hasKnownField(content)
    ? { ...file, content }
    : { state: 'absent', url: file.url, why: 'the answer has no field of a security.txt' };
}

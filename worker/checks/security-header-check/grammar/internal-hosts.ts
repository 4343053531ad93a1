import { classifyAddress } from '#shared/target/classify-address';
import { isDottedQuad } from '../../../web/address-host.ts';

const internalSuffixes = ['.internal', '.local', '.localdomain', '.lan', '.corp', '.intranet', '.home.arpa'];
const privateRules: ReadonlySet<string> = new Set([
  'private',
  'loopback',
  'link-local',
  'shared-address-space',
]);

/** The first word of a header value that is a private address or a name of an inner network; undefined where there is none. */
export function findInternalHost(text: string): string | undefined {
  if (!/[.-]\d|\.(?:internal|local|lan|corp|intranet|home)/i.test(text)) return undefined;
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    if (at < text.length && isHostSign(text.charCodeAt(at))) continue;
    const word = text.slice(start, at).toLowerCase();
    // Behind a single slash stands a version or a path: "Server: ATS/10.0.0.1".
    const isAuthority = text[start - 1] !== '/' || text[start - 2] === '/';
    if (word.length > 5 && isAuthority && isInternal(word)) return word;
    start = at + 1;
  }
  return undefined;
}

function isInternal(word: string): boolean {
  if (internalSuffixes.some((suffix) => word.length > suffix.length && word.endsWith(suffix))) return true;
  const embedded = /^ip-(\d{1,3})-(\d{1,3})-(\d{1,3})-(\d{1,3})(?:\.|$)/.exec(word);
  const address = embedded ? embedded.slice(1, 5).join('.') : word;
  if (!isDottedQuad(address)) return false;
  const verdict = classifyAddress(address, { allow: [], deny: [] });
  return verdict.kind === 'refused' && privateRules.has(verdict.rule);
}

// Letters, digits, dot, hyphen, underscore.
function isHostSign(code: number): boolean {
  const isDigit = code >= 0x30 && code <= 0x39;
  const isLetter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
  return isDigit || isLetter || code === 0x2e || code === 0x2d || code === 0x5f;
}

import { classifyAddress } from '#shared/targets/classify-address';
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
  // Behind a single slash stands a version or a path: "Server: ATS/10.0.0.1".
  const words = Array.from(text.matchAll(/(?<![\w.-])(?<!(?<!\/)\/)[\w.-]{6,}/g), ([word]) =>
    word.toLowerCase(),
  );
  return words.find(isInternal);
}

function isInternal(word: string): boolean {
  if (internalSuffixes.some((suffix) => word.length > suffix.length && word.endsWith(suffix))) return true;
  const embedded = /^ip-(\d{1,3})-(\d{1,3})-(\d{1,3})-(\d{1,3})(?:\.|$)/.exec(word);
  const address = embedded ? embedded.slice(1, 5).join('.') : word;
  if (!isDottedQuad(address)) return false;
  const verdict = classifyAddress(address, { allow: [], deny: [] });
  return verdict.kind === 'refused' && privateRules.has(verdict.rule);
}

import { isAllDigits, trimSpaces } from '../../../../mail/ascii.ts';

/** One address for reports (RFC 9989 §4.8). */
export type ReportUri = {
  /** As written, spaces and size limit taken off. */
  readonly uri: string;
  /** Offset in the record. */
  readonly at: number;
  /** Lower case, without the colon; empty where there is none. */
  readonly scheme: string;
  /** Where reports go: the domain of a mail address, the host of an https address; null where it cannot be read. */
  readonly host: string | null;
  /** The obsolete "!10m", as written. */
  readonly size: string | null;
  /** Whether it is a URI at all (RFC 3986); only then does it count as a request for reports. */
  readonly isUri: boolean;
  /** Why no report arrives there, as a sentence's end; null for a usable one. */
  readonly problem: string | null;
};

/** Reads the comma-separated list of rua or ruf; `at` is its offset in the record. */
export function parseReportUris(value: string, at: number): ReportUri[] {
  let offset = at;
  return value.split(',').map((piece) => {
    const { text, skipped } = trimSpaces(piece);
    const place = offset + skipped;
    offset += piece.length + 1;
    return parseReportUri(text, place);
  });
}

function parseReportUri(text: string, at: number): ReportUri {
  const { uri, size } = splitSize(text);
  const colon = uri.indexOf(':');
  const before = uri.slice(0, Math.max(colon, 0));
  const scheme = /^[a-z][a-z0-9+.-]*$/i.test(before) ? before.toLowerCase() : '';
  const isUri = scheme !== '' && uriText.test(uri.slice(colon + 1));
  const host = isUri ? hostOf(scheme, uri) : null;
  return { uri, at, scheme, host, size, isUri, problem: describeProblem({ uri, scheme, isUri, host }) };
}

function describeProblem({ uri, scheme, isUri, host }: Pick<ReportUri, 'uri' | 'scheme' | 'isUri' | 'host'>) {
  if (uri === '') return 'is empty';
  if (scheme === '') return uri.includes('@') ? 'lacks mailto: before the address' : 'is not a URI';
  if (!isUri) return 'has a character that must be percent-encoded';
  if (scheme !== 'mailto') return 'is not a mailto: address, the only kind that receivers must support';
  return host === null ? 'is not a mail address' : null;
}

// obs-dmarc-report-size = "!" 1*DIGIT [ "k" / "m" / "g" / "t" ]
function splitSize(text: string): { uri: string; size: string | null } {
  const mark = text.lastIndexOf('!');
  const size = text.slice(mark + 1);
  const digits = 'kmgt'.includes(size.at(-1)?.toLowerCase() ?? ' ') ? size.slice(0, -1) : size;
  return mark >= 0 && isAllDigits(digits)
    ? { uri: text.slice(0, mark), size: text.slice(mark) }
    : { uri: text, size: null };
}

// unreserved, reserved but comma and "!", and percent-encoded octets (RFC 3986 §2)
const uriText = /^(?:[a-z0-9._~:/?#[\]@$&'()*+;=-]|%[0-9a-f]{2})*$/i;

function hostOf(scheme: string, uri: string): string | null {
  if (scheme === 'mailto') {
    const address = uri.slice('mailto:'.length).split('?')[0] ?? '';
    const at = address.lastIndexOf('@');
    return at > 0 ? readHost(address.slice(at + 1)) : null;
  }
  return URL.canParse(uri) ? readHost(new URL(uri).hostname) : null;
}

function readHost(text: string): string | null {
  const host = text.toLowerCase().replace(/\.$/, '');
  const labels = host.split('.');
  const isName = labels.every((label) => label !== '' && label.length <= 63 && /^[a-z0-9_-]+$/.test(label));
  return isName && labels.length > 1 && host.length <= 253 ? host : null;
}

import { type Malformed, malformed } from '#shared/model/verdict';

/** A domain name, label by label from the left; each octet one character. The root has none. */
export type Name = { readonly labels: readonly string[] };

/**
 * Reads a name as zone files print it: labels with dots between them, `\.` a dot inside a label, `\DDD` an octet in decimal (RFC 1035 §5.1).
 * @param text without the last dot; "" is the root
 */
export function parseName(text: string): Name | Malformed {
  if (text === '') return { labels: [] };
  const labels: string[] = [];
  let label = '';
  for (let at = 0; at < text.length;) {
    if (text[at] === '.') {
      labels.push(label);
      label = '';
      at += 1;
      continue;
    }
    const octet = readOctet(text, at);
    if (octet === undefined) return malformed(`the escape at position ${at} is not complete`);
    label += octet.value;
    at += octet.length;
  }
  labels.push(label);
  return judgeLabels(labels);
}

/** The name as text again, without the last dot: what `parseName` reads. */
export function printName({ labels }: Name): string {
  return labels.map(printLabel).join('.');
}

/** The name as it travels, in lower case (RFC 1035 §3.1, RFC 4034 §6.2). */
export function nameToWire({ labels }: Name): Buffer {
  const parts = labels.flatMap((label) => [
    Buffer.from([label.length]),
    Buffer.from(label.toLowerCase(), 'latin1'),
  ]);
  return Buffer.concat([...parts, Buffer.of(0)]);
}

/** The names above this one, nearest first, the root ("") last: "a.b.test" → "b.test", "test", "". Escaped dots are no borders. */
export function ancestorsOf(name: string): string[] {
  const parsed = parseName(name);
  if ('malformed' in parsed) return [];
  return parsed.labels.map((_, index) => printName({ labels: parsed.labels.slice(index + 1) }));
}

/** True when `name` is `zone` or lies below it. Both in lower case without the last dot. */
export function isInZone(name: string, zone: string): boolean {
  return zone === '' || name === zone || (name.endsWith(`.${zone}`) && !name.endsWith(`\\.${zone}`));
}

function readOctet(text: string, at: number): { value: string; length: number } | undefined {
  if (text[at] !== '\\') return { value: text.charAt(at), length: 1 };
  const digits = text.slice(at + 1, at + 4);
  if (/^\d{3}$/.test(digits)) {
    const code = Number(digits);
    return code > 255 ? undefined : { value: String.fromCharCode(code), length: 4 };
  }
  return at + 1 < text.length ? { value: text.charAt(at + 1), length: 2 } : undefined;
}

function judgeLabels(labels: readonly string[]): Name | Malformed {
  if (labels.some((label) => label === '')) return malformed('it has an empty label');
  if (labels.some((label) => label.length > 63)) return malformed('it has a label of more than 63 octets');
  if (labels.some((label) => /[^\u0000-\u00ff]/.test(label)))
    return malformed('it has a character that is no octet');
  const octets = labels.reduce((sum, label) => sum + label.length + 1, 1);
  return octets > 255 ? malformed('it is longer than 255 octets') : { labels };
}

function printLabel(label: string): string {
  return label.replace(/[^!-~]|[.\\]/g, (octet) =>
    octet === '.' || octet === '\\' ? `\\${octet}` : `\\${octet.charCodeAt(0).toString().padStart(3, '0')}`,
  );
}

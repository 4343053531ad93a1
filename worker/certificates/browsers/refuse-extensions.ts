import { extensionIds } from '../grammar/certificate-extensions.ts';
import { type DerNode, derTags, readObjectIdentifier } from '../grammar/der.ts';
import { areKnownPolicies, isBoolean, judges, refusePurposes } from './extension-form.ts';
import { both, type Browsers, type Refusal, refusedBy, type Role } from './refusal.ts';
import { listIn } from './strict-der.ts';

const netscapeType = '2.16.840.1.113730.1.1';
const microsoftPolicies = '1.3.6.1.4.1.311.21.10';
const statements = '1.3.6.1.5.5.7.1.3';
const noCheck = '1.3.6.1.5.5.7.48.1.5';

/** Extensions that each browser processes, so that they may be critical (RFC 5280 §4.2). */
const processedByBoth: readonly string[] = [
  extensionIds.basicConstraints,
  extensionIds.keyUsage,
  extensionIds.extendedKeyUsage,
  extensionIds.nameConstraints,
  extensionIds.subjectAltName,
  extensionIds.policies,
  extensionIds.policyConstraints,
  extensionIds.inhibitAnyPolicy,
];
const processedByChrome: ReadonlySet<string> = new Set([...processedByBoth, extensionIds.policyMappings]);
/** Those whose value Firefox keeps, of which it takes neither a second nor an empty one. */
const keptByFirefox: ReadonlySet<string> = new Set([
  ...processedByBoth,
  extensionIds.authorityAccess,
  extensionIds.tlsFeature,
  extensionIds.timestamps,
  statements,
]);

type Extension = { readonly id: string; readonly isCritical: boolean; readonly value: Uint8Array };

/** What browsers refuse in the extensions of a certificate. */
export function refuseExtensions(list: DerNode | undefined, role: Role): readonly Refusal[] {
  const nodes = listIn(list) ?? [];
  const all = nodes.flatMap((node) => readExtension(node) ?? []);
  const firsts = new Map(all.toReversed().map((one) => [one.id, one] as const));
  const ids = new Set(firsts.keys());
  const forms = nodes.map(judgeForm).filter((by) => by !== null);
  const repeated = all.filter((one) => firsts.get(one.id) !== one);
  return [
    ...forms.map((by): Refusal => ({ reason: 'extension-malformed', what: 'has a malformed extension', by })),
    ...repeated.map(({ id }) => refuseRepeated(id)),
    ...all
      .filter((one) => firsts.get(one.id) === one)
      .flatMap((one) => [
        ...refuseValue(one, role),
        ...refuseCritical(one, ids),
        ...(one.id === extensionIds.extendedKeyUsage ? refusePurposes(one.value, role) : []),
      ]),
  ];
}

function readExtension(node: DerNode): Extension | undefined {
  const fields = listIn(node) ?? [];
  const id = readObjectIdentifier(fields[0]);
  const value = fields.at(-1);
  if (id === '' || value?.tag !== derTags.octetString) return undefined;
  const isCritical = fields[1]?.tag === derTags.boolean && fields[1].content.some((byte) => byte !== 0);
  return { id, isCritical, value: value.content };
}

/** An identifier, perhaps TRUE, and the value (RFC 5280 §4.1). FALSE, the default, may not be written; Firefox lets it pass. */
function judgeForm(node: DerNode): Browsers | null {
  const [id, ...rest] = listIn(node) ?? [];
  const [critical, value] = rest.length === 2 ? rest : [undefined, rest[0]];
  if (id?.tag !== derTags.objectIdentifier || value?.tag !== derTags.octetString || rest.length > 2)
    return both;
  if (critical === undefined) return null;
  if (critical.tag !== derTags.boolean || !isBoolean(critical)) return both;
  return critical.content[0] === 0 ? 'Chrome' : null;
}

function refuseRepeated(id: string): Refusal {
  const isSeenByFirefox = keptByFirefox.has(id) && id !== extensionIds.policyConstraints;
  const what = `has an extension twice (${nameOf(id)})`;
  return { reason: 'extension-repeated', what, by: isSeenByFirefox ? both : 'Chrome' };
}

function refuseValue({ id, value }: Extension, role: Role): readonly Refusal[] {
  const by = judges.get(id)?.judge(value, role) ?? null;
  const isEmpty = value.length === 0 && keptByFirefox.has(id);
  const all = refusedBy(by === 'Chrome' || by === both, isEmpty || by === 'Firefox' || by === both);
  if (all === null) return [];
  const what = `has a malformed ${judges.get(id)?.name ?? `extension (${id})`}`;
  return [{ reason: 'extension-malformed', what, by: all }];
}

function refuseCritical({ id, isCritical, value }: Extension, ids: ReadonlySet<string>): readonly Refusal[] {
  if (!isCritical) return [];
  const isStatedTwice = ids.has(extensionIds.basicConstraints) && ids.has(extensionIds.extendedKeyUsage);
  const byChrome =
    !(processedByChrome.has(id) || (id === microsoftPolicies && ids.has(extensionIds.extendedKeyUsage))) ||
    (id === extensionIds.policies && !areKnownPolicies(value));
  const byFirefox = !(keptByFirefox.has(id) || id === noCheck || (id === netscapeType && isStatedTwice));
  const by = refusedBy(byChrome, byFirefox);
  if (by === null) return [];
  const what = `has a critical extension that is not processed (${nameOf(id)})`;
  return [{ reason: 'extension-unknown', what, by }];
}

function nameOf(id: string): string {
  return judges.get(id)?.name ?? id;
}

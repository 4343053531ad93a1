import {
  permissionsRules,
  referrerRules,
  type sniffingRules,
} from '#shared/catalogue/security-header-check/rules/content';
import { allOf, brokenBy, isMalformed, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import { isCharsetLabel } from '../../../web/content-type.ts';
import { valuesOf } from '../../../web/fields.ts';
import { type PageFacts, whyHeadUnread } from '../facts/page.ts';
import { readReferrer } from '../facts/referrer.ts';
import { parseNosniff } from '../grammar/one-word-fields.ts';
import {
  type FeaturePolicy,
  isFeaturePolicySyntax,
  knownFeatures,
  parsePermissionsPolicy,
  powerfulFeatures,
} from '../grammar/permissions-policy.ts';
import { isLooser, isLooserThanDefault } from '../grammar/referrer-policy.ts';
import { brokenWhen, cut, fieldAt, where } from './verdict-tables.ts';

/** Judges whether browsers guess at the type of the content. */
export function judgeSniffing(page: PageFacts): Verdicts<keyof typeof sniffingRules> {
  return { ...judgeNosniff(page), ...judgeContentType(page) };
}

function judgeNosniff(page: PageFacts) {
  const header = 'x-content-type-options';
  const read = parseNosniff(valuesOf(page.fields, header));
  if (!read) {
    const missing = brokenBy([{ hop: page.index, url: page.hop.url }]);
    return {
      'xcto-missing': missing,
      'xcto-invalid': 'not-applicable',
      'xcto-duplicate': 'not-applicable',
    } as const;
  }
  const seen = { ...fieldAt(page, header, read.value), count: read.count };
  return {
    'xcto-missing': 'holds',
    'xcto-invalid': brokenWhen(!read.nosniff && seen),
    'xcto-duplicate': brokenWhen(read.nosniff && read.count > 1 && seen),
  } as const;
}

function judgeContentType(
  page: PageFacts,
): Pick<Verdicts<keyof typeof sniffingRules>, `content-type-${string}` & keyof typeof sniffingRules> {
  const value = valuesOf(page.fields, 'content-type').join(', ');
  const charset = page.type?.charset ?? null;
  const isText = page.type?.essence.startsWith('text/') === true;
  const untyped = !page.type && { hop: page.index, url: page.hop.url };
  const seen = fieldAt(page, 'content-type', value);
  const unknown = charset !== null && !isCharsetLabel(charset) && { ...seen, charset: cut(charset) };
  return {
    'content-type-missing': hasContent(page) ? brokenWhen(untyped) : 'not-applicable',
    'content-type-no-charset': isText ? brokenWhen(charset === null && seen) : 'not-applicable',
    'content-type-charset-unknown': where(isText && charset !== null, brokenWhen(unknown)),
  };
}

function hasContent({ hop, fields }: PageFacts): boolean {
  const isEmpty = valuesOf(fields, 'content-length')[0] === '0';
  return !isEmpty && hop.status >= 200 && hop.status !== 204 && hop.status !== 304;
}

/** Judges the referrer policy in force, and the header and meta elements that it comes from. */
export function judgeReferrer(page: PageFacts): Verdicts<keyof typeof referrerRules> {
  if (!page.isDocument) return allOf(referrerRules, 'not-applicable');
  const name = 'referrer-policy';
  const { policy, by, header, meta } = readReferrer(page);
  const lines = valuesOf(page.fields, name);
  const seen = { hop: page.index, url: page.hop.url };
  const loosened = header !== undefined && meta !== undefined && isLooser(meta, header);
  const unread = whyHeadUnread(page);
  const unless = (verdict: Verdict): Verdict =>
    unread === null || meta !== undefined
      ? verdict
      : notTested(`${unread}, and a meta element may set a policy`);
  return {
    'referrer-policy-unsafe': unless(
      brokenWhen(isLooserThanDefault(policy) && { ...seen, policy, source: `the ${by}` }),
    ),
    'referrer-policy-invalid':
      lines.length === 0 ? 'not-applicable' : brokenWhen(!header && fieldAt(page, name, lines.join(', '))),
    'referrer-policy-missing': lines.length > 0 ? 'holds' : unless(brokenWhen(!meta && seen)),
    'referrer-policy-meta-overrides': unless(
      where(meta !== undefined && header !== undefined, brokenWhen(loosened && { ...seen, header, meta })),
    ),
  };
}

/** Judges Permissions-Policy, which a browser takes whole or not at all. */
export function judgePermissions(page: PageFacts): Verdicts<keyof typeof permissionsRules> {
  const absent = allOf(permissionsRules, 'not-applicable');
  if (!page.isDocument) return absent;
  const name = 'permissions-policy';
  const lines = valuesOf(page.fields, name);
  if (lines.length === 0)
    return { ...absent, 'permissions-policy-missing': brokenBy([{ hop: page.index, url: page.hop.url }]) };
  const seen = fieldAt(page, name, lines.join(', '));
  const parsed = parsePermissionsPolicy(lines);
  if (isMalformed(parsed)) {
    const broken: Verdict = brokenBy([{ ...seen, reason: parsed.malformed, offset: parsed.at ?? 0 }]);
    const isLegacy = lines.some(isFeaturePolicySyntax);
    const code = isLegacy ? 'permissions-policy-legacy-syntax' : 'permissions-policy-invalid';
    return { ...absent, 'permissions-policy-missing': 'holds', [code]: broken };
  }
  const features = [...parsed.features];
  const open = features.filter(([feature, { wildcard }]) => wildcard && powerfulFeatures.has(feature));
  const unknown = features.filter(([feature]) => !knownFeatures.has(feature));
  return {
    'permissions-policy-missing': 'holds',
    'permissions-policy-invalid': 'holds',
    'permissions-policy-legacy-syntax': 'holds',
    'permissions-policy-wildcard': brokenBy(open.map(([feature]) => ({ ...seen, feature }))),
    'permissions-policy-ignored': brokenBy(
      features.flatMap(([feature, policy]) => [
        ...whyIgnored(feature, policy).map((reason) => ({
          ...seen,
          feature,
          reason,
          outcome: tellAllowed(policy),
        })),
        ...policy.dropped.map((name) => ({ ...seen, ...tellDropped(name, feature, parsed.features) })),
      ]),
    ),
    'permissions-policy-unknown-feature': brokenBy(
      unknown.map(([feature]) => ({ ...seen, feature: cut(feature) })),
    ),
  };
}

// Of a feature that is unknown nothing is lost.
function whyIgnored(feature: string, { ignored }: FeaturePolicy): readonly string[] {
  return knownFeatures.has(feature) ? ignored : [];
}

function tellDropped(feature: string, before: string, features: ReadonlyMap<string, FeaturePolicy>) {
  const policy = features.get(feature);
  return {
    feature,
    reason: `it stands behind the semicolon of ${cut(before)}, where browsers look for no feature`,
    outcome: policy ? tellAllowed(policy) : 'its default holds',
  };
}

function tellAllowed({ wildcard, self, origins }: FeaturePolicy): string {
  if (wildcard) return 'every frame may use it';
  const named = origins === 1 ? 'the origin' : 'the origins';
  const listed = origins > 0 ? `${named} on its list` : '';
  const page = self ? 'the page itself' : '';
  const allowed = [page, listed].filter((text) => text !== '').join(' and ');
  return allowed === '' ? 'nobody may use it' : `only ${allowed} may use it`;
}

import { parseExpires } from '#shared/catalogue/expiries/parse-expires';
import { securityTxtRules } from '#shared/catalogue/security-header-check/rules/site-files';
import {
  allOf,
  brokenBy,
  type Evidence,
  isMalformed,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { siteOf } from '#shared/targets/parse-target';
import { parseContentType } from '../../../web/content-type.ts';
import type { FoundSecurityTxt, SecurityTxtObservation } from '../facts/security-txt.ts';
import { valuesOfField } from '../grammar/security-txt.ts';
import { brokenWhen, cut, where } from './verdict-tables.ts';

type Codes = Verdicts<keyof typeof securityTxtRules>;

const yearMs = 366 * 86_400_000;

/** Judges a site's security.txt. A file that was not seen is not tested; of one that is absent only that is reported. @param nowMs Unix ms */
export function judgeSecurityTxt({ file, isLegacy }: SecurityTxtObservation, nowMs: number): Codes {
  if (file.state === 'not-tested') return allOf(securityTxtRules, notTested(file.why));
  if (file.state === 'absent')
    return {
      ...allOf(securityTxtRules, 'not-applicable'),
      'security-txt-missing': brokenBy([{ url: file.url, reason: file.why }]),
    };
  return {
    'security-txt-missing': 'holds',
    'security-txt-legacy-location': brokenWhen(isLegacy && { url: cut(file.url) }),
    ...judgePlace(file),
    ...judgeContacts(file),
    ...judgeExpires(file, nowMs),
    ...judgeLines(file),
  };
}

function judgePlace({ url, route, contentType, content }: FoundSecurityTxt) {
  const canonical = valuesOfField(content, 'canonical');
  const isListed = canonical.some((address) => route.some((asked) => isSameAddress(asked, address)));
  const type = parseContentType([contentType]);
  const [from = url] = route;
  const site = siteOf(new URL(url).hostname);
  const clearText = route.find((address) => address.startsWith('http:'));
  return {
    // Either end of the redirects may be the address that is listed.
    'security-txt-canonical-differs': where(
      canonical.length > 0,
      brokenWhen(!isListed && { url: cut(url), canonical: cut(canonical.join(', ')) }),
    ),
    'security-txt-content-type': brokenWhen(
      (type?.essence !== 'text/plain' || type.charset !== 'utf-8') && {
        url: cut(url),
        value: cut(contentType),
      },
    ),
    'security-txt-not-https': brokenWhen(clearText !== undefined && { url: cut(clearText) }),
    'security-txt-other-site': brokenWhen(
      siteOf(new URL(from).hostname) !== site && { from: cut(from), url: cut(url), site },
    ),
  };
}

function isSameAddress(asked: string, listed: string): boolean {
  return URL.parse(listed)?.href === new URL(asked).href;
}

function judgeContacts(file: FoundSecurityTxt) {
  const contacts = valuesOfField(file.content, 'contact');
  const invalid = contacts.filter((contact) => !isContact(contact));
  return {
    'security-txt-no-contact': unlessCut(file, brokenWhen(contacts.length === 0 && { url: cut(file.url) })),
    'security-txt-contact-invalid': where(
      contacts.length > 0,
      brokenBy(invalid.slice(0, 5).map((value) => ({ url: cut(file.url), value: cut(value) }))),
    ),
  };
}

// Web addresses must be https (RFC 9116 §2.5.3).
function isContact(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && !/\s/.test(text) && url.protocol !== 'http:';
}

function judgeExpires(file: FoundSecurityTxt, nowMs: number) {
  const values = valuesOfField(file.content, 'expires');
  const dates = values.map((value) => ({ value, at: parseExpires(value) }));
  const valid = dates.flatMap(({ value, at }) => (isMalformed(at) ? [] : [{ value, at }]));
  const faults = dates.flatMap(({ value, at }) =>
    isMalformed(at) ? [{ url: cut(file.url), value: cut(value), reason: at.malformed }] : [],
  );
  const latest = valid.toSorted((one, other) => other.at - one.at)[0];
  const show = latest && { url: cut(file.url), expires: latest.value };
  return {
    'security-txt-no-expires': unlessCut(file, brokenWhen(values.length === 0 && { url: cut(file.url) })),
    'security-txt-expires-invalid': where(values.length > 0, brokenBy(faults.slice(0, 5))),
    'security-txt-expired': where(latest !== undefined, brokenWhen(latest && latest.at <= nowMs && show)),
    'security-txt-expires-far': where(
      latest !== undefined,
      brokenWhen(latest && latest.at > nowMs + yearMs && show),
    ),
  };
}

/** A web address in them must be https (RFC 9116 §2.5.1 to §2.5.9); Contact has a rule of its own. */
const webFields = ['Acknowledgments', 'Canonical', 'Encryption', 'Hiring', 'Policy'] as const;

function judgeLines({ url, content }: FoundSecurityTxt) {
  const single = [
    ['Expires', 'expires'],
    ['Preferred-Languages', 'preferred-languages'],
  ] as const;
  const repeated = single.flatMap(([field, name]): Evidence[] => {
    const count = valuesOfField(content, name).length;
    return count > 1 ? [{ url: cut(url), field, count }] : [];
  });
  const clearText = webFields.flatMap((field) =>
    valuesOfField(content, field.toLowerCase())
      .filter((value) => URL.parse(value)?.protocol === 'http:')
      .map((value) => ({ url: cut(url), field, value: cut(value) })),
  );
  const faulty = content.faultyLines.slice(0, 5);
  return {
    'security-txt-field-repeated': brokenBy(repeated),
    'security-txt-field-not-https': brokenBy(clearText.slice(0, 5)),
    'security-txt-line-invalid': brokenBy(faulty.map((line) => ({ url: cut(url), line }))),
  };
}

function unlessCut(file: FoundSecurityTxt, verdict: Verdict): Verdict {
  return file.cut !== null && verdict !== 'holds'
    ? notTested(`the file was not read to its end (${file.cut})`)
    : verdict;
}

import type { CertificateCode } from '#shared/catalogue/ssl-check/rules/certificate';
import { countOf } from '#shared/model/counts';
import { codesOf, type Evidence, isBroken, notTested, type Verdict } from '#shared/model/verdict';
import type { Certificate } from '../../../certificates/certificate.ts';
import type { SslEvidence } from '../evidence.ts';
import type { Presented } from '../facts/presented.ts';
import { judgeCertificate, judgeUnseen } from './certificate.ts';

type CertificateVerdicts = Record<CertificateCode, Verdict>;

/** What was found of one certificate alone, and of all together. */
export type JudgedCertificates = {
  readonly each: readonly { readonly presented: Presented; readonly verdicts: CertificateVerdicts }[];
  readonly all: CertificateVerdicts;
};

/** Judges every certificate of a server by the same rules: one that is broken breaks them for the server, since some client is shown it. */
export function judgeCertificates(
  { presented, unjudged }: { presented: readonly Presented[]; unjudged: number },
  evidence: SslEvidence,
): JudgedCertificates {
  const each = presented.map((one) => ({ presented: one, verdicts: judgeCertificate(one, evidence) }));
  const hasSeveral = presented.length > 1 || unjudged > 0;
  const named = each.map(({ presented: one, verdicts }) => nameEach(verdicts, one, hasSeveral));
  const missing = [
    ...(presented.length === 0 ? ['no certificate was seen'] : []),
    ...(unjudged > 0 ? [`the server has ${countOf(unjudged, 'certificate')} more than are judged`] : []),
  ];
  return { each, all: fold([...named, ...missing.map(judgeUnseen)]) };
}

/** Names the certificate in its evidence. The key tells certificates for one name apart. */
function nameEach(
  verdicts: CertificateVerdicts,
  { chain: { leaf } }: Presented,
  hasSeveral: boolean,
): CertificateVerdicts {
  if (leaf === null) return verdicts;
  const name = (verdict: Verdict): Verdict => {
    if (isBroken(verdict))
      return { ...verdict, broken: verdict.broken.map((one) => nameIn(one, leaf, hasSeveral)) };
    if (typeof verdict === 'string' || !hasSeveral) return verdict;
    return notTested(`of the certificate with the key ${keyNameOf(leaf)}: ${verdict.notTested}`);
  };
  return mapVerdicts((code) => name(verdicts[code]), verdicts);
}

function nameIn(evidence: Evidence, leaf: Certificate, hasSeveral: boolean): Evidence {
  const subject = typeof evidence['subject'] === 'string' ? evidence['subject'] : leaf.subject;
  if (!hasSeveral) return { ...evidence, subject };
  const key = keyNameOf(leaf);
  const of = subject === leaf.subject ? key : `with ${leaf.subject}, ${key}`;
  return { ...evidence, subject: `${subject} (${of})`, key, sha256: leaf.sha256 };
}

function keyNameOf({ key }: Certificate): string {
  return key.bits === null ? key.type : `${key.type} ${key.bits}`;
}

/** Broken by all evidence there is; else what could not be told of one is not told of all. */
function fold(judged: readonly CertificateVerdicts[]): CertificateVerdicts {
  const [first = judgeUnseen('no certificate was seen'), ...more] = judged;
  return mapVerdicts((code) => more.reduce((sum, verdicts) => join(sum, verdicts[code]), first[code]), first);
}

function join(one: Verdict, other: Verdict): Verdict {
  if (isBroken(one)) return isBroken(other) ? { ...one, broken: [...one.broken, ...other.broken] } : one;
  if (isBroken(other)) return other;
  if (typeof one === 'object')
    return typeof other === 'object' ? notTested(`${one.notTested}; ${other.notTested}`) : one;
  if (typeof other === 'object') return other;
  return one === 'holds' || other === 'holds' ? 'holds' : 'not-applicable';
}

function mapVerdicts(
  judge: (code: CertificateCode) => Verdict,
  like: CertificateVerdicts,
): CertificateVerdicts {
  return Object.fromEntries(codesOf(like).map((code) => [code, judge(code)])) as CertificateVerdicts;
}

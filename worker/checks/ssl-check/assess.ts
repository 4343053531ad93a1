import type { FieldsOf } from '../../../shared/catalogue/spec.ts';
import type { SslLabsLetter, sslReportShape } from '../../../shared/catalogue/ssl-check/report.ts';
import type { NameCode } from '../../../shared/catalogue/ssl-check/rules/name.ts';
import type { SslCode } from '../../../shared/catalogue/ssl-check/rules.ts';
import type { Assessment } from '../../../shared/model/report.ts';
import { codesBroken, notTested, type Verdict, type Verdicts } from '../../../shared/model/verdict.ts';
import type { CertificateKey } from '../../certificates/certificate.ts';
import type { Chain } from '../../certificates/chain.ts';
import type { SslEvidence } from './evidence.ts';
import { isAllAnswered, readFacts, type SslFacts } from './facts/facts.ts';
import { listPresented } from './facts/presented.ts';
import { kindOfKey } from './grammar/key-kind.ts';
import { versionNames } from './grammar/tls-names.ts';
import { type JudgedCertificates, judgeCertificates } from './judge/certificates.ts';
import { judgeClients } from './judge/clients.ts';
import { findObstacle, judgeConnection, type Obstacle } from './judge/connection.ts';
import { judgeEndpoints } from './judge/endpoints.ts';
import { placeOfLetter } from './judge/grade/caps.ts';
import {
  attributeScore,
  capsOf,
  type RatedFacts,
  rateSsl,
  type SslLabsRating,
  scoreOf,
} from './judge/grade/grade.ts';
import { judgeNamesInDns } from './judge/names.ts';
import { judgeProtocols } from './judge/protocol.ts';
import { judgeSuites } from './judge/suites.ts';
import { reportCertificates } from './report/report-certificates.ts';
import { reportEndpoints } from './report/report-endpoints.ts';
import { reportServer } from './report/report-server.ts';

/** Judges what was seen of a TLS server. Pure: the same evidence always gives the same report. */
export function assessSsl(evidence: SslEvidence): Assessment<SslCode, FieldsOf<typeof sslReportShape>> {
  const facts = readFacts(evidence);
  const certificates = judgeCertificates(listPresented(facts), evidence);
  const chains = certificates.each.map(({ presented }) => presented.chain);
  const obstacle = findObstacle(facts);
  const verdicts = judgeAll(facts, certificates, obstacle);
  const broken = codesBroken(verdicts);
  const isNoTls = obstacle?.code === 'port-speaks-http' || obstacle?.code === 'port-not-tls';
  const rating = rateSsl(factsOf(facts, chains), broken, isFlawlessKnown(verdicts));
  const letter = isNoTls ? 'F' : (rating?.letter ?? letterWithoutRating(broken));
  return {
    state: isNoTls ? 'complete' : stateOf(facts, obstacle),
    verdicts,
    fields: {
      ...reportServer(facts),
      ...reportCertificates(facts, certificates.each),
      endpoints: reportEndpoints(facts, letter, certificates.each),
      sslLabsEquivalent: letter,
      sslLabs: rating && reportRating(rating),
    },
    score: letter === null ? null : scoreOf(letter, broken),
    scoreEffects: letter === null ? withoutEffect(broken) : attributeScore(arithmeticLetter(rating), broken),
  };
}

function judgeAll(
  facts: SslFacts,
  { each, all }: JudgedCertificates,
  obstacle: Obstacle | null,
): Verdicts<SslCode> {
  const chains = each.map(({ presented }) => presented.chain);
  const judged = {
    ...all,
    ...judgeClients(facts),
    ...judgeEndpoints(facts),
    ...judgeProtocols(facts, chains),
    ...judgeSuites(facts, chains),
  };
  return {
    ...judgeConnection(facts, obstacle),
    ...(obstacle === null ? judged : withoutLook(judged)),
    ...(obstacle?.code === 'name-not-found' ? noName : judgeNamesInDns(facts.evidence, chains)),
  };
}

/** The DNS rules do not apply to a name that does not exist. */
const noName: Verdicts<NameCode> = {
  'caa-missing': 'not-applicable',
  'tlsa-mismatch': 'not-applicable',
  'tlsa-insecure': 'not-applicable',
};

/** Behind an obstacle nothing was seen, whatever the refusals seem to say. */
function withoutLook<Code extends string>(verdicts: Record<Code, Verdict>): Record<Code, Verdict> {
  const unseen = notTested('the server could not be talked to in TLS');
  return Object.fromEntries(Object.keys(verdicts).map((code) => [code, unseen])) as Record<Code, Verdict>;
}

function stateOf(facts: SslFacts, obstacle: Obstacle | null): Assessment['state'] {
  if (obstacle !== null) return 'unreachable';
  return isAllAnswered(facts) ? 'complete' : 'partial';
}

function factsOf({ protocols, suites }: SslFacts, chains: readonly Chain[]): RatedFacts {
  const primes = suites.flatMap(({ dhBits }) =>
    dhBits === null ? [] : [{ type: 'modulus', bits: dhBits } as const],
  );
  const own = chains.flatMap(({ leaf }) => (leaf === null ? [] : [ratedKeyOf(leaf.key)]));
  return {
    versions: versionNames.filter((version) => protocols[version] === true),
    keys: [...own, ...primes],
    cipherBits: suites.map(({ suite }) => suite.bits),
  };
}

function ratedKeyOf({ type, bits }: CertificateKey): RatedFacts['keys'][number] {
  return { type: kindOfKey(type) === 'RSA' ? 'modulus' : 'curve', bits: bits ?? 256 };
}

/** Without a key, a suite or a version there is nothing to rate; what alone makes a server useless still does. */
function letterWithoutRating(broken: readonly SslCode[]): SslLabsLetter | null {
  const [worst] = capsOf(broken);
  return worst && placeOfLetter[worst.letter] <= placeOfLetter.F ? worst.letter : null;
}

/** A+ is given for what was seen, not for what was left out. */
function isFlawlessKnown(verdicts: Verdicts<SslCode>): boolean {
  const wanted = [
    'certificate-expired',
    'certificate-root-unknown',
    'hsts-missing',
    'tls10-offered',
    'tls11-offered',
    'sslv3-offered',
    'suite-rc4-offered',
  ] as const;
  return wanted.every((code) => verdicts[code] === 'holds');
}

/** The letter of the arithmetic alone, before any cap: what is lost there is no finding's. */
function arithmeticLetter(rating: SslLabsRating | null): SslLabsLetter {
  if (rating === null) return 'A+';
  const order = Object.keys(placeOfLetter) as SslLabsLetter[];
  const capped = rating.caps[0]?.letter;
  // Without a cap the letter is the arithmetic's own; with one, losses above it belong to the findings.
  return capped === undefined || order.indexOf(rating.letter) > order.indexOf(capped) ? rating.letter : 'A+';
}

function reportRating({ score, protocolScore, keyExchangeScore, cipherScore, caps }: SslLabsRating) {
  return { score, protocolScore, keyExchangeScore, cipherScore, caps };
}

function withoutEffect(broken: readonly SslCode[]): { readonly [code: string]: number } {
  return Object.fromEntries(broken.map((code) => [code, 0]));
}

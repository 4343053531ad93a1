import type { FieldsOf } from '#shared/catalogue/spec';
import { placeOf } from '#shared/catalogue/ssl-check/grade/caps';
import {
  flawlessCodes,
  attributeScore,
  capsOf,
  type RatedFacts,
  rateSsl,
  type SslLabsRating,
  scoreOf,
} from '#shared/catalogue/ssl-check/grade/grade';
import { type SslLabsLetter, sslLabsLetters, type sslReportShape } from '#shared/catalogue/ssl-check/report';
import type { SslCode } from '#shared/catalogue/ssl-check/rules';
import { certificateRules } from '#shared/catalogue/ssl-check/rules/certificate';
import { connectionRules } from '#shared/catalogue/ssl-check/rules/connection';
import type { EndpointCode } from '#shared/catalogue/ssl-check/rules/endpoint';
import { nameRules } from '#shared/catalogue/ssl-check/rules/name';
import { kindOfFailure } from '#shared/model/failure';
import type { Assessment } from '#shared/model/report';
import {
  allOf,
  type BlindSpot,
  codesBroken,
  codesOf,
  isBroken,
  notTested,
  type Verdict,
  type Verdicts,
  withBlindSpots,
} from '#shared/model/verdict';
import type { CertificateKey } from '../../certificates/certificate.ts';
import type { FullEndpoint, HandshakeAnswer, QuestionEnd, SslEvidence } from './evidence.ts';
import { isAllAnswered, readFacts, type SslFacts } from './facts/facts.ts';
import { listPresented } from './facts/presented.ts';
import { kindOfKey } from './grammar/key-kind.ts';
import { versionNames } from './grammar/tls-names.ts';
import { type JudgedCertificates, judgeCertificates } from './judge/certificates.ts';
import { judgeClients } from './judge/clients.ts';
import { findObstacle, judgeConnection, type Obstacle } from './judge/connection.ts';
import { joinEndpoints, judgeEndpoints, judgeShortLooks, type VerdictsAt } from './judge/endpoints.ts';
import { withSslFixes } from './judge/fixes.ts';
import { isLetterOpen } from './judge/grade/open-letter.ts';
import { judgeNamesInDns } from './judge/names.ts';
import { judgeProtocols } from './judge/protocol.ts';
import { judgeSuites } from './judge/suites.ts';
import { reportCertificates } from './report/report-certificates.ts';
import { type Grades, reportEndpoints } from './report/report-endpoints.ts';
import { reportServer } from './report/report-server.ts';

/** Judges what was seen of the TLS servers of a name. Pure: the same evidence always gives the same report. */
export function assessSsl(seen: SslEvidence): Assessment<SslCode, FieldsOf<typeof sslReportShape>> {
  const evidence = withoutInterceptor(seen);
  const main = judgeAddress(evidence);
  const { facts, certificates, obstacle } = main;
  const others = judgeOthers(evidence);
  const verdicts = judgeName(main, others);
  const broken = codesBroken(verdicts);
  const isNoTls = obstacle?.code === 'port-speaks-http' || obstacle?.code === 'port-not-tls';
  const isFlawless = isFlawlessKnown(verdicts);
  const rating = worstRating([main, ...others].map((one) => rateSsl(ratedFactsOf(one), broken, isFlawless)));
  const letters = isNoTls ? unusable : lettersOf(rating, broken);
  const isOpen =
    obstacle === null && [main, ...others].some((one) => isLetterOpen(one.facts, verdicts, letters.own));
  const told = isOpen ? noLetters : letters;
  return {
    state: isNoTls ? 'complete' : isOpen ? 'partial' : stateOf(facts, obstacle),
    verdicts: withSslFixes(withBlindSpots(verdicts, blindSpotsOf(evidence))),
    fields: {
      ...reportServer(facts),
      ...reportCertificates(facts, certificates.each),
      endpoints: reportEndpoints(facts, gradesOf(main, others)),
      sslLabsEquivalent: told.guide,
      sslLabs: rating && !isOpen ? reportRating(rating) : null,
    },
    ...score(told.own, rating, broken),
  };
}

/** Rules that one accepted suite breaks, and that hold where it was not asked for. */
const ofSuites: readonly SslCode[] = [
  'suite-cbc-offered',
  'suite-finite-field-offered',
  'suite-without-forward-secrecy-offered',
  'key-exchange-breakable',
  'dh-parameters-small',
  'dh-prime-shared',
];
const ofClients: readonly SslCode[] = [
  'chrome-cannot-connect',
  'firefox-cannot-connect',
  'safari-cannot-connect',
];
const ofHandshake: readonly SslCode[] = [
  'ocsp-staple-invalid',
  'ocsp-staple-outdated',
  'client-certificate-requested',
];

/** What was not seen of the server, and what would speak of it. */
function blindSpotsOf({
  questions,
  handshakes,
  clients = [],
  endpoints,
}: SslEvidence): readonly BlindSpot<SslCode>[] {
  const isOpen = (end: { readonly kind: string }) =>
    end.kind === 'stopped' || end.kind === 'failure' || end.kind === 'silent';
  const isCut = questions.some(({ end }) => isOpen(end));
  const isMute =
    questions.some(({ accepted }) => accepted.length > 0) &&
    handshakes.every(({ handshake }) => isUncertain(handshake));
  const isAway = endpoints?.some(({ handshake }) => isUncertain(handshake)) === true;
  const of = (isBlind: boolean, why: string, codes: readonly SslCode[]) => ({
    why: isBlind ? why : undefined,
    codes,
  });
  return [
    of(isCut, 'not all suites could be asked for', ofSuites),
    of(isCut || isAway, 'not all addresses could be asked', ['endpoints-differ']),
    of(
      clients.some(({ answer }) => isOpen(answer as QuestionEnd)),
      'a browser’s own hello was not answered',
      ofClients,
    ),
    of(isMute, 'no handshake was completed', ofHandshake),
  ];
}

function isUncertain(handshake: HandshakeAnswer): boolean {
  return handshake.kind === 'failure' && kindOfFailure(handshake.code) === 'uncertain';
}

/** What an interceptor on the way answered says nothing of the server: its chains and answers are left out. */
function withoutInterceptor(evidence: SslEvidence): SslEvidence {
  const endpoints = evidence.endpoints?.map((one) =>
    one.full ? { ...one, full: withoutAnswers(one.full) } : one,
  );
  return { ...withoutAnswers(evidence), ...(endpoints ? { endpoints } : {}) };
}

const nothingSeen = {
  clients: [],
  notOffered: [],
  chains: [],
  choices: [],
  refusals: [],
  otherKind: null,
  withoutName: null,
  groups: null,
  tls12Groups: null,
  certificateForm: null,
  preference: null,
  tls13Preference: null,
} satisfies Partial<FullEndpoint>;

function withoutAnswers<Seen extends FullEndpoint>(seen: Seen): Seen {
  const all = seen.handshakes.map(({ handshake }) => handshake);
  const failure = all.find((one) => one.kind === 'failure' && one.code === 'not-from-here');
  if (failure?.kind !== 'failure' || all.some(({ kind }) => kind === 'connected')) return seen;
  const { code, reason } = failure;
  const end = { kind: 'failure', code, reason } as const;
  const questions = seen.questions.map((question) => ({ ...question, end }));
  return { ...seen, ...nothingSeen, questions };
}

/** The letter of the guide, and ours. */
type Letters = { readonly guide: SslLabsLetter | null; readonly own: SslLabsLetter | null };
const unusable: Letters = { guide: 'F', own: 'F' };
const noLetters: Letters = { guide: null, own: null };

function lettersOf(rating: SslLabsRating | null, broken: readonly SslCode[]): Letters {
  if (rating !== null) return { guide: rating.letter, own: rating.ownLetter };
  const letter = letterWithoutRating(broken);
  return { guide: letter, own: letter };
}

function score(
  letter: SslLabsLetter | null,
  rating: SslLabsRating | null,
  broken: readonly SslCode[],
): Pick<Assessment<SslCode>, 'score' | 'scoreEffects'> {
  return letter === null
    ? { score: null, scoreEffects: withoutEffect(broken) }
    : {
        score: scoreOf(letter, broken),
        scoreEffects: attributeScore(arithmeticLetter(rating, broken), broken),
      };
}

/** The verdicts on the name: those on the main address, and what only others break. */
function judgeName(main: JudgedEndpoint, others: readonly JudgedEndpoint[]): Verdicts<SslCode> {
  const { facts, obstacle } = main;
  const between = judgeEndpoints(
    facts,
    others.map((one) => one.facts),
  );
  const all = [...others.map(ofOther), ...judgeShortLooks(facts.evidence)];
  return joinEndpoints<SslCode>({ ...main.verdicts, ...between }, obstacle === null ? all : []);
}

function gradesOf(main: JudgedEndpoint, others: readonly JudgedEndpoint[]): Grades {
  const { facts, certificates } = main;
  const { evidence } = facts;
  const isOne = (evidence.endpoints ?? []).length === 0;
  return {
    // The certificates of the other addresses are none of its own.
    own: gradeOf(isOne ? main : judgeAddress({ ...evidence, endpoints: null })),
    others: new Map(others.map((one) => [one.address, gradeOf(one)])),
    each: certificates.each,
  };
}

/** What is judged of one address. */
type JudgedEndpoint = {
  readonly address: string;
  readonly facts: SslFacts;
  readonly certificates: JudgedCertificates;
  readonly obstacle: Obstacle | null;
  readonly verdicts: Verdicts<Exclude<SslCode, EndpointCode>>;
};

function judgeAddress(evidence: SslEvidence): JudgedEndpoint {
  const facts = readFacts(evidence);
  const certificates = judgeCertificates(listPresented(facts), evidence);
  const obstacle = findObstacle(facts);
  const address = evidence.addresses[0] ?? '';
  return { address, facts, certificates, obstacle, verdicts: judgeAll(facts, certificates, obstacle) };
}

/** The same for each other address that was looked at in full. */
function judgeOthers(evidence: SslEvidence): readonly JudgedEndpoint[] {
  return (evidence.endpoints ?? []).flatMap(({ address, full }) =>
    full === undefined ? [] : [judgeAddress({ ...evidence, ...full, addresses: [address], endpoints: null })],
  );
}

/** Of certificates the main address has judged all; rules about the connection and the DNS are the name's own. */
function ofOther({ address, verdicts, obstacle }: JudgedEndpoint): VerdictsAt<SslCode> {
  const isShared = (code: SslCode) => Object.hasOwn(connectionRules, code) || Object.hasOwn(nameRules, code);
  const isTold = (code: SslCode, verdict: Verdict) =>
    !isShared(code) && (isBroken(verdict) || !isToldBroken(code));
  // An address that does not work has a finding of its own.
  if (obstacle !== null) return { address, verdicts: {} };
  const told = codesOf(verdicts).filter((code) => isTold(code, verdicts[code]));
  return { address, verdicts: Object.fromEntries(told.map((code) => [code, verdicts[code]])) };
}

/** Rules of which another address tells only that they are broken: what it did not show is the same as at the main one. */
function isToldBroken(code: SslCode): boolean {
  return Object.hasOwn(certificateRules, code) || code === 'certificate-compression-missing';
}

function gradeOf(judged: JudgedEndpoint): SslLabsLetter | null {
  const broken = codesBroken(judged.verdicts);
  const rating = rateSsl(ratedFactsOf(judged), broken, isFlawlessKnown(judged.verdicts));
  const { own } = lettersOf(rating, broken);
  return isLetterOpen(judged.facts, judged.verdicts, own) ? null : own;
}

/** By the same findings the letters differ only where the arithmetic of one address leaves less. */
function worstRating(ratings: readonly (SslLabsRating | null)[]): SslLabsRating | null {
  const placed = ratings.filter((rating) => rating !== null);
  return (
    placed.toSorted(
      (a, b) =>
        sslLabsLetters.indexOf(b.ownLetter) - sslLabsLetters.indexOf(a.ownLetter) || a.score - b.score,
    )[0] ?? null
  );
}

function judgeAll(
  facts: SslFacts,
  { each, all }: JudgedCertificates,
  obstacle: Obstacle | null,
): JudgedEndpoint['verdicts'] {
  const chains = each.map(({ presented }) => presented.chain);
  const judged = {
    ...all,
    ...judgeClients(facts),
    ...judgeProtocols(facts, chains),
    ...judgeSuites(facts, chains),
  };
  return {
    ...judgeConnection(facts, obstacle),
    // Behind an obstacle nothing was seen, whatever the refusals seem to say.
    ...(obstacle === null ? judged : allOf(judged, notTested('the server could not be talked to in TLS'))),
    ...(obstacle?.code === 'name-not-found' ? noName : judgeNamesInDns(facts.evidence, chains)),
  };
}

/** The DNS rules do not apply to a name that does not exist. */
const noName = allOf(nameRules, 'not-applicable');

function stateOf(facts: SslFacts, obstacle: Obstacle | null): Assessment['state'] {
  if (obstacle !== null) return 'unreachable';
  return isAllAnswered(facts) ? 'complete' : 'partial';
}

function ratedFactsOf({ facts: { protocols, suites }, certificates }: JudgedEndpoint): RatedFacts {
  const chains = certificates.each.map(({ presented }) => presented.chain);
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
  return worst && placeOf(worst.letter) <= placeOf('F') ? worst.letter : null;
}

function isFlawlessKnown(verdicts: JudgedEndpoint['verdicts']): boolean {
  return flawlessCodes.every((code) => verdicts[code] === 'holds');
}

/** The letter of the arithmetic alone, before any cap: what is lost there is no finding's. */
function arithmeticLetter(rating: SslLabsRating | null, broken: readonly SslCode[]): SslLabsLetter {
  if (rating === null) return 'A+';
  const order = sslLabsLetters;
  const { ownLetter } = rating;
  const [capped] = capsOf(broken);
  // Without a cap the letter is the arithmetic's own; with one, losses above it belong to the findings.
  return capped === undefined || order.indexOf(ownLetter) > order.indexOf(capped.letter) ? ownLetter : 'A+';
}

function reportRating({ score, protocolScore, keyExchangeScore, cipherScore, caps }: SslLabsRating) {
  return { score, protocolScore, keyExchangeScore, cipherScore, caps };
}

function withoutEffect(broken: readonly SslCode[]): { readonly [code: string]: number } {
  return Object.fromEntries(broken.map((code) => [code, 0]));
}

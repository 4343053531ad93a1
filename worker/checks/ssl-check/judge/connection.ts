import { type ConnectionCode, connectionRules } from '#shared/catalogue/ssl-check/rules/connection';
import { isNotAsked } from '#shared/model/failure';
import type { FailureCode } from '#shared/model/failure';
import { allOf, brokenBy, codesOf, eachOf, notTested, type Verdicts } from '#shared/model/verdict';
import type { Question } from '../evidence.ts';
import { isBrokenAnswer } from '../facts/decisive.ts';
import type { SslFacts } from '../facts/facts.ts';
import { alertName } from '../grammar/tls-names.ts';

/** Why no handshake came about. Without a code it says nothing about the server. */
export type Obstacle = {
  readonly code: ConnectionCode | null;
  readonly shown: { readonly [key: string]: string | number };
};

/** What can stand in the way, step by step: what is behind an obstacle was not come to, and of the alternatives to it nothing is known. */
const steps = [
  ['target-not-allowed'],
  ['name-not-found', 'name-unresolved'],
  ['target-address-not-allowed'],
  ['connection-refused', 'connection-timeout'],
  [
    'connection-reset',
    'connection-closed',
    'tls-silent',
    'port-speaks-http',
    'port-not-tls',
    'parameters-not-common',
    'tls-alert',
  ],
] as const satisfies readonly (readonly ConnectionCode[])[];

/** Judges whether there is anything to judge. */
export function judgeConnection({ evidence }: SslFacts, obstacle: Obstacle | null): Verdicts<ConnectionCode> {
  const { host, port } = evidence;
  const met = obstacle?.code;
  if (met === null) return allOf(connectionRules, notTested(`${obstacle?.shown['reason']}`));
  const isMet = (code: ConnectionCode) => code === met;
  const reached = met === undefined ? steps.length : steps.findIndex((codes) => codes.some(isMet));
  const broken = brokenBy([{ host, port, ...obstacle?.shown }]);
  const judge = <Code extends ConnectionCode>(codes: readonly Code[], step: number): Verdicts<Code> => ({
    ...eachOf(codes, step < reached ? 'holds' : 'not-applicable'),
    ...eachOf(codes.filter(isMet), broken),
  });
  const [permission, name, address, dialling, greeting] = steps;
  return {
    ...judge(permission, 0),
    ...judge(name, 1),
    ...judge(address, 2),
    ...judge(dialling, 3),
    ...judge(greeting, 4),
  };
}

/** Finds what stood in the way; null when the server answered in TLS. */
export function findObstacle({ evidence, isAlive, known }: SslFacts): Obstacle | null {
  if (isAlive) return null;
  const ends = evidence.questions.map(({ end }) => end);
  // A server whose answer breaks the protocol did answer; a rule of its own tells it.
  if (ends.some(isBrokenAnswer) || known.unusable.length > 0) return null;
  const failure = ends.find((end) => end.kind === 'failure');
  if (failure) return { code: codeOfFailure(failure.code), shown: { reason: failure.reason } };
  const other = ends.find((end) => end.kind === 'not-tls');
  if (other) return { code: other.isHttp ? 'port-speaks-http' : 'port-not-tls', shown: {} };
  return findRefusal(evidence.questions, evidence.handshakes) ?? silent;
}

const silent: Obstacle = { code: 'tls-silent', shown: {} };

/** Alerts that say "I want other versions, suites or groups". */
const disagreements = [40, 70, 71];

function findRefusal(
  questions: readonly Question[],
  handshakes: SslFacts['evidence']['handshakes'],
): Obstacle | null {
  const refusals = questions.filter(({ end }) => end.kind === 'refused');
  const alert = findAlert(refusals);
  if (alert) return findOurEnd(questions, handshakes) ?? alert;
  const ends = refusals.map(({ end }) => (end.kind === 'refused' ? end.by : ''));
  if (ends.includes('closed')) return { code: 'connection-closed', shown: {} };
  if (ends.includes('reset')) return { code: 'connection-reset', shown: {} };
  const handshake = handshakes[0]?.handshake;
  if (handshake?.kind !== 'failure') return null;
  const code = codeOfFailure(handshake.code);
  return code === null ? null : { code, shown: { reason: handshake.reason } };
}

/**
 * What we ended ourselves, at a deadline or for want of budget: beside it, alerts that refuse some of what was offered do not
 * say that the server refuses all of it.
 */
function findOurEnd(
  questions: readonly Question[],
  handshakes: SslFacts['evidence']['handshakes'],
): Obstacle | null {
  for (const { handshake } of handshakes)
    if (handshake.kind === 'failure' && (handshake.code === 'tls-timeout' || isNotAsked(handshake.code)))
      return { code: null, shown: { reason: handshake.reason } };
  for (const { end } of questions.filter(isOfToday)) {
    if (end.kind === 'silent')
      return { code: null, shown: { reason: 'a ClientHello was not answered in time' } };
    if (end.kind === 'stopped') return { code: null, shown: { reason: end.reason } };
  }
  return null;
}

function isOfToday({ version }: Question): boolean {
  return version === 'TLSv1.2' || version === 'TLSv1.3';
}

/** The versions of today come first; what an old one meets is often the server's own policy and says less. */
function findAlert(refusals: readonly Question[]): Obstacle | null {
  const alertsOf = (questions: readonly Question[]) =>
    questions.flatMap(({ end }) => (end.kind === 'refused' && end.by === 'alert' ? [end.alert] : []));
  const ofToday = alertsOf(refusals.filter(isOfToday));
  const alerts = ofToday.length > 0 ? ofToday : alertsOf(refusals);
  const [first] = alerts;
  if (first === undefined) return null;
  const code = alerts.every((one) => disagreements.includes(one)) ? 'parameters-not-common' : 'tls-alert';
  return { code, shown: { alert: alertName(first), number: first } };
}

/** The failures of a probe are named as the rules are; one that no rule tells is no fault of the server. */
function codeOfFailure(code: FailureCode): ConnectionCode | null {
  if (code === 'not-tls') return 'port-not-tls';
  return codesOf(connectionRules).find((one) => one === code) ?? null;
}

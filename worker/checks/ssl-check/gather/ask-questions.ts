import type { FallbackObservation, Question } from '../evidence.ts';
import { type SuiteSet, suiteSets } from '../grammar/suites.ts';
import { groups, oldGroupIds, type VersionName } from '../grammar/tls-names.ts';
import type { HelloAnswer, HelloAsker } from './ask-hello.ts';

export type OldVersion = Exclude<VersionName, 'SSLv2' | 'TLSv1.3'>;

/** Asks once whether a version is spoken at all. */
export async function askOnce(
  asker: Pick<HelloAsker, 'ask'>,
  version: OldVersion,
  set: SuiteSet,
): Promise<Question> {
  const answer = await asker.ask({ version, suites: suiteSets[set], groups: oldGroupIds });
  return { version, set, ...readOnce(answer) };
}

/** Asks once for SSL 2.0. */
export async function askSsl2(asker: HelloAsker): Promise<Question> {
  return { version: 'SSLv2', set: 'ssl2', ...readOnce(await asker.askSsl2()) };
}

function readOnce(answer: HelloAnswer): Pick<Question, 'accepted' | 'end'> {
  return answer.kind === 'accepted'
    ? {
        accepted: [answer],
        end: { kind: 'stopped', reason: 'only the first choice was asked for' },
      }
    : { accepted: [], end: answer };
}

/** Sends a ClientHello again that was accepted before; null when none was. */
export async function askAgain(asker: HelloAsker, questions: readonly Question[]): Promise<boolean | null> {
  const known = questions.find(({ version, accepted }) => version !== 'SSLv2' && accepted.length > 0);
  if (known === undefined || known.version === 'SSLv2') return null;
  const { version, accepted } = known;
  const groupIds = version === 'TLSv1.3' ? [...groups.keys()] : oldGroupIds;
  const answer = await asker.askLast({
    version,
    suites: accepted.map(({ suite }) => suite),
    groups: groupIds,
  });
  return answer.kind === 'accepted';
}

/** The signal of a client that comes back with a lower version, and the alert by which a server refuses it (RFC 7507 §3, §4). */
const fallbackScsv = 0x5600;
const inappropriateFallback = 86;

/** Comes back with an older version though a newer one is spoken; null where there is no such pair. */
export async function askFallback(
  asker: HelloAsker,
  questions: readonly Question[],
): Promise<FallbackObservation | null> {
  const spoken = (version: VersionName) =>
    questions.find((one) => one.version === version && one.accepted.length > 0);
  const old = spoken('TLSv1.1') ?? spoken('TLSv1');
  if (old === undefined || (spoken('TLSv1.2') ?? spoken('TLSv1.3')) === undefined) return null;
  const suites = [...old.accepted.map(({ suite }) => suite), fallbackScsv];
  const version = old.version === 'TLSv1.1' ? 'TLSv1.1' : 'TLSv1';
  const answer = await asker.ask({ version, suites, groups: oldGroupIds });
  if (answer.kind === 'accepted') return 'accepted';
  const isRefused =
    answer.kind === 'refused' && answer.by === 'alert' && answer.alert === inappropriateFallback;
  return isRefused ? 'refused' : 'unknown';
}

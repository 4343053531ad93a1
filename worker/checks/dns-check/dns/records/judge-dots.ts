import { brokenBy, type Evidence, notTested, type Verdict } from '#shared/model/verdict';
import { foundRecords, readAnswer } from '../../../../dns/read-answer.ts';
import { readAll, readMx, readText } from '../../../../dns/record-values.ts';
import { meantName } from '../../meant-name.ts';
import type { DnsFacts } from '../facts.ts';

/**
 * Judges that no record lacks its last dot where a wildcard answers for the name that this makes: then nothing looks broken, and mail or
 * visitors arrive at the wildcard's address. Without a wildcard such a name does not exist, which has rules of its own.
 */
export function judgeDots({ apex, evidence, domain }: DnsFacts): Verdict {
  const slips = [
    ...readAll(foundRecords(apex.MX), readMx).map(({ exchange }) => ({ record: 'MX', name: exchange })),
    ...readAll(foundRecords(apex.NS), readText).map((name) => ({ record: 'NS', name })),
    ...[evidence.www.A, evidence.www.AAAA].flatMap((answer) =>
      readAnswer(answer).aliases.map(({ target }) => ({ record: 'CNAME', name: target })),
    ),
  ].flatMap(({ record, name }): Evidence[] => {
    const meant = meantName(name.toLowerCase(), domain);
    return meant === undefined ? [] : [{ record, name, meant }];
  });
  const unread = [apex.MX, apex.NS].find(({ state }) => state === 'unknown');
  if (slips.length === 0) return unread?.state === 'unknown' ? notTested(unread.why) : 'holds';
  const random = readAnswer(evidence.random);
  if (random.state === 'unknown') return notTested(`whether a wildcard answers is not known: ${random.why}`);
  if (random.state === 'none') return 'not-applicable';
  return brokenBy([...new Map(slips.map((slip) => [JSON.stringify(slip), slip])).values()]);
}

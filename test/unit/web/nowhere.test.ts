import { expect, test } from 'vitest';
import { whyNowhere } from '../../../worker/web/nowhere.ts';

const refused = 'target-not-allowed';

test.for([
  ['https://https//a.test/', 'one address was put behind another, so that its host is "https"'],
  ['http://http//a.test/', 'one address was put behind another, so that its host is "http"'],
  ['https://undefined/a', 'its host is "undefined", which programs write for a value that is missing'],
  ['https://null/', 'its host is "null", which programs write for a value that is missing'],
  ['https://$host/a', 'its host "$host" has a placeholder that nobody filled in'],
  ['https://${domain}/', 'its host "${domain}" has a placeholder that nobody filled in'],
  ['https://{{host}}/', 'its host "{{host}}" has a placeholder that nobody filled in'],
  ['http://localhost:8080/', 'localhost is the visitor’s own machine'],
  ['http://app.localhost/', 'localhost is the visitor’s own machine'],
  ['https://intranet/', 'the host "intranet" is a single label'],
  [
    'https://-a.test/',
    'the host "-a.test" has the label "-a", which is not letters, digits and inner hyphens',
  ],
  ['https://a..test/', 'the host "a..test" has an empty label'],
] as const)('%s leads nowhere: %s', ([to, why]) => {
  expect(whyNowhere({ from: 'http://a.test/', to, code: refused })).toContain(why);
});

test.for([
  ['http://10.0.0.1/', refused],
  ['http://127.0.0.1:8080/', refused],
  ['http://[::1]/', refused],
  ['https://host.internal/', refused],
  ['https://a.local/', refused],
  ['https://a.example:25/', refused],
  ['https://b.test/', 'name-not-found'],
  ['https://a.test/', 'name-not-found'],
  ['https://a.test.other.test/', 'name-not-found'],
  ['https://undefined/', 'connection-refused'],
] as const)('%s may be somebody’s (%s)', ([to, code]) => {
  expect(whyNowhere({ from: 'http://a.test/', to, code })).toBeUndefined();
});

test.for([
  ['http://a.test/images/x', 'https://a.testimages/x', 'a.test'],
  ['http://a.test/index.html', 'https://www.a.testindex.html/', 'www.a.test'],
  ['http://www.a.test/b', 'https://a.testb/', 'a.test'],
] as const)('from %s to %s the slash behind the host is missing', ([from, to, host]) => {
  const why = whyNowhere({ from, to, code: 'name-not-found' });
  expect(why).toBe(`no host "${new URL(to).hostname}" exists, as the slash behind ${host} is missing`);
});

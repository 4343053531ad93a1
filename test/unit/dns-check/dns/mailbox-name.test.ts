import { expect, test } from 'vitest';
import { parseMailboxName } from '../../../../worker/checks/dns-check/dns/soa/parse-mailbox-name.ts';

test.for([
  ['first\\.last.example.com', { local: 'first.last', domain: 'example.com' }],
  ['hostmaster@example.com', { malformed: 'it has an @ where a dot belongs' }],
  ['host.master@example.com', { malformed: 'it has an @ where a dot belongs' }],
  ['', { malformed: 'it is empty' }],
  ['hostmaster.com', { malformed: 'what follows the first label is not a mail domain' }],
  ['hostmaster.example.1', { malformed: 'its mail domain ends in a number' }],
] as const)('the mailbox of %s', ([rname, expected]) => {
  expect(parseMailboxName(rname)).toEqual(expected);
});

import { expect, test } from 'vitest';
import { findLure } from '../../../worker/web/lure.ts';

const base = 'https://a.test/';

test.for([
  ['https://www.a-site.com@b-site.com/', 'www.a-site.com', 'b-site.com'],
  ['https://a-site.com@b-site.com/login', 'a-site.com', 'b-site.com'],
  ['//www.a-site.com@b-site.com/', 'www.a-site.com', 'b-site.com'],
  ['https:\\\\WWW.A-Site.com@b-site.com', 'www.a-site.com', 'b-site.com'],
  ['https://www.a-site.com:443@b-site.com/', 'www.a-site.com', 'b-site.com'],
  ['https://www.a-site.com%2Flogin@b-site.com/', 'www.a-site.com', 'b-site.com'],
  ['https://https%3A%2F%2Fwww.a-site.com%2Flogin@b-site.com/', 'www.a-site.com', 'b-site.com'],
  ['https://www.a-site.test@b-site.test/', 'www.a-site.test', 'b-site.test'],
  ['https://bank.co.uk@192.0.2.1/', 'bank.co.uk', '192.0.2.1'],
] as const)('%s pretends to lead to %s', ([location, named, host]) => {
  expect(findLure(location, base)).toEqual({ named, host });
});

test.for([
  ['https://b.test/', 'no user information'],
  ['https://user:secret@b.test/', 'a user and a password'],
  ['https://first.last@b.test/', 'a name that is no host'],
  ['https://first.last:secret@b.test/', 'such a name and a password'],
  ['https://me%40example.com:secret@b.test/', 'a mail address'],
  ['https://me@example.com@b.test/', 'a mail address that is not encoded'],
  ['https://www.a-site.com:secret@b.test/', 'a host with a password'],
  ['https://www.b.test@b.test/', 'another host of the same site'],
  ['/www.a-site.com@b.test', 'a path'],
  ['http://[bad', 'no URL'],
] as const)('%s holds none: %s', ([location]) => {
  expect(findLure(location, base)).toBeUndefined();
});

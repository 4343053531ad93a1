import { MongoServerError } from 'mongodb';
import { expect, test } from 'vitest';
import { sayMongoFault } from '#shared/backends/mongo-errors';

// Of one code, as MongoDB 8 words them: a URL without a user, and a user without the right.
test.for([
  ['Command find requires authentication', 'it wants a user and a password'],
  ['not authorized on diag to execute command { find: "upkeep" }', 'its user may not do that'],
] as const)('code 13, "%s"', ([message, says]) => {
  expect(sayMongoFault(new MongoServerError({ message, code: 13, codeName: 'Unauthorized' }))).toContain(
    says,
  );
});

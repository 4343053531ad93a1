import type { Case } from './case.ts';
import type { Change } from './good-world.ts';

const one = (manner: NonNullable<Change['servers']>[string]): Change => ({
  servers: { '198.51.100.1': manner },
});
const row = (name: string, change: Change, ...broken: Case['broken']): Case => ({ name, change, broken });

/** How name servers treat what few ask: another version of EDNS, an unknown option, upper case. */
export const mannerCases: readonly Case[] = [
  row(
    'a server that takes EDNS version 1 for its own',
    one({ nextEdns: 'NOERROR' }),
    'ns-edns-version-broken',
  ),
  row('a server that cannot read EDNS version 1', one({ nextEdns: 'FORMERR' }), 'ns-edns-version-broken'),
  row('a server that drops EDNS version 1', one({ nextEdns: 'silence' }), 'ns-edns-version-broken'),
  row(
    'a server that fails for once says nothing of EDNS',
    one({ nextEdns: 'SERVFAIL', unknownOption: 'SERVFAIL' }),
  ),
  {
    name: 'a server that takes an unknown option for an error',
    change: one({ unknownOption: 'FORMERR' }),
    broken: ['ns-edns-option-broken'],
    score: 97,
  },
  row('a server that drops unknown options', one({ unknownOption: 'silence' }), 'ns-edns-option-broken'),
  row(
    'a server that refuses a newer version for an unknown option',
    one({ unknownOption: 'BADVERS' }),
    'ns-edns-option-broken',
  ),
  {
    name: 'a server that writes the question in lower case',
    change: one({ keepsCase: false }),
    broken: ['ns-letter-case-broken'],
    score: 97,
  },
  row(
    'a server that knows its zone in lower case alone',
    one({ keepsCase: 'NXDOMAIN' }),
    'ns-letter-case-broken',
  ),
];

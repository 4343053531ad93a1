import { describe, expect, test } from 'vitest';
import { gatherRedirects, walkLimits } from '../../../worker/checks/redirect-check/gather.ts';
import { walkChain } from '../../../worker/checks/security-header-check/gather/walk-chain.ts';
import type { Probes } from '../../../worker/probes/port.ts';
import { openWork } from '../../../worker/probes/work.ts';
import { wayOfHeaders, wayOfRedirects } from '../../kit/both-walks.ts';
import { replay } from '../../kit/corpus.ts';
import { ownChains } from '../../kit/own-chains.ts';

describe('a chain', () => {
  test.for(ownChains)('of $host is walked alike by both checks', async (chain) => {
    const target = chain.hops[0]?.url ?? '';
    const probes = { http: replay(chain), work: openWork() } as unknown as Probes;
    const redirects = await gatherRedirects(
      { target, options: {}, probes, progress: () => undefined },
      walkLimits,
    );
    const headers = await walkChain(target, { http: replay(chain), work: openWork() });
    expect(wayOfHeaders(headers)).toEqual(wayOfRedirects(redirects));
  });
});

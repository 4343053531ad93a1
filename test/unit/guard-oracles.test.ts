import type { Agent } from 'node:http';
import { Socket } from 'node:net';
import { AntiSSRFPolicy, PolicyConfigOptions } from '@microsoft/antissrf';
import { RequestFilteringHttpAgent } from 'request-filtering-agent';
import { expect, test } from 'vitest';
import { classifyAddress } from '#shared/targets/classify-address';
import { publicAddresses, refusedAddresses } from '../fixtures/guard/addresses.ts';

/** True when the agent would connect to the address. Nothing leaves: the socket's connect is ours meanwhile. */
async function wouldConnect(agent: Agent, address: string): Promise<boolean> {
  const connect = Socket.prototype.connect;
  let tried = false;
  Socket.prototype.connect = function never(this: Socket) {
    tried = true;
    return this;
  } as typeof connect;
  try {
    const options = { host: address, hostname: address, port: 80, protocol: 'http:' };
    const socket = agent.createConnection(options as never) as Socket | undefined;
    socket?.on('error', () => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    socket?.destroy();
  } catch {
    tried = false; // refused at once
  } finally {
    Socket.prototype.connect = connect;
    agent.destroy();
  }
  return tried;
}

/** Addresses as their own form: what is no address goes through a name look-up there, and is not for these agents to judge. */
const corpus = [...refusedAddresses, ...publicAddresses].filter(
  (address) =>
    /^[\d.]+$|:/.test(address) &&
    !/^\[|%|^\d+$|^127\.1$|\.5$|^01/.test(address.trim()) &&
    address === address.trim(),
);

const openAgents = {
  'request-filtering-agent': () => new RequestFilteringHttpAgent() as Agent,
  antissrf: () => new AntiSSRFPolicy(PolicyConfigOptions.ExternalOnlyLatest).getHttpAgent() as Agent,
};

/** Where the oracle lets pass what we refuse, and why we refuse it. The other way round there is nothing. */
const explained: Record<keyof typeof openAgents, Record<string, string>> = {
  'request-filtering-agent': {
    '168.63.129.16': 'a cloud’s metadata and DNS address, public by registry',
    '::7f00:1': 'IPv4-compatible (deprecated, RFC 4291 §2.5.5.1): 127.0.0.1 where a network still routes it',
    '100:0:0:1::1': 'dummy prefix (RFC 9780), not globally reachable',
    '4000::1': 'outside 2000::/3: allocated to nobody',
  },
  antissrf: {
    '::7f00:1': 'IPv4-compatible (deprecated, RFC 4291 §2.5.5.1): 127.0.0.1 where a network still routes it',
    '::ffff:8.8.8.8': 'IPv4-mapped: never a public IPv6 address on the wire; we want the IPv4 spelling',
    '::ffff:0:127.0.0.1': 'IPv4-translated (RFC 2765): 127.0.0.1 behind a translator',
    '4000::1': 'outside 2000::/3: allocated to nobody',
  },
};

test.for(Object.keys(openAgents) as (keyof typeof openAgents)[])(
  '%s and our classifier agree on the corpus, but for what is explained',
  async (name) => {
    const differences: Record<string, string> = {};
    for (const address of corpus) {
      const ours = classifyAddress(address, { allow: [], deny: [] }).kind === 'public';
      const theirs = await wouldConnect(openAgents[name](), address);
      if (ours !== theirs) differences[address] = ours ? 'only ours lets pass' : 'only theirs lets pass';
    }
    console.log(
      `${name}: ${corpus.length} addresses, ${Object.keys(differences).length} differ: ${JSON.stringify(differences)}`,
    );
    expect(Object.keys(differences).sort()).toEqual(Object.keys(explained[name]).sort());
  },
);

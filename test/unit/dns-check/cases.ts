import { apexTypes } from '../../../worker/checks/dns-check/halves.ts';
import type { Case } from './case.ts';
import { denialCases } from './denial-cases.ts';
import { keys } from './dns/dnssec-vectors.ts';
import { type Change, keySigning } from './good-world.ts';
import { mannerCases } from './manner-cases.ts';
import { originCases } from './origin-cases.ts';
import { dsLine, keyLine, makeKey } from './sign-zone.ts';
import { readZone } from './zone-file.ts';

const hour = 3600;
const day = 24 * hour;
const allServers = ['192.0.2.1', '2001:db8:1::1', '198.51.100.1', '2001:db8:2::1', '203.0.113.53'];
const silent = { failure: { code: 'timeout', reason: 'no answer within 3 tries' } } as const;
const every = (manner: NonNullable<Change['servers']>[string]): NonNullable<Change['servers']> =>
  Object.fromEntries(allServers.map((address) => [address, manner]));
const servfail = { rcode: 'SERVFAIL' } as const;
const failing = (...questions: readonly string[]): NonNullable<Change['resolver']> => ({
  instead: new Map(questions.map((question) => [question, { ...servfail, answers: [], authority: [] }])),
});
const timedOut = (...questions: readonly string[]): NonNullable<Change['resolver']> => ({
  instead: new Map(
    questions.map((question) => [
      question,
      { kind: 'failure', question: { name: '', type: '' }, server: '', ...silent.failure },
    ]),
  ),
});
const apexQuestions = apexTypes.map((type) => `${type} good.test`);
const insideOnly = {
  without: ['@ 3600 NS ns.other'],
  parentWithout: ['good.test 3600 NS ns.other'],
} as const;
const copyOf = (...lines: readonly string[]) => readZone('good.test', lines.join('\n'));
const soaLine = (change: string) => `@ 3600 SOA ns1.good.test ${change}`;
const soa = (change: string, above: readonly string[] = []): Change => ({
  without: ['@ 3600 SOA'],
  add: [soaLine(change)],
  parentAdd: above,
});

const hinted = (hints: string, target = ''): Change => ({
  without: ['@ 3600 HTTPS'],
  add: [`@ 3600 HTTPS {"priority": 1, "target": "${target}", "params": {${hints}}}`],
});

const bareBinding = (binding: string): Change => ({
  without: ['@ 3600 HTTPS', '@ 3600 A ', '@ 3600 AAAA', 'www'],
  add: [`@ 3600 HTTPS ${binding}`],
});

const records: readonly Case[] = [
  { name: 'a domain in which everything is well breaks nothing', change: {}, broken: [], score: 100 },
  {
    name: 'a name that does not exist is one finding, and nothing else applies',
    change: {},
    domain: 'nothing.test',
    broken: ['domain-not-found'],
    score: null,
  },
  {
    name: 'a question that fails is told, costs nothing and leaves what hangs on it open',
    change: { resolver: failing('CAA good.test') },
    broken: ['lookup-failed'],
    notTested: [
      'caa-missing',
      'caa-unknown-critical',
      'caa-value-malformed',
      'caa-methods-none-known',
      'caa-method-unknown',
      'caa-parameter-misspelt',
      'caa-contact-invalid',
      'caa-iodef-invalid',
      'caa-tag-unknown',
      'caa-forbids-all',
    ],
    score: 100,
  },
  {
    name: 'CAA that the zone’s own servers fail for too stops CAs (RFC 8659 §3)',
    change: {
      resolver: failing('CAA good.test'),
      servers: every({ failsFor: 'CAA' }),
    },
    broken: ['lookup-failed', 'ns-type-failed', 'caa-lookup-failed'],
    notTested: ['caa-missing'],
  },
  {
    name: 'CAA that a registry fails for is not the owner’s to repair',
    change: {
      without: ['@ 3600 CAA'],
      resolver: {
        instead: new Map([
          ['CAA test', { ...servfail, answers: [], authority: [], ede: [{ code: 22, text: '' }] }],
        ]),
      },
    },
    broken: [],
    notTested: ['caa-lookup-failed', 'caa-missing'],
  },
  {
    name: 'CAA that only our resolver fails for',
    change: { resolver: failing('CAA good.test') },
    broken: ['lookup-failed'],
    notTested: ['caa-lookup-failed'],
  },
  {
    name: 'addresses that fail leave aliases and addresses open',
    change: { resolver: failing('A good.test', 'AAAA good.test', 'A www.good.test', 'AAAA www.good.test') },
    broken: ['lookup-failed'],
    notTested: ['apex-cname', 'cname-dangling', 'cname-loop', 'cname-chain-long', 'address-not-public'],
  },
  {
    name: 'an alias to nothing is told by one address type, though the other fails',
    change: {
      without: ['www'],
      add: ['www.good.test 3600 CNAME gone.other.test'],
      resolver: failing('AAAA www.good.test'),
    },
    broken: ['cname-dangling'],
  },
  {
    name: 'a zone that is an alias hides its other records',
    change: {
      signed: false,
      without: ['@ 3600 A ', '@ 3600 AAAA', '@ 3600 MX', '@ 3600 TXT', '@ 3600 CAA', '@ 3600 HTTPS'],
      add: ['@ 3600 CNAME host.other.test'],
    },
    broken: ['address-no-ipv6', 'apex-cname', 'dnssec-unsigned', 'caa-missing'],
  },
  {
    name: 'an alias that leads to nothing can be taken over',
    change: { without: ['www'], add: ['www.good.test 3600 CNAME gone.other.test'] },
    broken: ['cname-dangling'],
    score: 70,
  },
  {
    name: 'a www that does not exist is no dangling alias',
    change: { without: ['www'] },
    broken: [],
  },
  {
    name: 'aliases in a circle are found where the resolver passes them on',
    change: {
      without: ['www'],
      add: ['www.good.test 3600 CNAME a.good.test', 'a.good.test 3600 CNAME www.good.test'],
    },
    broken: ['cname-loop'],
    notTested: ['address-not-public'],
  },
  {
    name: 'five aliases in a row are long',
    change: {
      without: ['www'],
      add: [
        'www.good.test 3600 CNAME a.good.test',
        'a.good.test 3600 CNAME b.good.test',
        'b.good.test 3600 CNAME c.good.test',
        'c.good.test 3600 CNAME d.good.test',
        'd.good.test 3600 CNAME good.test',
      ],
    },
    broken: ['cname-chain-long'],
    score: 97,
  },
  {
    name: 'a private address cannot be reached',
    change: { add: ['@ 3600 A 10.0.0.1'] },
    broken: ['address-not-public'],
    score: 70,
  },
  {
    name: 'a unique local IPv6 address cannot be reached',
    change: { without: ['www'], add: ['www.good.test 3600 AAAA fd00::1'] },
    broken: ['address-not-public'],
  },
  {
    name: 'a wildcard is told',
    change: { add: ['*.good.test 3600 A 192.0.2.80'] },
    broken: ['wildcard-present'],
    score: 100,
  },
  {
    name: 'a mail host whose last dot is missing, at an address of the wildcard',
    change: {
      without: ['@ 3600 MX'],
      add: ['@ 3600 MX 10 aspmx.l.google.com.good.test', '*.good.test 3600 A 192.0.2.80'],
    },
    broken: ['record-dot-missing', 'wildcard-present'],
    score: 70,
  },
  {
    name: 'the same without a wildcard has no address, which mail tells',
    change: { without: ['@ 3600 MX'], add: ['@ 3600 MX 10 aspmx.l.google.com.good.test'] },
    broken: ['soa-rname-no-mail'],
    unjudged: ['record-dot-missing'],
  },
  {
    name: 'a host that is only named like a domain, beside a wildcard',
    change: {
      without: ['@ 3600 MX'],
      add: ['@ 3600 MX 10 mx.eu.good.test', '*.good.test 3600 A 192.0.2.80'],
    },
    broken: ['wildcard-present'],
  },
  {
    name: 'a www whose alias lacks its last dot, and a wildcard',
    change: {
      without: ['www'],
      add: ['www.good.test 3600 CNAME shops.myshopify.com.good.test', '*.good.test 3600 A 192.0.2.80'],
    },
    broken: ['record-dot-missing', 'wildcard-present'],
  },
  {
    name: 'a wildcard cannot be told where every name below the domain fails',
    change: { resolver: { failsBelow: 'good.test' } },
    broken: [],
    notTested: ['wildcard-present'],
  },
  {
    name: 'a TTL of 30 s on MX is short',
    change: { without: ['@ 3600 MX'], add: ['@ 30 MX 10 mail.good.test'] },
    broken: ['ttl-low'],
    score: 97,
  },
  {
    name: 'a TTL of 30 s on an address is what load balancers do',
    change: { without: ['@ 3600 A '], add: ['@ 30 A 192.0.2.80'] },
    broken: [],
  },
  {
    name: 'a TTL of two weeks is long',
    change: { without: ['@ 3600 TXT'], add: ['@ 1209600 TXT v=spf1 mx -all'] },
    broken: ['ttl-high'],
  },
  {
    name: 'an HTTPS record whose mandatory key is missing is ignored by browsers (RFC 9460 §8)',
    change: {
      without: ['@ 3600 HTTPS'],
      add: ['@ 3600 HTTPS {"priority": 1, "target": "", "params": {"mandatory": ["alpn"]}}'],
    },
    broken: ['https-record-invalid'],
  },
  {
    name: 'an HTTPS record that cannot be decoded is invalid',
    change: {
      without: ['@ 3600 HTTPS'],
      add: ['@ 3600 HTTPS {"malformed": "a service parameter is cut short", "rdata": "00"}'],
    },
    broken: ['https-record-invalid'],
  },
  {
    name: 'parameters of an alias are ignored',
    change: {
      without: ['@ 3600 HTTPS'],
      add: ['@ 3600 HTTPS {"priority": 0, "target": "host.other.test", "params": {"port": 8443}}'],
    },
    broken: ['https-record-ignored'],
  },
  {
    name: 'a service beside an alias is ignored',
    change: { add: ['@ 3600 HTTPS {"priority": 0, "target": "host.other.test", "params": {}}'] },
    broken: ['https-record-ignored'],
  },
  {
    name: 'an alias to nothing at all has parameters',
    change: {
      without: ['@ 3600 HTTPS'],
      add: ['@ 3600 HTTPS {"priority": 0, "target": "", "params": {"port": 8443}}'],
    },
    broken: ['https-record-ignored'],
  },
  {
    name: 'an HTTPS question that fails says nothing about the record',
    change: { resolver: failing('HTTPS good.test') },
    broken: ['lookup-failed'],
    notTested: ['https-record-invalid', 'https-record-ignored', 'https-record-hint-differs'],
  },
  {
    name: 'an HTTPS record for the domain itself, which has no address (RFC 9460 §2.4.3)',
    change: bareBinding('{"priority": 1, "target": "", "params": {"alpn": ["h2"]}}'),
    broken: ['https-record-no-address'],
  },
  {
    name: 'hints are no addresses (RFC 9460 §7.3)',
    change: bareBinding('{"priority": 1, "target": "", "params": {"ipv4hint": ["192.0.2.80"]}}'),
    broken: ['https-record-no-address'],
    unjudged: ['https-record-hint-differs'],
  },
  {
    name: 'an HTTPS alias to a name that is there, and no address beside it',
    change: bareBinding('{"priority": 0, "target": "host.other.test", "params": {}}'),
    broken: ['https-record-alone'],
  },
  {
    name: 'an HTTPS service at another name, and no address beside it',
    change: bareBinding('{"priority": 1, "target": "host.other.test", "params": {}}'),
    broken: ['https-record-alone'],
  },
  {
    name: 'an HTTPS alias to a name that is not there, and no address beside it',
    change: bareBinding('{"priority": 0, "target": "gone.other.test", "params": {}}'),
    broken: ['https-record-target-missing'],
  },
  {
    name: 'an HTTPS service at a name that is not there, and no address beside it',
    change: bareBinding('{"priority": 1, "target": "gone.other.test", "params": {}}'),
    broken: ['https-record-target-missing'],
  },
  {
    name: 'an HTTPS alias to a name that is not there, beside an address (RFC 9460 §3)',
    change: {
      without: ['@ 3600 HTTPS'],
      add: ['@ 3600 HTTPS {"priority": 0, "target": "gone.other.test", "params": {}}'],
    },
    broken: ['https-record-target-unused'],
  },
  {
    name: 'an HTTPS service at a name that is not there, beside an address',
    change: hinted('"alpn": ["h2"]', 'gone.other.test'),
    broken: ['https-record-target-unused'],
  },
  {
    name: 'an HTTPS record that says that there is no service (RFC 9460 §2.5.1)',
    change: bareBinding('{"priority": 0, "target": "", "params": {}}'),
    broken: [],
  },
  {
    name: 'an HTTPS target that gives no answer',
    change: {
      ...bareBinding('{"priority": 0, "target": "host.other.test", "params": {}}'),
      resolver: failing('A host.other.test', 'AAAA host.other.test'),
    },
    broken: [],
    notTested: ['https-record-target-missing', 'https-record-target-unused', 'https-record-alone'],
  },
  {
    name: 'an HTTPS record, and addresses that give no answer',
    change: { resolver: failing('A good.test', 'AAAA good.test') },
    broken: ['lookup-failed'],
    notTested: ['https-record-no-address'],
  },
  {
    name: 'hints that are the domain’s own addresses, however they are written',
    change: hinted('"ipv4hint": ["192.0.2.80"], "ipv6hint": ["2001:DB8:80:0::1"]'),
    broken: [],
    score: 100,
  },
  {
    name: 'a hint at an address that the domain had once',
    change: hinted('"ipv4hint": ["192.0.2.80", "192.0.2.79"]'),
    broken: ['https-record-hint-differs'],
    score: 100,
  },
  {
    name: 'a hint of a family that the domain does not have',
    change: { ...hinted('"ipv6hint": ["2001:db8:80::1"]'), without: ['@ 3600 HTTPS', '@ 3600 AAAA'] },
    broken: ['address-no-ipv6', 'https-record-hint-differs'],
    score: 100,
  },
  {
    name: 'hints, and no answer to compare them with',
    change: { ...hinted('"ipv4hint": ["192.0.2.79"]'), resolver: failing('A good.test') },
    broken: ['lookup-failed'],
    notTested: ['https-record-hint-differs'],
  },
  {
    name: 'hints at another target are not compared',
    change: hinted('"ipv4hint": ["192.0.2.79"]', 'host.other.test'),
    broken: [],
    unjudged: ['https-record-hint-differs'],
  },
  {
    name: 'an AAAA question that fails leaves IPv6 open',
    change: { resolver: failing('AAAA good.test') },
    broken: ['lookup-failed'],
    notTested: ['address-no-ipv6'],
  },
];

const nameServers: readonly Case[] = [
  {
    name: 'one silent server costs as much as one that refuses, where others of its kind answer',
    change: { servers: { '198.51.100.1': silent } },
    broken: ['ns-silent'],
    score: 70,
  },
  {
    name: 'silence at IPv6 alone may be our own path',
    change: { servers: { '2001:db8:1::1': silent, '2001:db8:2::1': silent } },
    broken: [],
    notTested: ['ns-silent'],
    score: 100,
  },
  {
    name: 'a server that answers SERVFAIL for AAAA alone fails those who have IPv6',
    change: { servers: { '192.0.2.1': { failsFor: 'AAAA' } } },
    broken: ['ns-type-failed'],
    score: 70,
  },
  {
    name: 'a server without a route from here is nobody’s fault',
    change: {
      servers: {
        '2001:db8:1::1': { failure: { code: 'network-unreachable', reason: 'no route leads there' } },
      },
    },
    broken: [],
    score: 100,
  },
  {
    name: 'IPv6 addresses that all refuse, while IPv4 answers, are taken for our own lack of IPv6',
    change: {
      servers: {
        '2001:db8:1::1': { failure: { code: 'connection-refused', reason: 'no route leads there' } },
        '2001:db8:2::1': { failure: { code: 'connection-refused', reason: 'no route leads there' } },
      },
    },
    broken: [],
    score: 100,
  },
  {
    name: 'a server that refuses while others answer does not serve the zone',
    change: { servers: { '198.51.100.1': { rcode: 'REFUSED' } } },
    broken: ['ns-lame'],
    score: 70,
  },
  {
    name: 'servers that all refuse us, while the resolver gets answers, refuse us alone',
    change: { servers: every({ rcode: 'REFUSED' }) },
    broken: ['ns-refused'],
    notTested: ['ns-none-answers'],
    score: 100,
  },
  {
    name: 'a server that refuses without EDNS is not blamed for its EDNS',
    change: { servers: { '198.51.100.1': { rcode: 'REFUSED', edns: 'ignores' } } },
    broken: ['ns-lame'],
  },
  {
    name: 'a server with SERVFAIL, while the others answer, does not serve the zone',
    change: { servers: { '198.51.100.1': servfail } },
    broken: ['ns-lame'],
    score: 70,
  },
  {
    name: 'a server that answers without authority is lame',
    change: { servers: { '198.51.100.1': { authoritative: false } } },
    broken: ['ns-lame'],
    score: 70,
  },
  {
    name: 'a server that refers to the root is lame',
    change: { servers: { '198.51.100.1': { zones: [], refersTo: '' } } },
    broken: ['ns-lame', 'ns-upward-referral'],
  },
  {
    name: 'a server that says the domain does not exist is lame',
    change: { servers: { '198.51.100.1': { own: copyOf('x.test 60 SOA x.test x.test 1 1 1 1 1') } } },
    broken: ['ns-lame'],
  },
  {
    name: 'all servers silent to us, while the resolver knows the domain, is our own path',
    change: { servers: every(silent) },
    broken: [],
    notTested: [
      'ns-none-answers',
      'ns-silent',
      'ns-refused',
      'ns-lame',
      'ns-tcp-missing',
      'ns-edns-broken',
      'ns-open-recursion',
      'ns-inconsistent',
      'soa-serial-mismatch',
      'soa-fields-mismatch',
      'ttl-low',
      'ttl-high',
    ],
    score: 100,
  },
  {
    name: 'all servers silent to us and to the resolver: the domain is gone',
    change: { servers: every(silent), resolver: failing(...apexQuestions) },
    broken: ['lookup-failed', 'ns-none-answers', 'ns-silent'],
    notTested: [
      'soa-refresh-range',
      'soa-retry-range',
      'soa-expire-range',
      'soa-minimum-range',
      'soa-rname-invalid',
    ],
    score: 0,
  },
  {
    name: 'all servers refuse us and the resolver: the domain is gone',
    change: { servers: every({ rcode: 'REFUSED' }), resolver: failing(...apexQuestions) },
    broken: ['lookup-failed', 'ns-none-answers', 'ns-refused'],
    score: 0,
  },
  ...(
    [
      ['REFUSED', 'ns-refused'],
      ['SERVFAIL', 'ns-refused'],
      ['silence', 'ns-silent'],
    ] as const
  ).map(([answer, code]): Case => ({
    name: `all servers are inside the domain and answer with ${answer}: they are asked at the parent’s glue`,
    change: {
      ...insideOnly,
      servers: every(answer === 'silence' ? silent : { rcode: answer }),
      resolver: { ...failing(...apexQuestions), failsBelow: 'good.test' },
    },
    broken: ['lookup-failed', 'ns-none-answers', code],
    score: 0,
  })),
  {
    name: 'every name of a name server is gone: the domain is too',
    change: {
      parentWithout: ['good.test 3600 NS', 'ns1', 'ns2'],
      parentAdd: ['good.test 3600 NS a.gone.test', 'good.test 3600 NS b.gone.test'],
      resolver: failing(...apexQuestions),
    },
    broken: ['lookup-failed', 'ns-none-answers', 'ns-without-address'],
    score: 0,
  },
  {
    name: 'name servers with IPv6 alone are out of reach for most resolvers',
    change: {
      ...insideOnly,
      without: [...insideOnly.without, 'ns1.good.test 3600 A ', 'ns2.good.test 3600 A '],
      parentWithout: [...insideOnly.parentWithout, 'ns1.good.test 3600 A ', 'ns2.good.test 3600 A '],
      add: ['ns2.good.test 3600 AAAA 2001:db8:2::1'],
      parentAdd: ['ns2.good.test 3600 AAAA 2001:db8:2::1'],
      servers: { '2001:db8:2::1': {} },
    },
    broken: ['ns-no-ipv4'],
    score: 70,
  },
  {
    name: 'all servers silent to us, the parent’s too, and a resolver that fails: port 53 may be closed to us',
    change: {
      servers: { ...every(silent), '203.0.113.1': silent },
      resolver: failing(...apexQuestions.filter((question) => !question.startsWith('NS '))),
    },
    broken: ['lookup-failed'],
    score: null,
    notTested: ['ns-none-answers', 'ns-silent'],
  },
  {
    name: 'all servers silent to us, and a resolver that says nothing at all: our own network may be down',
    change: { servers: every(silent), resolver: timedOut(...apexQuestions, 'SOA ') },
    broken: ['lookup-failed'],
    score: null,
    notTested: ['ns-none-answers', 'ns-silent'],
  },
  {
    name: 'one server that answers shows nothing of how the others differ',
    change: { servers: { ...every(silent), '192.0.2.1': {} } },
    broken: ['ns-silent'],
    notTested: [
      'mx-inconsistent-servers',
      'dnssec-keys-inconsistent',
      'soa-serial-mismatch',
      'soa-fields-mismatch',
      'ns-inconsistent',
    ],
  },
  {
    name: 'where nothing answers, parent and resolver included, nothing is judged',
    change: {
      servers: { ...every(silent), '203.0.113.1': silent },
      resolver: failing(...apexQuestions, 'A www.good.test', 'AAAA www.good.test', 'SOA '),
    },
    broken: ['lookup-failed'],
    notTested: [
      'ns-single',
      'ns-same-address',
      'ns-same-prefix',
      'ns-without-address',
      'ns-cname-target',
      'ns-no-ipv6',
      'ns-address-not-public',
      'ns-parent-child-mismatch',
      'ns-parent-child-disjoint',
      'ns-glue-mismatch',
      'ns-glue-missing',
      'dnssec-bogus',
    ],
    score: null,
  },
  {
    name: 'the addresses of name servers that cannot be looked up are not missing',
    change: {
      resolver: failing(
        'A ns1.good.test',
        'AAAA ns1.good.test',
        'A ns2.good.test',
        'AAAA ns2.good.test',
        'A ns.other.test',
        'AAAA ns.other.test',
      ),
    },
    broken: [],
    notTested: [
      'ns-no-ipv6',
      'ns-without-address',
      'ns-cname-target',
      'ns-glue-mismatch',
      'ns-address-not-public',
    ],
    score: 100,
  },
  {
    name: 'two of three addresses unseen leave “same network” open',
    change: {
      resolver: failing(
        'A ns2.good.test',
        'AAAA ns2.good.test',
        'A ns.other.test',
        'AAAA ns.other.test',
        'AAAA ns1.good.test',
      ),
    },
    broken: [],
    notTested: [
      'ns-same-address',
      'ns-without-address',
      'ns-no-ipv6',
      'ns-cname-target',
      'ns-address-not-public',
    ],
  },
  {
    name: 'a name server with an underscore in its name',
    change: {
      add: ['@ 3600 NS ns_4.good.test', 'ns_4.good.test 3600 A 203.0.113.9'],
      parentAdd: ['good.test 3600 NS ns_4.good.test', 'ns_4.good.test 3600 A 203.0.113.9'],
      servers: { '203.0.113.9': {} },
    },
    broken: ['ns-name-invalid'],
    score: 97,
  },
  {
    name: 'a server without TCP loses long answers',
    change: { servers: { '192.0.2.1': { tcp: false } } },
    broken: ['ns-tcp-missing'],
    score: 70,
  },
  {
    name: 'no server at all by TCP, while the parent’s answers by it',
    change: { servers: every({ tcp: false }) },
    broken: ['ns-tcp-missing'],
  },
  {
    name: 'no server at all by TCP, the parent’s neither: it may be closed to us',
    change: { servers: { ...every({ tcp: false }), '203.0.113.1': { zones: ['test'], tcp: false } } },
    broken: [],
    notTested: ['ns-tcp-missing'],
    score: 100,
  },
  {
    name: 'a server that drops EDNS is not silent',
    change: { servers: { '192.0.2.1': { edns: 'drops' } } },
    broken: ['ns-edns-broken'],
    score: 88,
  },
  {
    name: 'a server that ignores EDNS',
    change: { servers: { '192.0.2.1': { edns: 'ignores' } } },
    broken: ['ns-edns-broken'],
  },
  {
    name: 'a server that answers EDNS with FORMERR is judged by what it says without',
    change: { servers: { '192.0.2.1': { edns: 'rejects' } } },
    broken: ['ns-edns-broken'],
  },
  {
    name: 'a server that resolves foreign names',
    change: { servers: { '203.0.113.53': { recursion: true } } },
    broken: ['ns-open-recursion'],
    score: 70,
  },
  {
    name: 'one name server alone',
    change: {
      without: ['@ 3600 NS ns2', '@ 3600 NS ns.other'],
      parentWithout: ['good.test 3600 NS ns2', 'good.test 3600 NS ns.other'],
    },
    broken: ['ns-single'],
    score: 70,
  },
  {
    name: 'two names for one address',
    change: {
      without: ['@ 3600 NS ns.other', 'ns1.good.test 3600 AAAA', 'ns2.good.test'],
      add: ['ns2.good.test 3600 A 192.0.2.1'],
      parentWithout: ['good.test 3600 NS ns.other', 'ns1.good.test 3600 AAAA', 'ns2.good.test'],
      parentAdd: ['ns2.good.test 3600 A 192.0.2.1'],
    },
    broken: ['ns-same-address', 'ns-no-ipv6'],
    score: 67,
  },
  {
    name: 'two addresses in one network',
    change: {
      without: ['@ 3600 NS ns.other', 'ns2.good.test'],
      add: ['ns2.good.test 3600 A 192.0.2.2'],
      parentWithout: ['good.test 3600 NS ns.other', 'ns2.good.test'],
      parentAdd: ['ns2.good.test 3600 A 192.0.2.2'],
      servers: { '192.0.2.2': {} },
    },
    broken: ['ns-few-ipv6', 'ns-same-prefix'],
    score: 88,
  },
  {
    name: 'IPv6 in one /48 while IPv4 is spread is what anycast looks like',
    change: {
      add: ['ns2.good.test 3600 AAAA 2001:db8:1::2'],
      parentAdd: ['ns2.good.test 3600 AAAA 2001:db8:1::2'],
      servers: { '2001:db8:1::2': {} },
    },
    broken: [],
  },
  {
    name: 'a name server whose name does not exist',
    change: { without: ['ns2.good.test'], parentWithout: ['ns2.good.test'] },
    broken: ['ns-few-ipv6', 'ns-without-address', 'ns-glue-missing'],
    score: 40,
  },
  {
    name: 'a name server at a private address is not asked',
    change: {
      servers: {
        '198.51.100.1': {
          failure: {
            code: 'target-address-not-allowed',
            reason: 'the name server has an address that is not public',
          },
        },
      },
    },
    broken: ['ns-address-not-public'],
    score: 70,
  },
  {
    name: 'a name server’s name that is an alias',
    change: {
      without: ['ns2.good.test'],
      add: [
        'ns2.good.test 3600 CNAME host.good.test',
        'host.good.test 3600 A 198.51.100.1',
        'host.good.test 3600 AAAA 2001:db8:2::1',
      ],
    },
    broken: ['ns-cname-target'],
  },
  {
    name: 'no name server with IPv6',
    change: {
      without: ['ns1.good.test 3600 AAAA', 'ns2.good.test 3600 AAAA'],
      parentWithout: ['ns1.good.test 3600 AAAA', 'ns2.good.test 3600 AAAA'],
    },
    broken: ['ns-no-ipv6'],
    score: 97,
  },
  {
    name: 'a server that is behind names other servers',
    change: {
      servers: {
        '198.51.100.1': {
          own: copyOf(
            soaLine('hostmaster.good.test 2026112101 14400 3600 1209600 3600'),
            '@ 3600 NS ns1.good.test',
            '@ 3600 MX 10 mail.good.test',
          ),
        },
      },
    },
    broken: ['dnssec-server-signature-invalid', 'dnssec-keys-inconsistent', 'ns-inconsistent'],
    score: 49,
  },
  {
    name: 'a name server that the parent does not know',
    change: { parentWithout: ['good.test 3600 NS ns.other'] },
    broken: ['ns-parent-child-mismatch'],
    score: 88,
  },
  {
    name: 'a name server that the parent alone knows is asked too',
    change: {
      parentAdd: ['good.test 3600 NS ns4.other.test'],
      servers: { '203.0.113.99': { tcp: false } },
      resolver: {
        instead: new Map([
          [
            'A ns4.other.test',
            {
              rcode: 'NOERROR',
              answers: [{ name: 'ns4.other.test', type: 'A', ttl: 60, data: '203.0.113.99' }],
            },
          ],
        ]),
      },
    },
    broken: ['ns-parent-child-mismatch', 'ns-tcp-missing'],
  },
  {
    name: 'parent and zone with nothing in common',
    change: {
      parentWithout: ['good.test 3600 NS ns1', 'good.test 3600 NS ns2'],
      without: ['@ 3600 NS ns.other'],
    },
    broken: ['ns-parent-child-disjoint', 'ns-single'],
    score: 40,
  },
  {
    name: 'parents that do not answer leave the comparison open',
    change: { servers: { '203.0.113.1': silent } },
    broken: [],
    notTested: [
      'ns-parent-child-mismatch',
      'ns-parent-child-disjoint',
      'ns-glue-mismatch',
      'ns-glue-missing',
    ],
    score: 100,
  },
  {
    name: 'glue that the zone does not have',
    change: { parentWithout: ['ns2.good.test'], parentAdd: ['ns2.good.test 3600 A 198.51.100.9'] },
    broken: ['ns-glue-mismatch'],
    score: 70,
  },
  {
    name: 'glue that is missing',
    change: { parentWithout: ['ns2.good.test'] },
    broken: ['ns-glue-missing'],
    score: 70,
  },
  {
    name: 'servers that serve parent and child give no referral, and no delegation or glue to judge',
    change: { servers: { '203.0.113.1': { zones: ['test', 'good.test'] } } },
    broken: [],
    unjudged: ['ns-parent-child-mismatch', 'ns-parent-child-disjoint', 'ns-glue-mismatch', 'ns-glue-missing'],
    score: 100,
  },
  {
    name: 'a host inside a zone has no name servers of its own',
    change: {},
    domain: 'mail.good.test',
    broken: ['address-no-ipv6'],
  },
];

const manyFaults: Case = {
  name: 'more than a hundred points of faults cost a hundred',
  change: {
    add: ['@ 3600 A 10.0.0.1'],
    without: ['www'],
    servers: {
      '198.51.100.1': { tcp: false, recursion: true, edns: 'ignores' },
      '203.0.113.53': { authoritative: false },
    },
    parentWithout: ['ns2.good.test'],
  },
  broken: [
    'address-not-public',
    'ns-lame',
    'ns-tcp-missing',
    'ns-edns-broken',
    'ns-open-recursion',
    'ns-glue-missing',
  ],
  score: 0,
};

const soaCases: readonly Case[] = [
  {
    name: 'a server that is behind has another serial',
    change: {
      servers: {
        '198.51.100.1': {
          own: copyOf(
            soaLine('hostmaster.good.test 2026112001 14400 3600 1209600 3600'),
            '@ 3600 NS ns1.good.test',
            '@ 3600 NS ns2.good.test',
            '@ 3600 NS ns.other.test',
            '@ 3600 MX 10 mail.good.test',
          ),
        },
      },
    },
    broken: ['dnssec-server-signature-invalid', 'dnssec-keys-inconsistent', 'soa-serial-mismatch'],
    score: 49,
  },
  {
    name: 'two sources with one serial differ in a timer',
    change: {
      servers: {
        '198.51.100.1': {
          own: copyOf(
            soaLine('hostmaster.good.test 2026112101 86400 3600 1209600 3600'),
            '@ 3600 NS ns1.good.test',
            '@ 3600 NS ns2.good.test',
            '@ 3600 NS ns.other.test',
            '@ 3600 MX 10 mail.good.test',
          ),
        },
      },
    },
    broken: ['dnssec-server-signature-invalid', 'dnssec-keys-inconsistent', 'soa-fields-mismatch'],
    score: 49,
  },
  ...[
    ['Cloudflare', '10000 2400 604800 1800'],
    ['Route 53', '7200 900 1209600 86400'],
    ['Azure', '3600 300 2419200 300'],
    ['Google Cloud DNS', '21600 3600 259200 300'],
  ].map(([provider, timers]): Case => ({
    name: `the timers that ${provider} sets are in range`,
    change: soa(`hostmaster.good.test 1 ${timers}`),
    broken: [],
    score: 100,
  })),
  {
    name: 'refresh of ten minutes',
    change: soa('hostmaster.good.test 1 600 100 1209600 3600'),
    broken: ['soa-refresh-range', 'soa-retry-range'],
    score: 94,
  },
  {
    name: 'retry not below refresh',
    change: soa('hostmaster.good.test 1 14400 14400 1209600 3600'),
    broken: ['soa-retry-range'],
  },
  {
    name: 'expire of a day',
    change: soa('hostmaster.good.test 1 14400 3600 86400 3600'),
    broken: ['soa-expire-range'],
  },
  {
    name: 'minimum of a week',
    change: soa('hostmaster.good.test 1 14400 3600 1209600 604800'),
    broken: ['soa-minimum-range'],
  },
  ...[
    'Cloudflare: 10000 2400 604800 1800',
    'Route 53: 7200 900 1209600 86400',
    'Azure: 3600 300 2419200 300',
    'Google Cloud DNS: 21600 3600 259200 300',
    'GoDaddy: 28800 7200 604800 600',
    'Gandi: 10800 3600 604800 10800',
    'Hetzner: 86400 10800 3600000 3600',
    'OVH: 86400 3600 3600000 60',
  ].map((text): Case => ({
    name: `timers as a provider sets them for every zone, ${text}`,
    change: soa(`hostmaster.good.test 1 ${text.split(': ')[1] ?? ''}`),
    broken: [],
    score: 100,
  })),
  {
    name: 'minimum of half a minute',
    change: soa('hostmaster.good.test 1 14400 3600 1209600 30'),
    broken: ['soa-minimum-range'],
  },
  {
    name: 'an @ in RNAME',
    change: soa('hostmaster@good.test 1 14400 3600 1209600 3600'),
    broken: ['soa-rname-invalid'],
    score: 88,
  },
  {
    name: 'an RNAME with a dot before the @, at a domain that takes mail',
    change: soa('first\\.last.good.test 1 14400 3600 1209600 3600'),
    broken: [],
    score: 100,
  },
  {
    name: 'an RNAME at a domain that does not exist',
    change: soa('hostmaster.nowhere.test 1 14400 3600 1209600 3600'),
    broken: ['soa-rname-no-mail'],
    score: 97,
  },
  {
    name: 'an RNAME at a domain with neither MX nor address',
    change: soa('hostmaster.bare.test 1 14400 3600 1209600 3600', ['bare.test 3600 TXT x']),
    broken: ['soa-rname-no-mail'],
  },
  {
    name: 'an RNAME at a domain without MX, but with an address',
    change: soa('hostmaster.host.other.test 1 14400 3600 1209600 3600'),
    broken: [],
  },
  {
    name: 'an RNAME at a domain with a null MX',
    change: soa('hostmaster.silent.test 1 14400 3600 1209600 3600', [
      'silent.test 3600 MX 0 ',
      'silent.test 3600 A 203.0.113.7',
    ]),
    broken: ['soa-rname-no-mail'],
  },
  {
    name: 'an RNAME at a domain whose mail hosts have no address',
    change: soa('hostmaster.lost.test 1 14400 3600 1209600 3600', [
      'lost.test 3600 MX 10 gone.nowhere.test',
      'lost.test 3600 A 203.0.113.7',
    ]),
    broken: ['soa-rname-no-mail'],
  },
  {
    name: 'an RNAME at a domain of whose mail hosts one has an address',
    change: soa('hostmaster.half.test 1 14400 3600 1209600 3600', [
      'half.test 3600 MX 10 gone.nowhere.test',
      'half.test 3600 MX 20 host.other.test',
    ]),
    broken: [],
  },
  {
    name: 'an RNAME at a domain with more mail hosts than are asked, of which none that was asked has an address',
    change: soa('hostmaster.many.test 1 14400 3600 1209600 3600', [
      ...[1, 2, 3, 4, 5].map((at) => `many.test 3600 MX 10 gone${at}.test`),
      'many.test 3600 MX 20 host.other.test',
    ]),
    broken: [],
    notTested: ['soa-rname-no-mail'],
  },
  {
    name: 'an RNAME whose mail domain gives no answer',
    change: {
      ...soa('hostmaster.nowhere.test 1 14400 3600 1209600 3600'),
      resolver: timedOut('MX nowhere.test'),
    },
    broken: [],
    notTested: ['soa-rname-no-mail'],
    score: 100,
  },
  {
    name: 'an RNAME whose mail host gives no answer',
    change: {
      ...soa('hostmaster.lost.test 1 14400 3600 1209600 3600', ['lost.test 3600 MX 10 gone.nowhere.test']),
      resolver: timedOut('AAAA gone.nowhere.test'),
    },
    broken: [],
    notTested: ['soa-rname-no-mail'],
  },
  {
    name: 'an RNAME at a domain whose MX record breaks its format',
    change: soa('hostmaster.odd.test 1 14400 3600 1209600 3600', [
      'odd.test 3600 MX {"malformed": "", "rdata": "00"}',
    ]),
    broken: [],
    notTested: ['soa-rname-no-mail'],
  },
  {
    name: 'a name server with another RNAME than the resolver’s: its mail domain was not asked',
    change: {
      signed: false,
      resolver: {
        instead: new Map([
          [
            'SOA good.test',
            { answers: copyOf(soaLine('hostmaster.other.test 2026112101 14400 3600 1209600 3600')) },
          ],
        ]),
      },
    },
    broken: ['dnssec-unsigned'],
    unjudged: ['soa-rname-no-mail'],
  },
  {
    name: 'an escaped dot in RNAME is right',
    change: soa('first\\.last.good.test 1 14400 3600 1209600 3600'),
    broken: [],
  },
];

const dnssec: readonly Case[] = [
  { name: 'a zone that is not signed', change: { signed: false }, broken: ['dnssec-unsigned'], score: 98 },
  {
    name: 'a signed zone that the parent does not know',
    change: { ds: [] },
    broken: ['dnssec-ds-missing'],
    score: 98,
  },
  {
    name: 'a resolver that does not validate leaves “bogus” open, and our own checks hold',
    change: { resolver: { validates: false } },
    broken: [],
    notTested: ['dnssec-bogus'],
    score: 100,
  },
  {
    name: 'a zone that the resolver refuses is bogus, and all else is judged without checking',
    change: { resolver: { validates: true, bogus: 'good.test' } },
    broken: ['dnssec-bogus'],
    score: 50,
  },
  {
    name: 'a zone without a good signature that the resolver refuses without a reason is bogus',
    change: {
      signatures: { fromS: -30 * day, untilS: -hour },
      resolver: { validates: true, failsBare: 'good.test' },
    },
    broken: ['dnssec-bogus', 'dnssec-signature-invalid'],
    score: 50,
  },
  {
    name: 'a sound zone that the resolver refuses without a reason is not bogus',
    change: { resolver: { validates: true, failsBare: 'good.test' } },
    broken: [],
    score: 100,
  },
  {
    name: 'a SERVFAIL that was gone at the second try is not bogus',
    change: { resolver: { validates: true, failsOnce: 'good.test' } },
    broken: [],
    score: 100,
  },
  {
    name: 'a DS without its key, seen without a validating resolver',
    change: { ds: [dsLine('good.test', makeKey(257))], resolver: { validates: false } },
    broken: ['dnssec-ds-without-key'],
    score: 50,
  },
  {
    name: 'the cause of bogus is not counted twice',
    change: { ds: [dsLine('good.test', makeKey(257))], resolver: { validates: true, bogus: 'good.test' } },
    broken: ['dnssec-bogus', 'dnssec-ds-without-key'],
    score: 50,
  },
  {
    name: 'a DS beside the right one, whose key is gone',
    change: { ds: [dsLine('good.test', keySigning), dsLine('good.test', makeKey(257))] },
    broken: ['dnssec-ds-stale'],
    score: 98,
  },
  {
    name: 'signatures that have expired',
    change: { signatures: { fromS: -30 * day, untilS: -hour }, resolver: { validates: false } },
    broken: ['dnssec-signature-invalid'],
    score: 50,
  },
  {
    name: 'signatures of the future',
    change: { signatures: { fromS: hour, untilS: 30 * day }, resolver: { validates: false } },
    broken: ['dnssec-signature-invalid'],
  },
  {
    name: 'a record that was changed after signing',
    change: {
      resolver: { validates: false },
      afterSigning: (all) =>
        all.map((record) =>
          record.type === 'MX' ? { ...record, rdata: `${record.rdata ?? ''}00` } : record,
        ),
    },
    broken: ['dnssec-signature-invalid'],
  },
  {
    name: 'an HTTPS record that was changed after signing',
    change: {
      resolver: { validates: false },
      afterSigning: (all) =>
        all.map((record) =>
          record.type === 'HTTPS' ? { ...record, rdata: `${record.rdata ?? ''}00` } : record,
        ),
    },
    broken: ['dnssec-signature-invalid'],
  },
  {
    name: 'seven signatures of strangers do not hide the good one',
    change: {
      resolver: { validates: false },
      afterSigning: (all) => [
        ...Array.from({ length: 7 }, (_, at) =>
          all
            .filter(
              ({ type, data }) => type === 'RRSIG' && (data as { typeCovered: string }).typeCovered === 'MX',
            )
            .map((record) => ({ ...record, data: { ...(record.data as object), keyTag: at } })),
        ).flat(),
        ...all,
      ],
    },
    broken: [],
  },
  {
    name: 'a record without a signature among signed ones',
    change: {
      resolver: { validates: false },
      afterSigning: (all) =>
        all.filter(
          ({ type, data }) => type !== 'RRSIG' || (data as { typeCovered: string }).typeCovered !== 'MX',
        ),
    },
    broken: ['dnssec-signature-invalid'],
  },
  {
    name: 'a resolver that passes on no signature at all leaves them open',
    change: {
      resolver: { validates: false },
      afterSigning: (all) => all.filter(({ type }) => type !== 'RRSIG'),
    },
    broken: [],
    notTested: [
      'dnssec-signature-invalid',
      'dnssec-signature-expires-today',
      'dnssec-signature-expires-soon',
    ],
  },
  {
    name: 'two days left of thirty',
    change: { signatures: { fromS: -28 * day, untilS: 2 * day } },
    broken: ['dnssec-signature-expires-soon'],
    score: 91,
  },
  {
    name: 'six hours left of thirty days',
    change: { signatures: { fromS: -30 * day, untilS: 6 * hour } },
    broken: ['dnssec-signature-expires-today'],
    score: 80,
  },
  {
    name: 'a signature made for two days, half gone, is how servers sign that sign as they answer',
    change: { signatures: { fromS: -day, untilS: day } },
    broken: [],
    score: 100,
  },
  {
    name: 'keys that cannot be seen leave the chain open',
    change: { resolver: failing('DNSKEY good.test') },
    broken: ['lookup-failed'],
    notTested: [
      'dnssec-ds-without-key',
      'dnssec-ds-stale',
      'dnssec-unsigned',
      'dnssec-ds-missing',
      'dnssec-signature-invalid',
      'dnssec-algorithm-weak',
      'dnssec-key-short',
      'dnssec-cds-mismatch',
    ],
    score: 100,
  },
  {
    name: 'a DS of SHA-1 alone',
    change: { ds: [dsLine('good.test', keySigning, { digestType: 1 })] },
    broken: ['dnssec-algorithm-weak'],
    score: 91,
  },
  {
    name: 'a DS of SHA-1 beside one of SHA-256, which validators ignore, is not to be published (RFC 9905)',
    change: { ds: [dsLine('good.test', keySigning), dsLine('good.test', keySigning, { digestType: 1 })] },
    broken: ['dnssec-algorithm-not-recommended'],
    score: 98,
  },
  {
    name: 'a key of RSA/SHA-1 with 1024 bits',
    change: { add: [`@ 3600 DNSKEY 256 3 5 ${keys.rfc4034.key}`] },
    broken: ['dnssec-algorithm-not-signing', 'dnssec-algorithm-weak', 'dnssec-key-short'],
    score: 80,
  },
  {
    name: 'NSEC3 with ten iterations',
    change: { add: ['@ 0 NSEC3PARAM {"algorithm": 1, "flags": 0, "iterations": 10, "salt": ""}'] },
    broken: ['dnssec-nsec3-iterations'],
    score: 91,
  },
  {
    name: 'NSEC3 without extra iterations is right (RFC 9276)',
    change: { add: ['@ 0 NSEC3PARAM {"algorithm": 1, "flags": 0, "iterations": 0, "salt": ""}'] },
    broken: [],
  },
  {
    name: 'NSEC3 with a salt',
    change: { add: ['@ 0 NSEC3PARAM {"algorithm": 1, "flags": 0, "iterations": 0, "salt": "aabbccdd"}'] },
    broken: ['dnssec-nsec3-salt'],
    score: 100,
  },
  {
    name: 'NSEC3 parameters that cannot be seen',
    change: { resolver: failing('NSEC3PARAM good.test') },
    broken: ['lookup-failed'],
    notTested: ['dnssec-nsec3-iterations', 'dnssec-nsec3-salt'],
  },
];

/** The zone as it was before it was signed. */
const unsignedCopy = copyOf(
  '@ 3600 SOA ns1.good.test hostmaster.good.test 2026112101 14400 3600 1209600 3600',
  '@ 3600 NS ns1.good.test',
  '@ 3600 NS ns2.good.test',
  '@ 3600 NS ns.other.test',
  '@ 3600 A 192.0.2.80',
  '@ 3600 MX 10 mail.good.test',
);
const cds = (line: string): string => line.replace(/^good\.test/, '@');
const cdsCases: readonly Case[] = [
  {
    name: 'CDS and CDNSKEY of the key that the parent has are in step',
    change: { add: [cds(dsLine('good.test', keySigning, { type: 'CDS' })), keyLine(keySigning, 'CDNSKEY')] },
    broken: [],
  },
  {
    name: 'a DS of a digest type that nobody has registered',
    change: { ds: [dsLine('good.test', keySigning), 'good.test 3600 DS 4711 13 7 00aa'] },
    broken: ['dnssec-number-unknown'],
    score: 91,
  },
  {
    name: 'a DS of an algorithm that cannot sign',
    change: { ds: [dsLine('good.test', keySigning), `good.test 3600 DS 4711 252 5 00aa`] },
    broken: ['dnssec-number-unknown'],
  },
  {
    name: 'a server that refuses MX in any case is blamed for that, and not for the letters',
    change: { servers: { '198.51.100.1': { refuses: 'MX' } } },
    broken: ['ns-type-failed'],
  },
  {
    name: 'one server has no CDS yet, whatever the resolver has met',
    change: {
      add: [cds(dsLine('good.test', keySigning, { type: 'CDS' }))],
      servers: { '198.51.100.1': { lacks: 'CDS' } },
    },
    broken: ['dnssec-cds-inconsistent'],
    score: 91,
  },
  {
    name: 'one server without the signatures, which the resolver has met for one type',
    change: {
      servers: { '198.51.100.1': { own: unsignedCopy } },
      resolver: {
        validates: false,
        instead: new Map([
          [
            'TXT good.test',
            {
              answers: copyOf('@ 3600 TXT v=spf1 mx -all'),
              flags: { aa: false, tc: false, ra: true, ad: false },
            },
          ],
        ]),
      },
    },
    broken: ['dnssec-keys-inconsistent', 'dnssec-server-signature-invalid'],
    notTested: ['dnssec-bogus'],
  },
  {
    name: 'one server that cannot be asked for its keys leaves only the others compared',
    change: { servers: { '198.51.100.1': { failure: silent.failure } } },
    broken: ['ns-silent'],
  },
  {
    name: 'a CDS of a key that is not in the zone',
    change: { add: [cds(dsLine('good.test', makeKey(257), { type: 'CDS' }))] },
    broken: ['dnssec-cds-mismatch'],
    score: 98,
  },
  {
    name: 'a CDNSKEY of a key that is not in the zone',
    change: { add: [keyLine(makeKey(257), 'CDNSKEY')] },
    broken: ['dnssec-cds-mismatch'],
  },
  {
    name: 'a CDS that asks for removal (RFC 8078 §4)',
    change: { add: ['@ 3600 CDS 0 0 0 00'] },
    broken: ['dnssec-cds-mismatch'],
  },
];

// Below good.test, of so many labels in all.
function longName(labels: number): string {
  return [...Array.from({ length: labels - 2 }, () => 'x'), 'good.test'].join('.');
}

const caa = (...lines: readonly string[]): Change => ({ without: ['@ 3600 CAA'], add: lines });
const caaCases: readonly Case[] = [
  { name: 'no CAA up to the root', change: caa(), broken: ['caa-missing'], score: 100 },
  {
    name: 'CAA of the parent counts (RFC 8659 §3)',
    change: { ...caa(), parentAdd: ['@ 3600 CAA 0 issue ca.example'] },
    broken: [],
  },
  {
    name: 'CAA far above a long name counts',
    change: { add: [`${longName(12)} 3600 A 192.0.2.80`] },
    domain: longName(12),
    broken: ['address-no-ipv6'],
  },
  {
    name: 'a name too long to ask all names above it leaves CAA open',
    change: { add: [`${longName(30)} 3600 A 192.0.2.80`] },
    domain: longName(30),
    broken: ['address-no-ipv6'],
    notTested: ['caa-missing'],
  },
  {
    name: 'a critical property that nobody knows',
    change: caa('@ 3600 CAA 128 tbs Unknown'),
    broken: ['caa-unknown-critical'],
    score: 80,
  },
  {
    name: 'a value that is no domain name (RFC 8659 §4.2)',
    change: caa('@ 3600 CAA 0 issue %%%%%'),
    broken: ['caa-value-malformed', 'caa-forbids-all'],
    score: 91,
  },
  {
    name: 'an issuer with a dot at its end',
    change: caa('@ 3600 CAA 0 issue ca.example.'),
    broken: ['caa-value-malformed', 'caa-forbids-all'],
  },
  {
    name: 'an account and methods that a CA can read (RFC 8657)',
    change: caa(
      '@ 3600 CAA 0 issue ca.example; accounturi=https://ca.example/acct/1; validationmethods=dns-01,ca-own',
      '@ 3600 CAA 0 issuewild ca.example; validationmethods=dns-persist-01; policy=ev',
    ),
    broken: [],
    score: 100,
  },
  {
    name: 'an account that is no URI',
    change: caa('@ 3600 CAA 0 issue ca.example; accounturi=12345'),
    broken: ['caa-value-malformed'],
  },
  {
    name: 'two lists of methods in one record',
    change: caa('@ 3600 CAA 0 issue ca.example; validationmethods=dns-01; validationmethods=http-01'),
    broken: ['caa-value-malformed', 'caa-forbids-all'],
  },
  {
    name: 'one method that does not exist, beside one that does',
    change: caa('@ 3600 CAA 0 issue ca.example; validationmethods=dns-01,htttp-01'),
    broken: ['caa-method-unknown'],
    score: 99,
  },
  {
    name: 'methods in another letter case alone, which CAs do not read',
    change: caa('@ 3600 CAA 0 issue ca.example; validationmethods=DNS-01'),
    broken: ['caa-methods-none-known'],
    score: 91,
  },
  {
    name: 'no method at all',
    change: caa('@ 3600 CAA 0 issue ca.example; validationmethods='),
    broken: ['caa-methods-none-known'],
  },
  {
    name: 'a CA whose name lacks a letter',
    change: caa('@ 3600 CAA 0 issue letsencypt.org', '@ 3600 CAA 0 issue digicert.com'),
    broken: ['caa-issuer-misspelt'],
    score: 91,
  },
  {
    name: 'a CA under another top-level domain than its own',
    change: caa('@ 3600 CAA 0 issue letsencrypt.com; validationmethods=dns-01'),
    broken: ['caa-issuer-misspelt'],
  },
  {
    name: 'CAs that nobody here knows, and known ones',
    change: caa(
      '@ 3600 CAA 0 issue ca.example',
      '@ 3600 CAA 0 issue ssl.org',
      '@ 3600 CAA 0 issue sectigo.com',
      '@ 3600 CAA 0 issue digicert.ne.jp',
    ),
    broken: [],
  },
  {
    name: 'a parameter whose name lacks a letter',
    change: caa('@ 3600 CAA 0 issue ca.example; validationmethod=dns-01'),
    broken: ['caa-parameter-misspelt'],
    score: 99,
  },
  {
    name: 'contacts that CAs can use',
    change: caa(
      '@ 3600 CAA 0 issue ca.example',
      '@ 3600 CAA 0 contactemail hostmaster@good.test',
      '@ 3600 CAA 0 contactphone +1-555-555-0100',
    ),
    broken: [],
  },
  {
    name: 'a contact with a scheme',
    change: caa('@ 3600 CAA 0 issue ca.example', '@ 3600 CAA 0 contactemail mailto:hostmaster@good.test'),
    broken: ['caa-contact-invalid'],
    score: 99,
  },
  {
    name: 'a telephone number without its country, and with spaces',
    change: caa(
      '@ 3600 CAA 0 issue ca.example',
      '@ 3600 CAA 0 contactphone 0555 5550100',
      '@ 3600 CAA 0 contactphone +1 555 5550100',
    ),
    broken: ['caa-contact-invalid'],
  },
  {
    name: 'an iodef without a scheme',
    change: caa('@ 3600 CAA 0 issue ca.example', '@ 3600 CAA 0 iodef security@good.test'),
    broken: ['caa-iodef-invalid'],
    score: 99,
  },
  {
    name: 'a property that is misspelt',
    change: caa('@ 3600 CAA 0 issues ca.example'),
    broken: ['caa-tag-unknown'],
  },
  { name: 'no CA at all', change: caa('@ 3600 CAA 0 issue ;'), broken: ['caa-forbids-all'], score: 100 },
  {
    name: 'no CA but one for wildcards',
    change: caa('@ 3600 CAA 0 issue ;', '@ 3600 CAA 0 issuewild ca.example'),
    broken: [],
  },
];

const secondParent = (lines?: readonly string[]): Change => ({
  parentAdd: ['@ 3600 NS ns2.test', 'ns2.test 3600 A 203.0.113.2'],
  servers: {
    '203.0.113.2': { zones: ['test'], ...(lines ? { own: readZone('test', lines.join('\n')) } : {}) },
  },
});
const primary = 'hostmaster.good.test 2026112101 14400 3600 1209600 3600';
const primaryNamed = (mname: string, ...add: readonly string[]): Change => ({
  without: ['@ 3600 SOA'],
  add: [`@ 3600 SOA ${mname} ${primary}`, ...add],
});

// What one server, or one of the parent's, says by itself.
const eachByItself: readonly Case[] = [
  {
    name: 'one name server only with IPv6',
    change: { without: ['ns2.good.test 3600 AAAA'], parentWithout: ['ns2.good.test 3600 AAAA'] },
    broken: ['ns-few-ipv6'],
    score: 100,
  },
  {
    name: 'two of three names for one address',
    change: {
      without: ['ns2.good.test 3600 A '],
      add: ['ns2.good.test 3600 A 192.0.2.1'],
      parentWithout: ['ns2.good.test 3600 A '],
      parentAdd: ['ns2.good.test 3600 A 192.0.2.1'],
    },
    broken: ['ns-shared-address'],
    score: 97,
  },
  {
    name: 'addresses that were not seen may be shared',
    change: { resolver: failing('A ns2.good.test', 'AAAA ns2.good.test') },
    broken: [],
    notTested: ['ns-shared-address'],
  },
  {
    name: 'a server that refers foreign names to the root',
    change: { servers: { '192.0.2.1': { refersTo: '' } } },
    broken: ['ns-upward-referral'],
    score: 97,
  },
  {
    name: 'a server that refers foreign names to some other zone is not one that refers upward',
    change: { servers: { '192.0.2.1': { refersTo: 'other.test' } } },
    broken: [],
  },
  {
    name: 'a server with another MX',
    change: {
      signed: false,
      servers: {
        '198.51.100.1': {
          own: copyOf(
            soaLine(primary),
            '@ 3600 NS ns1.good.test',
            '@ 3600 NS ns2.good.test',
            '@ 3600 NS ns.other.test',
            '@ 3600 MX 10 old.good.test',
          ),
        },
      },
    },
    broken: ['dnssec-unsigned', 'mx-inconsistent-servers'],
    score: 86,
  },
  {
    name: 'a domain without MX has none at every server',
    change: { without: ['@ 3600 MX'] },
    broken: [],
  },
  {
    name: 'a primary that is hidden, and has an address',
    change: primaryNamed('hidden.good.test', 'hidden.good.test 3600 A 192.0.2.99'),
    broken: [],
    score: 100,
  },
  {
    name: 'a primary whose name does not exist',
    change: primaryNamed('gone.good.test'),
    broken: ['soa-mname-without-address'],
    score: 97,
  },
  {
    name: 'a primary whose name is an alias',
    change: primaryNamed('first.good.test', 'first.good.test 3600 CNAME ns1.good.test'),
    broken: ['soa-mname-alias'],
    score: 97,
  },
  {
    name: 'a primary whose address cannot be looked up',
    change: {
      ...primaryNamed('hidden.good.test'),
      resolver: failing('A hidden.good.test', 'AAAA hidden.good.test'),
    },
    broken: [],
    notTested: ['soa-mname-alias', 'soa-mname-without-address'],
  },
  {
    name: 'two servers of the parent with the same DS',
    change: secondParent(),
    broken: [],
  },
  {
    name: 'a server of the parent that has no DS yet',
    change: secondParent([
      '@ 3600 SOA ns.test hostmaster.ns.test 1 14400 3600 1209600 3600',
      'good.test 3600 NS ns1.good.test',
      'good.test 3600 NS ns2.good.test',
      'good.test 3600 NS ns.other.test',
    ]),
    // It has no glue either.
    broken: ['dnssec-ds-inconsistent', 'ns-parent-inconsistent'],
    score: 79,
  },
  {
    name: 'one server of the parent shows nothing of how the others differ',
    change: {},
    broken: [],
    notTested: ['dnssec-ds-inconsistent', 'ns-parent-denies'],
  },
  {
    name: 'a server of the parent that knows no such name',
    change: secondParent(['@ 3600 SOA ns.test hostmaster.ns.test 1 14400 3600 1209600 3600']),
    broken: ['ns-parent-denies'],
    score: 70,
  },
  {
    name: 'a CDS that the zone-signing key alone has signed',
    change: {
      add: [cds(dsLine('good.test', keySigning, { type: 'CDS' }))],
      cdsSigner: 'zone',
    },
    broken: ['dnssec-cds-unsigned'],
    score: 98,
  },
  {
    name: 'a CDS without any signature is ignored by the parent, and is no loss to others',
    change: {
      add: [cds(dsLine('good.test', keySigning, { type: 'CDS' }))],
      afterSigning: (records) =>
        records.filter(({ data }) => (data as { typeCovered?: string }).typeCovered !== 'CDS'),
    },
    broken: ['dnssec-cds-unsigned'],
    score: 98,
  },
  {
    name: 'a CDS that cannot be seen',
    change: { resolver: failing('CDS good.test') },
    broken: ['lookup-failed'],
    notTested: ['dnssec-cds-mismatch', 'dnssec-cds-unsigned'],
  },
];

const closed = { kind: 'failure', code: 'connection-closed', reason: 'the connection was closed' } as const;
const transferCases: readonly Case[] = [
  {
    name: 'a server that gives the zone to everybody',
    change: { transfers: true, servers: { '198.51.100.1': { transfer: { kind: 'open', records: 12 } } } },
    broken: ['zone-transfer-open'],
    score: 70,
  },
  {
    name: 'servers that refuse transfers, one of them by closing the connection',
    change: { transfers: true, servers: { '198.51.100.1': { transfer: closed } } },
    broken: [],
    score: 100,
  },
  {
    name: 'an answer without a record is no transfer',
    change: { transfers: true, servers: { '198.51.100.1': { transfer: { kind: 'open', records: 0 } } } },
    broken: [],
  },
  {
    name: 'transfers that all fail show nothing',
    change: { transfers: true, servers: every({ transfer: closed }) },
    broken: [],
    notTested: ['zone-transfer-open'],
  },
  {
    name: 'transfers that are switched off are not asked for',
    change: { servers: { '198.51.100.1': { transfer: { kind: 'open', records: 12 } } } },
    broken: [],
    notTested: ['zone-transfer-open'],
  },
];

/** One row, one fact. */
const staleSecondaries: readonly Case[] = [
  {
    name: 'a name server whose IPv6 address the parent does not have',
    change: { parentWithout: ['ns1.good.test 3600 AAAA'] },
    broken: ['ns-glue-incomplete'],
    score: 97,
  },
  {
    name: 'a secondary whose copy has lost its signatures',
    change: {
      servers: {
        '198.51.100.1': {
          own: copyOf(
            '@ 3600 SOA ns1.good.test hostmaster.good.test 2026112101 14400 3600 1209600 3600',
            '@ 3600 NS ns1.good.test',
            '@ 3600 NS ns2.good.test',
            '@ 3600 NS ns.other.test',
            '@ 3600 MX 10 mail.good.test',
          ),
        },
      },
    },
    broken: ['dnssec-server-signature-invalid', 'dnssec-keys-inconsistent'],
    score: 61,
  },
];

const privateNames: readonly Case[] = [
  {
    name: 'a mail host under a special-use name is named, and not looked up',
    change: { add: ['@ 3600 MX 20 db.corp.internal'] },
    broken: ['record-name-not-public'],
  },
  {
    name: 'where the mail hosts could not be read, nobody knows what they name',
    change: { resolver: { validates: true, ...failing('MX good.test') } },
    broken: ['lookup-failed'],
    notTested: ['record-name-not-public'],
  },
];

export const cases: readonly Case[] = [
  ...records,
  ...eachByItself,
  ...transferCases,
  ...staleSecondaries,
  ...privateNames,
  ...nameServers,
  manyFaults,
  ...soaCases,
  ...dnssec,
  ...cdsCases,
  ...denialCases,
  ...mannerCases,
  ...originCases,
  ...caaCases,
];

import { gzipSync } from 'node:zlib';
import type { MailCode } from '#shared/catalogue/dns-check/mail/rules';
import type { Case } from './cases.ts';
import { goodZone } from './good-zone.ts';
import { fileOf, goodLogo, markOf, type WebAnswer } from './zone-literal.ts';

const logoUrl = 'https://good.test/logo.svg';
const markUrl = 'https://good.test/mark.pem';
const good = goodLogo.toString();

const failure = (code: string, reason: string): WebAnswer =>
  ({ kind: 'failure', url: '', code, reason, address: null }) as WebAnswer;
const slow = failure('response-timeout', 'no answer in time');
const refused = failure('connection-refused', 'the connection was refused');
const moved = (location: string): WebAnswer => ({ status: 302, headers: [['Location', location]] });
const untrusted: WebAnswer = {
  ...fileOf(goodLogo),
  tls: { protocol: 'TLSv1.3', trusted: false, error: 'CERT_HAS_EXPIRED' },
} as WebAnswer;

type Rest = Omit<Case, 'name' | 'zone' | 'broken' | 'web'>;

/** A good domain whose logo is this one, without a certificate: nothing else is compared with it. */
function logo(
  name: string,
  content: string | Uint8Array | WebAnswer,
  broken: readonly MailCode[],
  rest: Rest = {},
): Case {
  const isContent = typeof content === 'string' || content instanceof Uint8Array;
  return {
    name: `a logo: ${name}`,
    zone: { ...goodZone, 'default._bimi.good.test TXT': `v=BIMI1; l=${logoUrl}` },
    web: { [logoUrl]: isContent ? fileOf(content) : content },
    broken: ['bimi-no-certificate', ...broken],
    score: 100,
    ...rest,
  };
}

/** A good domain with this file where the mark certificate should be. */
function mark(
  name: string,
  content: string | Uint8Array | WebAnswer,
  broken: readonly MailCode[],
  rest: Rest = {},
): Case {
  const isContent = typeof content === 'string' || content instanceof Uint8Array;
  return {
    name: `a mark: ${name}`,
    zone: goodZone,
    web: { [markUrl]: isContent ? fileOf(content) : content },
    broken,
    score: 100,
    ...rest,
  };
}

/** The good logo with something before its end. */
const drawn = (more: string): string => good.replace('</svg>', `${more}</svg>`);
const rooted = (from: string, to: string): string => good.replace(from, to);
const padding = (sizeBytes: number): string => `<!--${'x'.repeat(sizeBytes)}-->`;

const logoCodes: readonly MailCode[] = [
  'bimi-logo-unreachable',
  'bimi-logo-not-svg',
  'bimi-logo-not-tiny-ps',
  'bimi-logo-too-large',
  'bimi-logo-not-square',
  'bimi-logo-size-relative',
];
const markCodes: readonly MailCode[] = [
  'bimi-certificate-unreachable',
  'bimi-certificate-not-mark',
  'bimi-certificate-not-valid-now',
  'bimi-certificate-other-domain',
  'bimi-certificate-chain-broken',
  'bimi-logo-differs',
];
const notTinyPs: readonly MailCode[] = ['bimi-logo-not-tiny-ps'];
const notSvg: readonly MailCode[] = ['bimi-logo-not-svg'];

const fetching: readonly Case[] = [
  logo('nothing to say against it', goodLogo, [], {
    fields: {
      bimi: {
        logoFile: { url: logoUrl, sizeBytes: goodLogo.length, title: 'Good Test', width: 96, height: 96 },
        certificate: null,
      },
    },
  }),
  logo('not found', { status: 404 }, ['bimi-logo-unreachable'], { unjudged: logoCodes.slice(1) }),
  logo('nobody listens', refused, ['bimi-logo-unreachable'], { unjudged: logoCodes.slice(1) }),
  logo('a server with an expired certificate', untrusted, ['bimi-logo-unreachable']),
  logo('no answer in time', slow, [], {
    notTested: logoCodes,
    fields: { bimi: { state: 'ok', logoFile: null } },
  }),
  logo('an address that we do not ask', failure('target-not-allowed', 'port 25 is not allowed'), [], {
    notTested: logoCodes,
  }),
  logo('an answer that stops before its end', { body: { ...cut('timeout') } }, [], { notTested: logoCodes }),
  logo('a redirect to another address', moved('/new.svg'), []),
  logo('a redirect in clear text', moved('http://good.test/new.svg'), ['bimi-logo-unreachable']),
  logo('a redirect to what is no address', moved('https://['), ['bimi-logo-unreachable']),
  logo('a redirect to itself', moved(logoUrl), ['bimi-logo-unreachable']),
  {
    name: 'a record that declines has nothing to be fetched',
    zone: { ...goodZone, 'default._bimi.good.test TXT': 'v=BIMI1; l=; a=;' },
    broken: [],
    unjudged: [...logoCodes, ...markCodes, 'bimi-no-certificate', 'bimi-without-dmarc'],
  },
];

function cut(why: 'timeout') {
  return { text: '', wireBytes: 0, decodedBytes: 0, cut: why };
}

const formats: readonly Case[] = [
  logo('compressed by gzip', gzipSync(goodLogo), [], {
    fields: { bimi: { logoFile: { compressed: true, sizeBytes: goodLogo.length } } },
  }),
  logo('in UTF-16', Buffer.from(`\ufeff${good}`, 'utf16le'), []),
  logo('broken compression', gzipSync(goodLogo).subarray(0, 60), notSvg),
  logo('a picture of points', Buffer.from('89504e470d0a1a0a0000000d', 'hex'), notSvg, {
    unjudged: ['bimi-logo-not-tiny-ps', 'bimi-logo-not-square'],
  }),
  logo('a web page', '<!DOCTYPE html><html><title>x</title></html>', notSvg),
  logo('a web page that is no XML', '<!DOCTYPE html><html><br></html>', notSvg),
  logo('an element that is not closed', good.replace('</desc>', ''), notSvg),
  logo('nothing', '', notSvg),
  logo('an svg of another namespace', '<svg xmlns="http://example.test/"/>', notSvg),
  logo('33 kB', drawn(padding(33 * 1024)), ['bimi-logo-too-large']),
  logo('33 kB, compressed to less', gzipSync(drawn(padding(33 * 1024))), ['bimi-logo-too-large']),
  logo('32 kB to the byte', drawn(padding(32 * 1024 - goodLogo.length - 7)), []),
  logo('70 kB', drawn(padding(70 * 1024)), ['bimi-logo-too-large'], {
    notTested: [...notSvg, 'bimi-logo-not-tiny-ps', 'bimi-logo-not-square', 'bimi-logo-size-relative'],
    fields: { bimi: { logoFile: { sizeBytes: null } } },
  }),
  logo('a few bytes that unpack to megabytes', gzipSync(Buffer.alloc(9_000_000, 32)), [
    'bimi-logo-too-large',
  ]),
];

const profile: readonly Case[] = [
  logo('version 1.1', rooted('version="1.2"', 'version="1.1"'), notTinyPs),
  logo('no version', rooted(' version="1.2"', ''), notTinyPs),
  logo('the profile tiny', rooted('"tiny-ps"', '"tiny"'), notTinyPs),
  logo('no namespace', rooted(' xmlns="http://www.w3.org/2000/svg"', ''), notTinyPs),
  logo(
    'a prefix for its namespace',
    good.replaceAll(/<(\/?)(?=[a-z])/g, '<$1s:').replace('xmlns=', 'xmlns:s='),
    [],
  ),
  logo('no title', good.replace('<title>Good Test</title>', ''), notTinyPs, {
    fields: { bimi: { logoFile: { title: null } } },
  }),
  logo('an empty title', good.replace('Good Test', ' '), notTinyPs),
  logo(
    'a title in a group only',
    good.replace('<title>Good Test</title>', '<g><title>x</title></g>'),
    notTinyPs,
  ),
  logo('two titles', drawn('<title>Again</title>'), notTinyPs),
  logo('a title in CDATA', good.replace('Good Test', '<![CDATA[Good & Test]]>'), [], {
    fields: { bimi: { logoFile: { title: 'Good & Test' } } },
  }),
  logo('a script', drawn('<script>alert(1)</script>'), notTinyPs),
  logo(
    'a script with a prefix of its own',
    drawn('<x:script xmlns:x="http://www.w3.org/2000/svg"/>'),
    notTinyPs,
  ),
  logo('an event', drawn('<rect onclick="x()"/>'), notTinyPs),
  logo('an animation', drawn('<rect><animate attributeName="x" to="9"/></rect>'), notTinyPs),
  logo('a picture in it', drawn('<image href="data:image/png;base64,AA"/>'), notTinyPs),
  logo('a foreign object', drawn('<foreignObject/>'), notTinyPs),
  logo('a link', drawn('<a href="#x"><rect/></a>'), notTinyPs),
  logo('a style sheet', drawn('<style>.a{fill:red}</style>'), notTinyPs),
  logo(
    'an instruction that names a style sheet',
    `<?xml-stylesheet href="a.css"?>${good.slice(good.indexOf('<svg'))}`,
    notTinyPs,
  ),
  logo('a style attribute', drawn('<rect style="fill:red"/>'), notTinyPs),
  logo('a use of another file', drawn('<use xlink:href="https://evil.test/a.svg#x"/>'), notTinyPs),
  logo(
    'the same, with its first letter in disguise',
    drawn('<use href="&#104;ttps://evil.test/"/>'),
    notTinyPs,
  ),
  logo('a switch', drawn('<switch><rect systemLanguage="en"/><rect/></switch>'), []),
  logo('a use of its own part', drawn('<use xlink:href=" #a"/>'), []),
  logo('a fill that is its own part', drawn(`<rect fill="url(#a)"/><rect fill="url('#b')"/>`), []),
  logo('a fill that is elsewhere', drawn('<rect fill="URL( https://evil.test/#a )"/>'), notTinyPs),
  logo('a root that is moved', rooted('<svg ', '<svg x="0" y="0" '), notTinyPs),
  logo('a zoom that is allowed', rooted('<svg ', '<svg zoomAndPan="disable" '), []),
  logo('a zoom that is not', rooted('<svg ', '<svg zoomAndPan="magnify" '), notTinyPs),
  logo(
    'what an editor keeps for itself',
    drawn('<e:view xmlns:e="http://editor.test/"><e:script/></e:view>'),
    [],
  ),
  logo('a DOCTYPE', good.replace('<svg', '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd"><svg'), []),
  logo(
    'entities of its own: what they hide is not known',
    good.replace('<svg', '<!DOCTYPE svg [<!ENTITY a "<script/>"><!-- ]> --> ]><svg').replace('Good', '&a;'),
    [],
    { notTested: notTinyPs },
  ),
  logo(
    'entities of its own, and a script beside',
    good
      .replace('<svg', '<!DOCTYPE svg [<!ENTITY a "b">]><svg')
      .replace('Good', '&a;<!-- -->')
      .replace('</svg>', '<script/></svg>'),
    notTinyPs,
  ),
  logo('an entity that nobody declares', good.replace('Good', '&a;'), notSvg),
];

const sizes: readonly Case[] = [
  logo('twice as wide as high', rooted('0 0 96 96', '0,0,192,96'), ['bimi-logo-not-square'], {
    fields: { bimi: { logoFile: { width: 192, height: 96 } } },
  }),
  logo('square by width and height', rooted('viewBox="0 0 96 96"', 'width="96px" height="96"'), []),
  logo('oblong by width and height', rooted('viewBox="0 0 96 96"', 'width="96" height="48"'), [
    'bimi-logo-not-square',
  ]),
  logo('square but for a rounding error', rooted('0 0 96 96', '0 0 967.5 967.4'), []),
  logo('without a size', rooted(' viewBox="0 0 96 96"', ''), [], { notTested: ['bimi-logo-not-square'] }),
  logo('a viewBox that is none', rooted('0 0 96 96', '0 0 a 96'), [], {
    notTested: ['bimi-logo-not-square'],
  }),
  logo('in percent', rooted('<svg ', '<svg width="100%" height="100%" '), ['bimi-logo-size-relative']),
];

const marks: readonly Case[] = [
  mark('nothing to say against it', markOf('good'), [], {
    fields: {
      bimi: {
        certificate: {
          kind: 'VMC',
          subject: 'O=Good Test, CN=Good Test, 1.3.6.1.4.1.53087.1.13=Registered Mark',
          issuer: 'O=Marks of Test, CN=Test Mark CA',
          names: 'DNS:good.test',
          validUntil: '2100-01-01T00:00:00.000Z',
          trusted: null,
        },
      },
    },
  }),
  mark('for the selector of the domain', markOf('selector'), [], { notTested: ['bimi-logo-differs'] }),
  mark('for another domain', markOf('other'), ['bimi-certificate-other-domain']),
  mark('without any name', markOf('nameless'), ['bimi-certificate-other-domain']),
  mark('expired', markOf('expired'), ['bimi-certificate-not-valid-now']),
  mark('not yet valid', markOf('early'), ['bimi-certificate-not-valid-now']),
  mark('a certificate of a web server', markOf('web'), ['bimi-certificate-not-mark']),
  mark('the issuer without the mark', markOf('authority'), [
    'bimi-certificate-not-mark',
    'bimi-certificate-other-domain',
    'bimi-certificate-chain-broken',
  ]),
  mark('without its issuer', markOf('alone'), ['bimi-certificate-chain-broken']),
  mark('issued by a certificate that has expired', markOf('old-issuer'), ['bimi-certificate-chain-broken']),
  mark('with a gap in the chain', markOf('gap'), ['bimi-certificate-chain-broken']),
  mark('a web page', '<html></html>', ['bimi-certificate-not-mark'], {
    unjudged: ['bimi-certificate-not-valid-now', 'bimi-logo-differs'],
    fields: { bimi: { certificate: null } },
  }),
  mark('cut off in the middle', markOf('good').subarray(0, 500), ['bimi-certificate-not-mark']),
  mark('a frame around something else', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', [
    'bimi-certificate-not-mark',
  ]),
  mark('longer than is read', `${'x'.repeat(70_000)}${markOf('good').toString()}`, [], {
    notTested: markCodes.slice(1),
  }),
  mark('not found', { status: 404 }, ['bimi-certificate-unreachable'], { unjudged: markCodes.slice(1) }),
  mark('no answer in time', slow, [], { notTested: markCodes }),
  {
    name: 'a logo with one letter more than that of the mark',
    zone: goodZone,
    web: { [logoUrl]: fileOf(`${good}\n`) },
    broken: ['bimi-logo-differs'],
  },
  {
    name: 'a logo that is not there is compared with nothing',
    zone: goodZone,
    web: { [logoUrl]: { status: 404 } },
    broken: ['bimi-logo-unreachable'],
    unjudged: ['bimi-logo-differs'],
  },
  {
    name: 'a subdomain may use the mark of its organization',
    zone: {
      ...goodZone,
      'default._bimi.good.test TXT': null,
      'default._bimi.test TXT': `v=BIMI1; l=${logoUrl}; a=${markUrl}`,
      '_dmarc.test TXT': 'v=DMARC1; p=reject; rua=mailto:reports@good.test',
      'test._report._dmarc.good.test TXT': 'v=DMARC1',
    },
    web: { [markUrl]: fileOf(markOf('good')) },
    broken: [],
  },
];

/** What the addresses in a BIMI record may lead to. */
export const bimiFileCases: readonly Case[] = [...fetching, ...formats, ...profile, ...sizes, ...marks];

import type { ProtocolCode } from '#shared/catalogue/ssl-check/rules/protocol';
import { brokenBy, brokenIf, notTested, type Verdict } from '#shared/model/verdict';
import { readCertificate } from '../../../certificates/certificate.ts';
import type { Chain } from '../../../certificates/chain.ts';
import { readMaxAge } from '../../../web/hsts.ts';
import { isAlpnRefused } from '../facts/clients.ts';
import { isSetKnown, type SslFacts } from '../facts/facts.ts';
import { judgeHelloSize } from '../facts/hello-size.ts';
import { readHttp3 } from '../facts/http3.ts';
import { nameNotOffered } from '../grammar/not-offered.ts';
import { type VersionName, versionNames } from '../grammar/tls-names.ts';

/** Judges versions, extensions, and how the server deals with clients. */
export function judgeProtocols(facts: SslFacts, chains: readonly Chain[]): Record<ProtocolCode, Verdict> {
  return {
    ...judgeVersions(facts),
    ...judgeClearAnswers(facts),
    ...judgeAlpn(facts),
    ...judgeNameIndication(facts, chains),
    ...judgeHsts(facts),
    'client-hello-size-intolerance': judgeSize(facts),
    'early-data-offered': judgeEarlyData(facts),
    'client-certificate-requested': judgeClientCertificate(facts),
    'session-not-resumed': judgeResumption(facts),
    'renegotiation-by-client': judgeRenegotiation(facts),
    'http3-unanswered': judgeHttp3(facts),
    'tls-answer-not-offered': judgeOffers(facts),
    'certificate-compression-missing': judgeCompression(facts),
  };
}

const untold = 'the server did not say whether it speaks this version';

function judgeVersions(facts: SslFacts) {
  const { isAlive, known, protocols, suites } = facts;
  const offered = versionNames.filter((version) => protocols[version] === true);
  const isUnknown = (versions: readonly VersionName[]) =>
    versions.some((version) => protocols[version] === null);
  const judge = (version: VersionName) =>
    protocols[version] === null ? notTested(untold) : brokenIf(protocols[version] === true, { version });
  const modern = ['TLSv1.2', 'TLSv1.3'] as const;
  const tls = ['TLSv1', 'TLSv1.1', ...modern] as const;
  const missing = (versions: readonly VersionName[]): Verdict => {
    if (versions.some((version) => offered.includes(version))) return 'holds';
    if (isUnknown(versions)) return notTested(untold);
    // Such a server has a finding of its own, which says why nobody can connect.
    if (!isAlive && known.unusable.length > 0) return 'not-applicable';
    return brokenIf(true, { best: offered.at(-1) ?? 'none', versions: offered.join(', ') });
  };
  const block = suites.find(
    ({ suite, version }) => version === 'SSLv3' && suite.cipher !== 'RC4' && suite.bits > 0,
  );
  return {
    'sslv2-offered': judge('SSLv2'),
    'sslv3-offered': judge('SSLv3'),
    'tls10-offered': judge('TLSv1'),
    'tls11-offered': judge('TLSv1.1'),
    'sslv3-cbc-offered':
      block === undefined && (protocols.SSLv3 === null || !isSetKnown(facts, 'SSLv3', 'oldBlocks'))
        ? notTested(untold)
        : brokenIf(block !== undefined, { suite: block?.suite.name ?? '' }),
    'tls-missing': missing(tls),
    'tls12-missing': missing(modern),
    'tls13-missing': missing(['TLSv1.3']),
  } as const satisfies Partial<Record<ProtocolCode, Verdict>>;
}

/** What shows only up to TLS 1.2; TLS 1.3 has none of these weaknesses. */
function judgeClearAnswers({ clearAnswers, protocols }: SslFacts) {
  const isTls13Only = protocols['TLSv1.3'] === true && protocols['TLSv1.2'] === false;
  const nothing: Verdict = isTls13Only ? 'not-applicable' : notTested('no ServerHello in clear was seen');
  const judge = (isBroken: (answer: SslFacts['clearAnswers'][number]) => boolean): Verdict => {
    const broken = clearAnswers.find(isBroken);
    return clearAnswers.length === 0
      ? nothing
      : brokenIf(broken !== undefined, { version: broken?.version ?? '' });
  };
  const isTls = (version: VersionName) => version !== 'SSLv3';
  return {
    'compression-offered': judge(({ compression }) => compression !== 0),
    'secure-renegotiation-missing': judge(({ secureRenegotiation }) => !secureRenegotiation),
    'extended-master-secret-missing': judge(
      ({ extendedMasterSecret, version }) => isTls(version) && !extendedMasterSecret,
    ),
  } as const satisfies Partial<Record<ProtocolCode, Verdict>>;
}

function judgeAlpn(facts: SslFacts) {
  const { client } = facts;
  const isRefused = isAlpnRefused(facts);
  const isAsked = client?.offer === 'modern' || client?.offer === 'small';
  return {
    'alpn-refused': client === null && !isRefused ? notTested(noHandshake) : brokenIf(isRefused),
    'alpn-h2-missing':
      isAsked && client
        ? brokenIf(client.alpn !== 'h2', { alpn: client.alpn ?? 'none' })
        : notTested(noHandshake),
  } as const satisfies Partial<Record<ProtocolCode, Verdict>>;
}

const noHandshake = 'no handshake of a current client could be completed';

function judgeNameIndication({ evidence: { withoutName } }: SslFacts, chains: readonly Chain[]) {
  if (withoutName === null) {
    const unseen = notTested('no handshake without a name was tried');
    return { 'sni-required': unseen, 'sni-default-differs': unseen } as const;
  }
  if (withoutName.kind === 'failure')
    return {
      'sni-required': brokenIf(true, { reason: withoutName.reason }),
      'sni-default-differs': 'not-applicable',
    } as const;
  const shown = readCertificate(withoutName.certificates[0] ?? '');
  return {
    'sni-required': 'holds',
    'sni-default-differs': brokenIf(
      shown !== undefined && chains.every(({ leaf }) => shown.sha256 !== leaf?.sha256),
      {
        subject: shown?.subject ?? '',
      },
    ),
  } as const;
}

/** A year is usual; SSL Labs asks for 180 days. */
const longEnoughS = 15_552_000;
/** A header may be as long as its server likes. */
const shownCharacters = 500;

function judgeHsts({ evidence: { hsts } }: SslFacts) {
  if (hsts.kind === 'unknown') {
    const unseen = notTested(hsts.reason);
    return { 'hsts-missing': unseen, 'hsts-short': unseen } as const;
  }
  const [value] = hsts.values;
  const maxAge = readMaxAge(value ?? '');
  const sent =
    value === undefined
      ? {}
      : { header: 'strict-transport-security', value: value.slice(0, shownCharacters) };
  const isUsed = maxAge !== null && maxAge > 0;
  const days = Math.floor((maxAge ?? 0) / 86_400);
  return {
    'hsts-missing': brokenIf(!isUsed, { url: hsts.url, ...sent }),
    'hsts-short': isUsed ? brokenIf(maxAge < longEnoughS, { days, maxAge, ...sent }) : 'not-applicable',
  } as const;
}

function judgeSize({ client, evidence }: SslFacts): Verdict {
  return client === null ? notTested(noHandshake) : judgeHelloSize(evidence);
}

function judgeEarlyData({ client, protocols }: SslFacts): Verdict {
  if (protocols['TLSv1.3'] === false) return 'not-applicable';
  if (client === null) return notTested(noHandshake);
  const { maxEarlyDataBytes } = client;
  if (maxEarlyDataBytes === null) return notTested('the server sent no session ticket');
  return brokenIf(maxEarlyDataBytes > 0, { bytes: maxEarlyDataBytes });
}

function judgeClientCertificate(facts: SslFacts): Verdict {
  const { client, clearAnswers, evidence } = facts;
  const isRequired =
    client?.lateAlert === 'certificate_required' || (client === null && evidence.handshakes.length > 0);
  const isRequested = clearAnswers.some(({ certificateRequested }) => certificateRequested);
  const isRefused = client?.lateAlert === 'certificate_required';
  if (client === null && clearAnswers.length === 0) return notTested(noHandshake);
  // A request is encrypted in TLS 1.3: one that must be answered shows by its alert, any other not at all.
  if (clearAnswers.length === 0 && !isRefused)
    return notTested('a request that may be left unanswered cannot be seen in TLS 1.3');
  return brokenIf(isRequested || isRefused, {
    need: isRequired ? 'required' : 'asked for but not required',
  });
}

function judgeResumption({ client, evidence: { resumption } }: SslFacts): Verdict {
  if (client === null) return notTested(noHandshake);
  if (resumption === undefined || resumption?.outcome === 'unknown')
    return notTested('no second handshake with the same session was completed');
  if (resumption === null || resumption.outcome === 'none') return 'not-applicable';
  return brokenIf(resumption.outcome === 'declined', { version: resumption.version });
}

const secp256r1 = 0x0017;

/** Where nobody can go on with any answer, that is reported as the reason why nobody can connect. */
function judgeOffers({ evidence, isAlive, protocols }: SslFacts): Verdict {
  const { notOffered } = evidence;
  if (!isAlive && (notOffered ?? []).length > 0) return 'not-applicable';
  if (!isAlive) return notTested(noHandshake);
  if (notOffered === undefined) return notTested('no answer was compared with its ClientHello');
  // All clients of today offer P-256: a server that names it whatever is left out, as we leave it out on purpose, turns none of them away.
  const met = notOffered.filter(
    ({ what, chosen, version }) => !(what === 'group' && chosen === secp256r1 && protocols[version] === true),
  );
  return brokenBy(
    met.map((fault) => ({
      version: fault.version,
      chosen: nameNotOffered(fault),
      kind: fault.what,
      clients:
        protocols[fault.version] === false
          ? 'No client gets a connection in this version'
          : 'Some clients get no connection in this version',
    })),
  );
}

/** Only TLS 1.3 has it. */
function judgeCompression({ protocols, evidence: { certificateForm } }: SslFacts): Verdict {
  if (protocols['TLSv1.3'] === false) return 'not-applicable';
  if (certificateForm === undefined) return notTested('an older version did not look at it');
  if (certificateForm === null)
    return notTested('no certificate was seen in a handshake that offers to decompress it');
  if (certificateForm.kind === 'malformed')
    return brokenIf(true, { form: `compressed, but wrong (${certificateForm.reason})` });
  const { compression, bytes } = certificateForm;
  return brokenIf(compression === null, { form: `as they are, in ${bytes} bytes` });
}

function judgeHttp3({ evidence }: SslFacts): Verdict {
  const { state, place, reason } = readHttp3(evidence);
  if (state === 'not-offered') return 'not-applicable';
  if (state === 'unknown') return notTested(reason ?? 'it was not tried');
  const { source = '', port = 0 } = place ?? {};
  return brokenIf(state === 'no-answer', { source, port, address: evidence.addresses[0] ?? '', reason });
}

function judgeRenegotiation({ client, evidence: { renegotiation } }: SslFacts): Verdict {
  if (client === null) return notTested(noHandshake);
  if (renegotiation === null) return 'not-applicable';
  if (renegotiation === undefined || renegotiation === 'unknown')
    return notTested('a renegotiation was not answered, or no connection was left for it');
  return brokenIf(renegotiation === 'accepted');
}

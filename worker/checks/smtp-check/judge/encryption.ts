import type { SmtpCode } from '#shared/catalogue/smtp-check/rules';
import { brokenBy, isBroken, type Verdict, type Verdicts } from '#shared/model/verdict';
import { isSmallKey } from '../../../certificates/certificate.ts';
import { isStartTlsMisplaced } from '../../../probes/smtp/reply-line.ts';
import type { AddressFacts, HostFacts } from '../facts/facts.ts';
import { readEhlo } from '../facts/replies.ts';
import type { Connection, Talked } from '../facts/start-tls.ts';
import { type Finding, foundIf, judgeEach, unseen } from './each.ts';

type EncryptionCode = Extract<SmtpCode, `starttls-${string}` | `smtp-${string}`>;

/** Judges whether mail can be sent encrypted, and how well. */
export function judgeEncryption(hosts: readonly HostFacts[]): Verdicts<EncryptionCode> {
  const each = (test: (one: AddressFacts) => Finding) => judgeEach(hosts, test);
  return {
    'starttls-missing': withCause(each(testMissing)),
    'starttls-broken': each(testBroken),
    'starttls-offered-again': each(ifSecure(testOfferedAgain)),
    'starttls-early-bytes': each(testEarlyBytes),
    'smtp-tls12-missing': each(ifSecure(testTls12)),
    'smtp-tls-old-versions': each(ifSecure(testOldVersions)),
    'smtp-suites-weak': each(ifSecure(testSuite)),
    'smtp-key-weak': each(ifSecure(testKey)),
    'smtp-certificate-unverified': each(ifSecure(testCertificate)),
  };
}

type Secure = { readonly connection: Connection; readonly talk: Talked };

/** What can only be seen behind a handshake. */
function ifSecure(test: (one: AddressFacts, secure: Secure) => Finding): (one: AddressFacts) => Finding {
  return (one) => {
    const { state, reason, connection, talk } = one.startTls;
    if (connection !== null && talk !== null) return test(one, { connection, talk });
    return state === 'missing' ? 'not-applicable' : unseen(reason);
  };
}

function testMissing(one: AddressFacts): Finding {
  if (one.answer.state !== 'ok') return unseen(one.answer.reason);
  const { first } = one.seen;
  const isMisplaced = first.kind === 'talked' && isStartTlsMisplaced(first.ehlo);
  return foundIf(one.startTls.state === 'missing', one, { cause: isMisplaced ? misplaced : '' });
}

const misplaced = ' (the word stands in the first line of its answer to EHLO, where no sender looks for it)';

function withCause(verdict: Verdict): Verdict {
  if (!isBroken(verdict) || !verdict.broken.every(({ cause }) => cause === misplaced)) return verdict;
  const text =
    'Let the answer to EHLO begin with the name of the server, on a line of its own, and STARTTLS follow it. Software in front of the server that rewrites the answer may have taken the first line away.';
  return brokenBy(verdict.broken, { text });
}

function testBroken(one: AddressFacts): Finding {
  const { state, reason, isHopeless } = one.startTls;
  if (state === 'ok') return 'holds';
  if (state === 'missing') return 'not-applicable';
  return isHopeless ? foundIf(true, one, { reason }) : unseen(reason);
}

function testOfferedAgain(one: AddressFacts, { talk: { ehloAfter } }: Secure): Finding {
  const { extensions, offersStartTls } = readEhlo(ehloAfter);
  if (extensions.length === 0) return unseen('it did not answer EHLO after the handshake');
  return foundIf(offersStartTls, one);
}

function testEarlyBytes(one: AddressFacts): Finding {
  const { seen, startTls } = one;
  const bytes = [seen.first, seen.second?.talk].map((talk) =>
    talk?.kind === 'talked' ? talk.droppedBytes : 0,
  );
  const most = Math.max(...bytes);
  if (most > 0) return foundIf(true, one, { bytes: most });
  if (startTls.state === 'missing') return 'not-applicable';
  return startTls.state === 'ok' ? 'holds' : unseen(startTls.reason);
}

const outdated: readonly string[] = ['TLSv1', 'TLSv1.1', 'SSLv3'];

function testTls12(one: AddressFacts, { connection: { protocol } }: Secure): Finding {
  return foundIf(outdated.includes(protocol), one, { protocol });
}

function testOldVersions(one: AddressFacts, { connection }: Secure): Finding {
  const { oldVersions } = one;
  if (outdated.includes(connection.protocol)) return 'not-applicable';
  if (oldVersions.kind === 'unknown') return unseen(oldVersions.reason);
  return foundIf(oldVersions.kind === 'accepted', one, {
    protocol: oldVersions.kind === 'accepted' ? oldVersions.protocol : null,
  });
}

const weakSuite = /_NULL_|EXPORT|_RC4_|_RC2_|_DES_|_3DES_|_IDEA_|_anon_/;

function testSuite(one: AddressFacts, { connection: { suite } }: Secure): Finding {
  return weakSuite.test(suite)
    ? foundIf(true, one, { suite })
    : unseen('two connections cannot tell all suites of a server');
}

function testKey(one: AddressFacts): Finding {
  const leaf = one.chain?.leaf;
  if (!leaf) return unseen('its certificate cannot be read');
  return foundIf(isSmallKey(leaf.key), one, { bits: leaf.key.bits, type: leaf.key.type });
}

/** Where DANE or a policy for this host says what senders expect, their rules tell what is wrong with the certificate. */
function testCertificate(one: AddressFacts): Finding {
  if (one.dane.state === 'ok') return 'holds';
  if (one.dane.state === 'mismatch') return 'not-applicable';
  if (one.sts.state === 'mismatch' && !one.sts.isForeign) return 'not-applicable';
  return foundIf(one.untrusted !== null, one, { reason: one.untrusted });
}

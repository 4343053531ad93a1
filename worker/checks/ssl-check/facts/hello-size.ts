import { brokenIf, notTested, type Verdict } from '#shared/model/verdict';
import type { SslEvidence } from '../evidence.ts';
import { clientProfiles, hybridGroup } from '../grammar/client-profiles.ts';

/** One that was late by chance says nothing: so many of each size must agree. */
const wanted = 2;

/**
 * Whether the address takes a ClientHello that needs two TCP segments. Every one that was sent counts, ours and those of known clients:
 * one large one that passed shows that it does; that it does not, two large ones that did not pass beside two short ones that did.
 */
export function judgeHelloSize(evidence: SslEvidence): Verdict {
  const large = [
    ...evidence.handshakes.filter(({ offer }) => offer === 'modern' || offer === 'without-alpn').map(asTried),
    ...readClients(evidence, true),
  ];
  const short = [
    ...evidence.handshakes.filter(({ offer }) => offer === 'small').map(asTried),
    ...readClients(evidence, false),
    ...evidence.questions
      .filter(({ version }) => version === 'TLSv1.2')
      .flatMap(({ accepted }) => accepted.map(() => passed)),
  ];
  if (large.some(({ isPassed }) => isPassed)) return 'holds';
  const shortPassed = short.filter(({ isPassed }) => isPassed).length;
  if (large.length < wanted || shortPassed < wanted)
    return notTested(
      `${large.length} large and ${shortPassed} short ClientHellos were compared; two of each are needed`,
    );
  return brokenIf(true, { reason: large[0]?.reason ?? '', large: large.length, short: shortPassed });
}

type Tried = { readonly isPassed: boolean; readonly reason: string };

const passed: Tried = { isPassed: true, reason: '' };

function asTried({ handshake }: SslEvidence['handshakes'][number]): Tried {
  return handshake.kind === 'connected' ? passed : { isPassed: false, reason: handshake.reason };
}

/** What known clients got, by whether their hello brings a post-quantum key; what we stopped ourselves was not tried. */
function readClients({ clients = [] }: SslEvidence, isLarge: boolean): readonly Tried[] {
  return clients.flatMap(({ hello, version, answer }) => {
    const profile = clientProfiles.find((one) => one.hello === hello);
    if (!profile || answer.kind === 'stopped' || profile.keysFor.includes(hybridGroup) !== isLarge) return [];
    // The large ones offer no older version.
    if (version !== null && version !== 'TLSv1.2' && version !== 'TLSv1.3') return [];
    return answer.kind === 'accepted'
      ? [passed]
      : [{ isPassed: false, reason: `that of ${profile.name} was not answered` }];
  });
}

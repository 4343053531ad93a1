import { createHmac } from 'node:crypto';

/** What is signed: the id and the bytes are the same in each attempt, the time is that of the attempt. */
export type Signed = { readonly id: string; readonly timestampS: number; readonly body: string };

/**
 * The fields of a webhook as Standard Webhooks say (standardwebhooks.com, "Signature scheme"): HMAC-SHA256 of id, time and body.
 * @param secrets "whsec_" and base64; each signs, so that a receiver may change from one to the next
 */
export function signWebhook(
  { id, timestampS, body }: Signed,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': signatures.join(' '),
  };
}

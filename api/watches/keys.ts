import { randomBytes } from 'node:crypto';

/** A key of an address: 128 random bits. */
export function drawKey(): string {
  return randomBytes(16).toString('base64url');
}

/** A secret as Standard Webhooks have it: 24 random bytes. */
export function drawSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
}

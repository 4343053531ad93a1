const dayMs = 86_400_000;

/** How long a certificate is valid, in days: its last second belongs to it (RFC 5280 §4.1.2.5). Unix ms. */
export function lifetimeDays({ notBefore, notAfter }: { notBefore: number; notAfter: number }): number {
  return (notAfter - notBefore + 1000) / dayMs;
}

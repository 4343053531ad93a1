/** Which client redirect-check can ask as. */
export const userAgents = ['ours', 'desktop', 'phone', 'googlebot-like'] as const;
export type UserAgent = (typeof userAgents)[number];

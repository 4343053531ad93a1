import type { UserAgent } from '#shared/catalogue/redirect-check/user-agents';

/** What is sent as User-Agent for each choice but our own. Each still names this service, so that an operator knows who asked. */
export const userAgentTexts: { readonly [A in Exclude<UserAgent, 'ours'>]: string } = {
  desktop:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 DiagnosticTools',
  phone:
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36 DiagnosticTools',
  'googlebot-like': 'Mozilla/5.0 (compatible; Googlebot/2.1-like; DiagnosticTools)',
};

/** The text for an option of a job; undefined where our own User-Agent is sent. */
export function readUserAgent(option: unknown): string | undefined {
  return typeof option === 'string' && Object.hasOwn(userAgentTexts, option)
    ? userAgentTexts[option as keyof typeof userAgentTexts]
    : undefined;
}

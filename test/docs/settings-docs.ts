import { fileSettingOf, secretSettings } from '#shared/settings/secret-files';
import { settingTexts } from '#shared/settings/setting-texts';
import { withTable } from './marked-table.ts';

const settings = Object.entries(settingTexts);

/** The text of .env.example: every setting with its default, commented out. */
export function makeEnvExample(): string {
  const blocks = settings.map(([name, { byDefault, meaning }]) => {
    const secret = secretSettings.find((each) => each === name);
    const lines = [`# ${meaning}`, `#${name}=${byDefault ?? ''}`];
    return (secret ? [...lines, `#${fileSettingOf(secret)}=`] : lines).join('\n');
  });
  return `${head}\n\n${blocks.join('\n\n')}\n\n${composeOnly}\n`;
}

const head = `# Copy it to .env beside docker-compose.yml and set what you need; an empty value counts as unset.
# Without compose these are environment variables: set -a; . ./.env; set +a; npm start
# A secret can be in a file instead, named by <setting>_FILE. The compose file decides HOST, PORT, ADMIN_*, DATA_DIR,
# REDIS_URL, MONGODB_URL and WORKER_QUEUES by itself.
# Made by npm run docs from shared/settings/setting-texts.ts.`;

const composeOnly = `# Read by the compose file only: ports on 127.0.0.1, the memory of the API, how long it may take to stop (DRAIN_SECONDS and 20 s), the base image, and which browser the image has (bundled, debian, none).
#API_PORT=3000
#API_MEMORY=512m
#API_STOP_GRACE=30s
#GRAFANA_PORT=3030
#JAEGER_PORT=16686
#NODE_IMAGE=node:24-slim
#BROWSER=bundled
# Resolvers that the compose file's own asks, where this network lets no question out to name servers.
#DNS_FORWARD=`;

/** The page of settings with its table made anew. */
export function makeSettingsPage(): string {
  const rows = settings.map(
    ([name, { byDefault, meaning }]) => `| \`${name}\` | ${byDefault ?? '–'} | ${meaning} |`,
  );
  const table = ['| name | default | meaning |', '|---|---|---|', ...rows].join('\n');
  return withTable('docs/settings.md', 'settings', table);
}

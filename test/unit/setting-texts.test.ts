import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readConfig, settingNames } from '#shared/settings/config';
import { fileSettingOf, secretSettings } from '#shared/settings/secret-files';
import { settingTexts } from '#shared/settings/setting-texts';
import { makeEnvExample } from '../docs/settings-docs.ts';

const texts = Object.entries(settingTexts);
const example = makeEnvExample();
const written = [...example.matchAll(/^#([A-Z][A-Z_]+)=(.*)$/gm)].map(
  ([, name = '', value = '']) => [name, value] as const,
);

test('settings are told in the order of the schema', () => {
  const secretFiles: readonly string[] = secretSettings.map(fileSettingOf);
  const inSchema = settingNames.filter((name) => !secretFiles.includes(name));
  expect(texts.map(([name]) => name)).toEqual(inSchema);
});

test.for(texts)('%s has the default that is told', ([name, { byDefault }]) => {
  const config: Readonly<Record<string, unknown>> = readConfig({ [name]: byDefault ?? '' });
  const unset: Readonly<Record<string, unknown>> = readConfig({});
  expect(config[name]).toEqual(unset[name]);
});

test('.env.example lists every setting, as it stands it changes nothing, and with every line in effect neither', () => {
  expect(settingNames.filter((name) => !written.some(([each]) => each === name))).toEqual([]);
  expect(example.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
  expect(readConfig(Object.fromEntries(written))).toEqual(readConfig({}));
});

test('every variable of the compose file is in .env.example', () => {
  const variables = readFileSync('docker-compose.yml', 'utf8').matchAll(/\$\{(\w+)/g);
  const names = new Set(Array.from(variables, ([, name = '']) => name));
  expect([...names].filter((name) => !written.some(([each]) => each === name))).toEqual([]);
});

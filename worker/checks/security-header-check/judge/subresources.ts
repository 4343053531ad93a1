import { subresourceRules } from '#shared/catalogue/security-header-check/rules/content';
import {
  allOf,
  brokenBy,
  type Evidence,
  notTested,
  unlessBroken,
  type Verdicts,
} from '#shared/model/verdict';
import { isHtml } from '../../../web/content-type.ts';
import { valuesOf } from '../../../web/fields.ts';
import type { PageElement } from '../evidence.ts';
import type { PageFacts } from '../facts/page.ts';
import { attributeOf, isScript, isUpgraded } from '../facts/policies.ts';
import { domainOf } from '../facts/third-parties.ts';
import { parseBlocksScripts, parseIntegrity } from '../grammar/integrity.ts';
import { brokenWhen, cut, where } from './verdict-tables.ts';

/** A script or style that the page loads. */
type Load = {
  readonly element: PageElement;
  readonly url: URL;
  readonly kind: 'script' | 'style';
  readonly isCrossOrigin: boolean;
  readonly isCrossSite: boolean;
  readonly integrity: string | undefined;
};

/** Judges the scripts and styles that the page loads from elsewhere. */
export function judgeSubresources(page: PageFacts): Verdicts<keyof typeof subresourceRules> {
  if (!page.isDocument || !isHtml(page.type)) return allOf(subresourceRules, 'not-applicable');
  if (!page.document) return allOf(subresourceRules, notTested('the page could not be read'));
  const { cut: cutBy } = page.document;
  const unseen = notTested(`the page was not read to its end: ${cutBy ?? ''}`);
  const loads = readLoads(page);
  if (loads.length === 0) return allOf(subresourceRules, cutBy === null ? 'not-applicable' : unseen);
  const judged = judgeLoads(page, loads);
  // Behind the cut there may be more of anything.
  return cutBy === null ? judged : unlessBroken(judged, unseen);
}

function judgeLoads(page: PageFacts, loads: readonly Load[]): Verdicts<keyof typeof subresourceRules> {
  const foreign = loads.filter(({ isCrossSite }) => isCrossSite);
  const foreignScripts = foreign.filter(({ kind }) => kind === 'script');
  const checked = loads.filter(({ integrity }) => integrity !== undefined && integrity !== '');
  const isGood = ({ integrity = '' }: Load) => parseIntegrity(integrity).length > 0;
  const compared = checked.filter((load) => isGood(load) && load.isCrossOrigin);
  const show = (load: Load) => showLoad(page, load);
  const clearText = loads.filter(({ url }) => url.protocol === 'http:');
  return {
    'script-http':
      page.url.protocol !== 'https:' || isUpgraded(page.policies)
        ? 'not-applicable'
        : brokenBy(clearText.map(show)),
    'sri-missing': where(
      foreign.length > 0,
      brokenBy(foreign.filter(({ integrity }) => !integrity).map(show)),
    ),
    'sri-invalid': where(
      checked.length > 0,
      brokenBy(
        checked
          .filter((load) => !isGood(load))
          .map((load) => ({ ...show(load), value: cut(load.integrity ?? '') })),
      ),
    ),
    'sri-missing-crossorigin': where(
      compared.length > 0,
      brokenBy(compared.filter(({ element }) => !isAskedByCors(element)).map(show)),
    ),
    'integrity-policy-missing':
      foreignScripts.length === 0
        ? 'not-applicable'
        : brokenWhen(
            !parseBlocksScripts(valuesOf(page.fields, 'integrity-policy')) && {
              hop: page.index,
              url: page.hop.url,
              count: foreignScripts.length,
            },
          ),
  };
}

// Modules are always asked for by CORS (HTML Standard, "fetch a module script graph").
function isAskedByCors(element: PageElement): boolean {
  if (attributeOf(element, 'crossorigin') !== undefined) return true;
  return element.name === 'script'
    ? attributeOf(element, 'type')?.trim().toLowerCase() === 'module'
    : !relationsOf(element).includes('stylesheet');
}

function relationsOf(element: PageElement): readonly string[] {
  return (attributeOf(element, 'rel') ?? '').toLowerCase().split(/\s+/);
}

function showLoad(page: PageFacts, { element, url }: Load): Evidence {
  return { hop: page.index, url: page.hop.url, element: `<${element.name}>`, address: cut(url.href) };
}

function readLoads(page: PageFacts): Load[] {
  const base = resolve(page.document?.base ?? '', page.url) ?? page.url;
  return (page.document?.elements ?? []).flatMap((element) => {
    const found = addressOf(element);
    const url = found && resolve(found.address, base);
    if (!found || !url || !/^https?:$/.test(url.protocol)) return [];
    return [
      {
        element,
        url,
        kind: found.kind,
        isCrossOrigin: url.origin !== page.url.origin,
        isCrossSite: domainOf(url.hostname) !== domainOf(page.url.hostname),
        integrity: attributeOf(element, 'integrity')?.trim(),
      },
    ];
  });
}

function addressOf(
  element: PageElement,
): { readonly address: string; readonly kind: Load['kind'] } | undefined {
  if (isScript(element)) return found(attributeOf(element, 'src'), 'script');
  if (element.name !== 'link') return undefined;
  const relations = relationsOf(element);
  const href = attributeOf(element, 'href');
  if (relations.includes('stylesheet')) return found(href, 'style');
  return relations.includes('modulepreload') ? found(href, 'script') : undefined;
}

function found(address: string | undefined, kind: Load['kind']) {
  return address === undefined || address === '' ? undefined : { address, kind };
}

function resolve(address: string, base: URL): URL | undefined {
  return URL.parse(address, base.href) ?? undefined;
}

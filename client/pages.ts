import { type Connection, notTheService } from './exchange.ts';

type Pages<Row> = {
  readonly filter: Readonly<Record<string, string | undefined>>;
  readonly rowsOf: (page: unknown) => readonly Row[];
};

const pageRows = 100;

/** The rows of a list, page by page. @param getPage reads the page of a query */
export async function* readPages<Row>(
  connection: Connection,
  getPage: (query: string) => Promise<unknown>,
  { filter, rowsOf }: Pages<Row>,
): AsyncGenerator<Row, void, void> {
  let before: string | null = '';
  while (before !== null) {
    const query = new URLSearchParams({ limit: String(pageRows) });
    for (const [name, text] of Object.entries(filter)) if (text !== undefined) query.set(name, text);
    if (before !== '') query.set('before', before);
    const page = (await getPage(query.toString())) as { readonly next: string | null };
    const rows = rowsOf(page);
    // Such pages would have no end.
    if (page.next === before || (page.next !== null && rows.length === 0))
      throw notTheService(connection, 'Its list leads back to itself.');
    yield* rows;
    before = page.next;
  }
}

/** What a mail service tells its customers to publish. */
export type Provider = {
  readonly name: string;
  /** Where its include, aliases and hosts were read: a page of the service's own. Without one no record is offered by this row, only the way. */
  readonly source?: string;
  /** Suffixes of the mail hosts that it gives to customers. */
  readonly mx?: readonly string[];
  /** The name whose SPF record lists its outgoing servers; absent where there is no such name, or it depends on the account. */
  readonly include?: string;
  /** Who gets the mail also sends it. False for filters and forwarders: what stands behind them is not known. */
  readonly isMailbox?: true;
  /** More names by which SPF records name it. */
  readonly aka?: readonly string[];
  readonly selectors?: readonly string[];
  /** Where the selectors lead as aliases; "{domain}" stands for the customer's. Absent where that depends on the account. */
  readonly aliases?: readonly (readonly [selector: string, target: string])[];
  /** Lines of an MTA-STS policy that go on to fit when it adds hosts. */
  readonly sts?: readonly string[];
  /** Hosts that take reports of DMARC or TLS for customers, who switch that on in its settings. */
  readonly reports?: readonly string[];
};

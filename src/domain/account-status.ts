/** Accounts as the admin API and the console show them. */

/** The accounts of the settings, and the engine of this machine. */
export interface AccountStatuses {
  list(): Promise<readonly AccountStatus[]>;
  has(id: string): boolean;
  /** See `testAccount`. */
  test(id: string): Promise<AccountTest | 'unknown'>;
}

/** The JSON of the admin API. */
export interface AccountStatus {
  readonly account: string;
  readonly provider: string;
  /** Jobs that may run at once. */
  readonly slots: number;
  readonly running: number;
  readonly models: readonly string[];
  /** Unix seconds until which its circuit is open; null where it is closed. */
  readonly blocked_until: number | null;
  readonly blocked_why: string | null;
  /** Whether an operator paused it: it gets no new jobs. */
  readonly paused: boolean;
  /** The last test by the console or the admin API; null where there was none. `at` in Unix seconds. */
  readonly tested: { readonly at: number; readonly outcome: string; readonly says: string } | null;
  /** The last error for which the account was at fault, and not one job. `at` in Unix seconds. */
  readonly last_error: { readonly at: number; readonly message: string } | null;
  /** Routes that the upstream refuses for a reason that only the operator can remove. */
  readonly troubles: readonly RouteTroubleStatus[];
}

/** A route in trouble; times are Unix seconds. */
export interface RouteTroubleStatus {
  readonly model: string;
  readonly says: string;
  readonly since: number;
  readonly seen_at: number;
}

/** The result of a test call. */
export interface AccountTest {
  readonly outcome: 'accepted' | 'refused' | 'unreachable' | 'unclear' | 'untried';
  /** A sentence for a person. */
  readonly says: string;
  /** What free calls for its routes showed, where the provider has such calls. */
  readonly routes: readonly RouteTest[];
}

/** The result of the free call for one route. */
export interface RouteTest {
  readonly model: string;
  readonly outcome: 'accepted' | 'refused' | 'unreachable' | 'unclear';
  /** A sentence for a person, without its full stop; empty where the upstream has the model. */
  readonly says: string;
}

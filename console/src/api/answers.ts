/** The answers of the admin API, by the schemas that the gateway makes them of (`src/answers`). */

import type { ConsoleModel } from '../../../src/answers/admin/model.ts';
import type { PublishedSchema } from './input-schema.ts';

export type {
  Account,
  AccountAddition,
  AccountKind,
  AccountKindList,
  AccountTest,
} from '../../../src/answers/admin/account.ts';
export type { AuditLine } from '../../../src/answers/admin/audit.ts';
export type {
  Delivery,
  DeliveryDetail,
  Endpoint,
  SignatureCheck,
  WebhookTest,
} from '../../../src/answers/admin/delivery.ts';
export type { FileLine } from '../../../src/answers/admin/file.ts';
export type { JobDetail, JobLine, JobState, Output } from '../../../src/answers/admin/job.ts';
export type { JobLineage, RelativeLine } from '../../../src/answers/admin/job-lineage.ts';
export type { KeyLine } from '../../../src/answers/admin/key.ts';
export type { ModelLine } from '../../../src/answers/admin/model.ts';
export type {
  MoneyEntry,
  PriceBook,
  PriceDryRun,
  ProjectLine,
  SpendBody,
  TagBudgetLine,
} from '../../../src/answers/admin/money.ts';
export type { Overview } from '../../../src/answers/admin/overview.ts';
export type { Person } from '../../../src/answers/admin/person.ts';
export type { RefusalGroup } from '../../../src/answers/admin/refused-request.ts';
export type { Checks, Login, Role, Session, SessionLine, Setup } from '../../../src/answers/admin/session.ts';
export type { Cost, UsageReport } from '../../../src/answers/admin/usage.ts';

/** A page of a list. Its cursor is `next_after` or, where the contract fixes the body, `last_id`. */
export interface Page<Line> {
  readonly data: readonly Line[];
  readonly has_more: boolean;
  readonly next_after?: string | null;
  readonly last_id?: string | null;
}

/** A model with everything that its form needs. */
export interface ModelDetail extends Omit<ConsoleModel, 'input_schema'> {
  readonly input_schema: PublishedSchema;
}

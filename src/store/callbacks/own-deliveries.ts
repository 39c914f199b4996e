/** A user's own callbacks, for listings by a key. */
import type { Delivery } from '../../domain/delivery.ts';
import { type DeliveryId, type JobId, jobIdFromRow, type UserId } from '../../domain/ids.ts';
import type { Row, Statements, Value } from '../db/connection.ts';
import { text } from '../db/rows.ts';
import { idPrefixOfTime } from '../jobs/list-own.ts';
import { deliveryFromRow } from './deliveries.ts';

/** A callback with its job and the model of it. */
export interface OwnDelivery extends Delivery {
  readonly jobId: JobId;
  readonly modelId: string;
}

/** Null members do not filter. */
export interface OwnDeliveryQuery {
  readonly userId: UserId;
  /** Epoch ms of the earliest creation. */
  readonly since: number | null;
  /** Only callbacks older than this one. */
  readonly after: DeliveryId | null;
  readonly limit: number;
}

const selectOwn = `SELECT deliveries.*, jobs.model_id FROM deliveries JOIN jobs ON jobs.id = deliveries.job_id
  WHERE deliveries.user_id = $1`;

/** Newest first, along the index of a user's callbacks. */
export async function listDeliveriesOfUser(
  db: Statements,
  { userId, since, after, limit }: OwnDeliveryQuery,
): Promise<readonly OwnDelivery[]> {
  const values: Value[] = [userId, limit];
  const bind = (value: Value) => `$${values.push(value)}`;
  const conditions = [
    ...(since === null ? [] : [`AND deliveries.id >= ${bind(`msg_${idPrefixOfTime(since)}`)}`]),
    ...(after === null ? [] : [`AND deliveries.id < ${bind(after)}`]),
  ];
  const rows = await db.read(
    `${selectOwn} ${conditions.join(' ')} ORDER BY deliveries.id DESC LIMIT $2`,
    values,
  );
  return rows.map(ownFromRow);
}

/** Null for a callback that is missing and for one of another user alike. */
export async function readDeliveryOfUser(
  db: Statements,
  id: DeliveryId,
  userId: UserId,
): Promise<OwnDelivery | null> {
  const [row] = await db.read(`${selectOwn} AND deliveries.id = $2`, [userId, id]);
  return row ? ownFromRow(row) : null;
}

const ownFromRow = (row: Row): OwnDelivery => ({
  ...deliveryFromRow(row),
  jobId: jobIdFromRow(text(row, 'job_id')),
  modelId: text(row, 'model_id'),
});

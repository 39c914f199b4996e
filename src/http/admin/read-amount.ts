/** Amounts of money in the bodies of operators. */

import { type Micros, parseAmount } from '../../domain/money.ts';
import { refuseField } from './admin-body.ts';

/** In millionths; a number of JSON is refused, because it may have lost digits. */
export function readAmount(name: string, given: unknown): Micros {
  return (typeof given === 'string' ? parseAmount(given) : null) ?? refuseAmount(name);
}

/** 422 of an amount that cannot be read, or that does not fit what it is for. */
export const refuseAmount = (name: string): never =>
  refuseField(name, 'must be a decimal text such as "10.00", with at most six digits behind the point');

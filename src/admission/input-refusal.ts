/** The refusal of an input, with each of its faults. */
import { type Faults, formatFaults } from '../catalog/faults.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import { fieldNamesOf } from '../domain/refused-request.ts';

/** 422; the sentence and the paths of the fields name every fault. The names in the body are for the request log. */
export const inputRefusal = (faults: Faults, body?: unknown): Refusal =>
  refuse('input_invalid', {
    subject: formatFaults(faults),
    fields: faults.map(fault => fault.path),
    ...(body !== undefined && { bodyFields: fieldNamesOf(body) }),
  });

/** The refusal of an input, with each of its faults. */
import { type Faults, formatFaults } from '../catalog/faults.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';

/** 422; the sentence and the paths of the fields name every fault. */
export const inputRefusal = (faults: Faults): Refusal =>
  refuse('input_invalid', { subject: formatFaults(faults), fields: faults.map(fault => fault.path) });

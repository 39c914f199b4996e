/** Why a published schema cannot become a model of this gateway. */

/** Thrown with a sentence for the operator: what cannot be mapped, where it is, and what to do. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/** Creates an ordinary job from a request of another protocol: the same admission, limits, prices and timeline. */

import type { FastifyRequest } from 'fastify';
import type { Admitted, AskedBesideBody } from '../../../admission/draft.ts';
import type { Model } from '../../../catalog/model.ts';
import type { Principal } from '../../../domain/key.ts';
import type { HttpContext } from '../../http-context.ts';

/** What a request was translated into. */
export interface MountedCreation {
  readonly model: Model;
  /** The body of our own protocol. */
  readonly input: Readonly<Record<string, unknown>>;
  /** What the protocol says in its query and headers. */
  readonly asked?: AskedBesideBody;
}

/** Throws the refusals of a creation; the route renders them in the words of its protocol. */
export const createMountedJob = (
  { admission }: Pick<HttpContext, 'admission'>,
  principal: Principal,
  request: FastifyRequest,
  { model, input, asked }: MountedCreation,
): Promise<Admitted> =>
  admission.admit({
    principal,
    modelId: model.id,
    query: {},
    message: request.raw,
    body: input,
    ...(asked && { asked }),
  });

/** The routes of the mount for clients of Replicate: docs/mounts.md. */

import { z } from 'zod';
import { callbackSecretSchema } from '../../../answers/callback-secret.ts';
import { url } from '../../../answers/values.ts';
import { pathValue } from '../../request-values.ts';
import type { KeyRoute, Route } from '../../route.ts';
import { getCallbackSecret } from '../../routes/get-callback-secret.ts';
import { createOfModel, createOfVersion } from './create.ts';
import { createFile, getFile, listFiles, removeFile } from './files.ts';
import { findNamedModel } from './models.ts';
import { cancelPrediction, getPrediction, listPredictions, ofMount } from './predictions.ts';

/** The members that the packages read; what has no counterpart here is null or 0. */
const modelSchema = z.object({
  url,
  owner: z.string(),
  name: z.string(),
  description: z.string(),
  visibility: z.literal('public'),
  github_url: z.null(),
  paper_url: z.null(),
  license_url: z.null(),
  run_count: z.literal(0),
  cover_image_url: z.null(),
  default_example: z.null(),
  latest_version: z.null().describe('Models have no versions here: a prediction names the model.'),
});

/** What stands behind a name. */
const getModel: KeyRoute = {
  ...ofMount,
  method: 'GET',
  path: '/replicate/v1/models/:owner/:name',
  scope: 'any-key',
  refusals: ['model_unknown'],
  answers: { 200: { description: 'The model.', body: modelSchema } },
  open: context => async (_principal, request) => {
    const [owner, name] = [pathValue(request, 'owner'), pathValue(request, 'name')];
    const { model } = findNamedModel(context, `${owner}/${name}`);
    return {
      url: `${context.publicUrl()}/v1/models/${model.id}`,
      owner,
      name,
      description: model.summary,
      visibility: 'public',
      github_url: null,
      paper_url: null,
      license_url: null,
      run_count: 0,
      cover_image_url: null,
      default_example: null,
      latest_version: null,
    };
  },
};

/** The secret of the user's callbacks, where the package looks for it. */
const getSecret: KeyRoute = {
  ...ofMount,
  method: 'GET',
  path: '/replicate/v1/webhooks/default/secret',
  scope: 'webhook-secret',
  refusals: [],
  answers: { 200: { description: 'For `validateWebhook`.', body: callbackSecretSchema } },
  open: getCallbackSecret.open,
};

/** Every route of the mount. */
export const replicateRoutes: readonly Route[] = [
  createOfModel,
  createOfVersion,
  listPredictions,
  getPrediction,
  cancelPrediction,
  getModel,
  createFile,
  listFiles,
  getFile,
  removeFile,
  getSecret,
];

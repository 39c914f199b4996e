/** Every endpoint. A new one is added here; docs/adding-an-endpoint.md lists what else it touches. */

import { getDelivery, listDeliveries, redeliver, redeliverFailed } from './admin/deliveries.ts';
import { exportJobs } from './admin/export-jobs.ts';
import { deleteAnyFile, getAnyFile, listAllFiles, uploadFromConsole } from './admin/files.ts';
import { cancelAnyJob, cancelManyJobs, rerunAnyJob } from './admin/job-actions.ts';
import { getJobLineage } from './admin/job-lineage.ts';
import { getAnyJob, listAllJobs } from './admin/jobs.ts';
import { changeKey, listAllKeys, makeKey, revokeApiKey } from './admin/keys.ts';
import { checkBooks, listMoneyAccounts, listMoneyEntries } from './admin/money.ts';
import { postMoneyEntry } from './admin/money-entries.ts';
import { beginOidcLogin, finishOidcLogin, getLogin } from './admin/oidc.ts';
import { getAudit, getOverview } from './admin/overview.ts';
import { changePassword } from './admin/own-password.ts';
import { addPerson, changePerson, deletePerson, listPeople } from './admin/people.ts';
import {
  getModelForConsole,
  listModelsForConsole,
  runFromConsole,
  validateFromConsole,
} from './admin/playground.ts';
import { dryRunPriceBook, getPrices } from './admin/prices.ts';
import { limitProject, listProjects, makeProject } from './admin/projects.ts';
import {
  addProvider,
  listProviderKinds,
  previewProvider,
  reloadSettings,
} from './admin/provider-accounts.ts';
import { listProviders, pauseProvider, resumeProvider, testProvider } from './admin/providers.ts';
import { listRefusedRequests } from './admin/refusals.ts';
import {
  beginSession,
  endAllOtherSessions,
  endOneSession,
  endSession,
  getSession,
  listSessions,
} from './admin/sessions.ts';
import { getChecks, getSetup, makeFirstPerson } from './admin/setup.ts';
import { getSpend } from './admin/spend.ts';
import { limitTag, listTags } from './admin/tags.ts';
import {
  listDoubts,
  resendSubmission,
  resolveAsCharged,
  resolveAsNotCharged,
} from './admin/uncertain-submissions.ts';
import { getUsage } from './admin/usage.ts';
import { listWebhookEndpoints, testWebhook, verifyDelivery } from './admin/webhooks.ts';
import type { HealthRoute, Route } from './route.ts';
import { cancelJob } from './routes/cancel-job.ts';
import { createJob } from './routes/create-job.ts';
import { downloadFile } from './routes/download-file.ts';
import { deleteFile, getFile, getFileContent, listFiles } from './routes/files.ts';
import { getAiSdkPackage } from './routes/get-ai-sdk-package.ts';
import { getBalance } from './routes/get-balance.ts';
import { getCallbackSecret } from './routes/get-callback-secret.ts';
import { getClientPackage } from './routes/get-client-package.ts';
import { getConsole, getConsoleRoot } from './routes/get-console.ts';
import { getDocs, getDocsScript, getDocsStart } from './routes/get-docs.ts';
import { getLlmsText } from './routes/get-llms-text.ts';
import { getModelsJson } from './routes/get-models-json.ts';
import { getOpenApi } from './routes/get-openapi.ts';
import { getPythonPackage } from './routes/get-python-package.ts';
import { getResponse, getResponseAlias } from './routes/get-response.ts';
import { getRoot } from './routes/get-root.ts';
import { getStatus } from './routes/get-status.ts';
import { getHealth, getMetrics, getReadiness } from './routes/health.ts';
import { listJobs } from './routes/list-jobs.ts';
import { callMcp, refuseMcpStream } from './routes/mcp.ts';
import { getModel, listModels, validateInput } from './routes/models.ts';
import { getOwnCallback, listOwnCallbacks } from './routes/own-callbacks.ts';
import { getOwnJob, listOwnJobs } from './routes/own-jobs.ts';
import { refuseStream } from './routes/refuse-stream.ts';
import { refuseSync } from './routes/refuse-sync.ts';
import { uploadFile } from './routes/upload-file.ts';
import { onUpstreamWebhook } from './routes/upstream-webhook.ts';

/** Below each mount of the queue (decisions 2). */
const queueRoutes: readonly Route[] = [
  createJob,
  refuseSync,
  listJobs,
  getStatus,
  refuseStream,
  getResponse,
  getResponseAlias,
  cancelJob,
];
/** Public routes outside the queue. */
const otherRoutes: readonly Route[] = [
  listOwnJobs,
  getOwnJob,
  uploadFile,
  listFiles,
  getFile,
  getFileContent,
  deleteFile,
  downloadFile,
  listModels,
  getModel,
  validateInput,
  getBalance,
  getCallbackSecret,
  listOwnCallbacks,
  getOwnCallback,
  onUpstreamWebhook,
  getRoot,
  getOpenApi,
  getModelsJson,
  getLlmsText,
  getDocs,
  getDocsStart,
  getDocsScript,
  callMcp,
  refuseMcpStream,
  getConsoleRoot,
  getConsole,
  getClientPackage,
  getAiSdkPackage,
  getPythonPackage,
];
/** The admin API, for the console. */
const adminRoutes: readonly Route[] = [
  getSetup,
  makeFirstPerson,
  getChecks,
  getLogin,
  beginOidcLogin,
  finishOidcLogin,
  beginSession,
  getSession,
  endSession,
  changePassword,
  listSessions,
  endOneSession,
  endAllOtherSessions,
  getOverview,
  listRefusedRequests,
  listAllJobs,
  exportJobs,
  getAnyJob,
  getJobLineage,
  cancelAnyJob,
  rerunAnyJob,
  cancelManyJobs,
  listModelsForConsole,
  getModelForConsole,
  validateFromConsole,
  runFromConsole,
  listAllFiles,
  getAnyFile,
  uploadFromConsole,
  deleteAnyFile,
  listProjects,
  makeProject,
  limitProject,
  listTags,
  limitTag,
  listMoneyAccounts,
  listMoneyEntries,
  postMoneyEntry,
  checkBooks,
  getSpend,
  getPrices,
  dryRunPriceBook,
  listAllKeys,
  makeKey,
  changeKey,
  revokeApiKey,
  getUsage,
  listProviders,
  testProvider,
  pauseProvider,
  resumeProvider,
  listProviderKinds,
  previewProvider,
  addProvider,
  reloadSettings,
  getAudit,
  listPeople,
  addPerson,
  changePerson,
  deletePerson,
  listDeliveries,
  getDelivery,
  redeliver,
  redeliverFailed,
  verifyDelivery,
  listWebhookEndpoints,
  testWebhook,
  listDoubts,
  resolveAsCharged,
  resolveAsNotCharged,
  resendSubmission,
];

/** Of every process, also of one without the API. */
export const healthRoutes: readonly HealthRoute[] = [getHealth, getReadiness, getMetrics];

/** Where the queue is served. The first is documented, the second is an alias of it. */
export const queueMounts = ['/v1/queue', '/model/v1/queue'] as const;

/** Every route of the queue is added at both, with the same handler. */
const [mount, aliasMount] = queueMounts;

/** Every route of a process with the API. */
export const routes: readonly Route[] = [
  ...queueRoutes.map(route => ({ ...route, path: mount + route.path })),
  ...queueRoutes.map(route => ({
    ...route,
    path: aliasMount + route.path,
    docs: { undocumented: `the same as below ${mount}` },
  })),
  ...otherRoutes,
  ...adminRoutes,
  ...healthRoutes,
];

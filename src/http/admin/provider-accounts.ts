/** Accounts of `atelier.yaml` in the admin API: forms, the lines to paste, writing them, and reading the file again. */

import type { FastifyRequest } from 'fastify';
import {
  accountAdditionSchema,
  accountKindListSchema,
  accountPreviewSchema,
  settingsReloadSchema,
} from '../../answers/admin/account.ts';
import { refuse } from '../../domain/refusal.ts';
import type { SettingsEditor, WantedAccount } from '../../domain/settings-editor.ts';
import { recordAudit } from '../../store/people/audit.ts';
import type { HttpContext } from '../http-context.ts';
import { jsonBodyRefusals } from '../refusals-of-route.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { readAdminBody, refuseField } from './admin-body.ts';

/** Every provider with the form of an account. */
export const listProviderKinds: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/provider-kinds',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['settings_not_here'],
  answers: {
    200: { description: 'Every provider.', body: accountKindListSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async () => {
    const editor = editorOf(context);
    const notWritable = await editor.whyNotWritable();
    return {
      object: 'list',
      data: editor.kinds(),
      has_more: false,
      file: editor.path,
      not_writable: notWritable,
    };
  },
};

/** The lines of an account, with references to the usual variables in place of secrets. Nothing is stored. */
export const previewProvider: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/provider-kinds/preview',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['settings_not_here', 'input_invalid', ...jsonBodyRefusals],
  answers: {
    200: { description: 'Lines of YAML.', body: accountPreviewSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request) => {
    const yaml = editorOf(context).preview(await readAccount(request));
    return { object: 'provider_preview', yaml };
  },
};

/**
 * Checks the file with the account, tests the account by a free call, writes it and reads it. Secrets are pasted, never
 * references: a person of the console must not send what else is on this machine to an address.
 */
export const addProvider: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/providers',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['settings_not_here', 'input_invalid', ...jsonBodyRefusals],
  answers: {
    200: { description: 'Whether it was written, and what the test showed.', body: accountAdditionSchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ actor }, request) => {
      const account = await readAccount(request);
      const result = await editorOf(context).add(account);
      const isWritten = result.kind === 'written';
      if (isWritten) {
        const details = { provider: account.provider, models: account.models };
        const at = context.clock.now();
        await recordAudit(context.db, { at, actor, action: 'account.add', subject: account.name, details });
      }
      return {
        object: 'provider',
        account: account.name,
        written: isWritten,
        faults: result.kind === 'faults' ? result.faults : [],
        says: result.kind === 'faults' ? null : result.test.says,
      };
    },
};

/** What SIGHUP does. */
export const reloadSettings: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/settings/reload',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['settings_not_here'],
  answers: {
    200: { description: 'The faults for which the settings stay as they were.', body: settingsReloadSchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ actor }) => {
      const faults = editorOf(context).reload();
      const details = { faults: faults.length };
      const at = context.clock.now();
      await recordAudit(context.db, { at, actor, action: 'settings.reload', subject: 'settings', details });
      return { object: 'settings_reload', faults };
    },
};

/** Only a program that read its settings from a file can read them again. */
function editorOf({ settingsEditor }: HttpContext): SettingsEditor {
  if (!settingsEditor) throw refuse('settings_not_here');
  return settingsEditor;
}

/** Models that one account can get routes for by this form. */
const maxModels = 100;

/** The account of a body, checked for its shape alone: the editor checks what it means. */
async function readAccount(request: FastifyRequest): Promise<WantedAccount> {
  const given = await readAdminBody(request, ['provider', 'name', 'settings', 'models'], 64 * 1024);
  const { provider, name, settings, models } = given;
  if (typeof provider !== 'string') refuseField('provider', 'must be a text');
  if (typeof name !== 'string') refuseField('name', 'must be a text');
  if (!isTexts(settings)) refuseField('settings', 'must be a mapping of texts');
  if (!isList(models)) refuseField('models', `must be a list of at most ${maxModels} ids`);
  return { provider, name, settings, models };
}

const isTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every(member => typeof member === 'string');

const isList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= maxModels && value.every(item => typeof item === 'string');

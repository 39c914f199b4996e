/** Projects in the admin API: list, create, and set limits. */

import type { FastifyRequest } from 'fastify';
import { projectListSchema, projectSchema } from '../../answers/admin/money.ts';
import { toUnixSeconds } from '../../domain/clock.ts';
import { projectNameError } from '../../domain/project-name.ts';
import { refuse } from '../../domain/refusal.ts';
import {
  createProject,
  findProject,
  listProjects as listInStore,
  type Project,
  setLimit,
} from '../../store/money/projects.ts';
import type { HttpContext } from '../http-context.ts';
import { jsonBodyRefusals } from '../refusals-of-route.ts';
import { pathValue } from '../request-values.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { readAdminBody, refuseField } from './admin-body.ts';
import { budgetBody, readLimit } from './budget-body.ts';
import { readAmount } from './read-amount.ts';

/** Every project with its balance, by name. */
export const listProjects: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/projects',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'Every project.', body: projectListSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async () => {
    const projects = await listInStore(context.db);
    // A query for each project: an installation has dozens of them, not thousands.
    const data = await Promise.all(projects.map(project => projectBody(context, project)));
    return { object: 'list', data, has_more: false };
  },
};

/** Creates a project; without `limit` it may spend any amount. */
export const makeProject: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/projects',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['input_invalid', ...jsonBodyRefusals],
  answers: {
    200: { description: 'The new project.', body: projectSchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ actor }, request) => {
      const given = await readAdminBody(request, ['name', 'limit', 'monthly', 'floor']);
      const name = readName(given.name);
      const floor = given.floor === undefined ? 0 : readAmount('floor', given.floor);
      // The floor is how far an account may go below 0.
      if (floor > 0) refuseField('floor', 'must be 0 or negative: how far an overrun may go');
      const wanted = { name, floor, ...readLimit(given) };
      const project = await createProject(context.db, wanted, { actor, now: context.clock.now() });
      if (!project) refuseField('name', 'a project of this name exists');
      return projectBody(context, project);
    },
};

/** Sets the limit of a project from now on; null removes it. */
export const limitProject: AdminRoute = {
  method: 'PUT',
  path: '/admin/v1/projects/:name/limit',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['project_unknown', 'input_invalid', ...jsonBodyRefusals],
  answers: {
    200: { description: 'The project with its new limit.', body: projectSchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ actor }, request) => {
      const limit = readLimit(await readAdminBody(request, ['limit', 'monthly']));
      const project = await projectOfPath(context, request);
      const change = { actor, now: context.clock.now() };
      await setLimit(context.db, { kind: 'project', id: project.id }, limit, change);
      return projectBody(context, project);
    },
};

/** The project that the path names; throws a 404 for an unknown one. */
async function projectOfPath({ db }: HttpContext, request: FastifyRequest): Promise<Project> {
  const project = await findProject(db, pathValue(request, 'name'));
  if (!project) throw refuse('project_unknown');
  return project;
}

/** The name of a new project; throws a 422 that says what is wrong with it. */
function readName(given: unknown): string {
  if (typeof given !== 'string') refuseField('name', 'is required');
  const fault = projectNameError(given);
  return fault === null ? given : refuseField('name', fault);
}

/** A project with its balance of the present period. */
const projectBody = async (context: HttpContext, { id, name, createdAt }: Project) => ({
  object: 'project',
  id,
  ...(await budgetBody(context, { kind: 'project', id }, name)),
  created_at: toUnixSeconds(createdAt),
});

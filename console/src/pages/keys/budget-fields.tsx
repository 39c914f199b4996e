/** Who pays for the jobs of a new key: its project, and a limit of its own. */
import { useQuery } from '@tanstack/react-query';
import { projectsQuery } from '../../api/queries.ts';

/** Fixed at the creation of the key. */
export function BudgetFields() {
  const projects = useQuery(projectsQuery).data?.data ?? [];
  return (
    <>
      <div className="two">
        <div className="field-line">
          <label htmlFor="key-project">Project</label>
          <select id="key-project" name="project" className="input">
            <option value="default">default</option>
            {projects
              .filter(({ name }) => name !== 'default')
              .map(({ id, name }) => (
                <option key={id} value={name}>
                  {name}
                </option>
              ))}
          </select>
        </div>
        <div className="field-line">
          <label htmlFor="key-limit">Most that it may spend</label>
          <input
            id="key-limit"
            name="limit"
            className="input"
            inputMode="decimal"
            placeholder="no limit of its own"
          />
        </div>
      </div>
      <label className="row">
        <input type="checkbox" name="monthly" /> the limit is one of each calendar month (UTC)
      </label>
    </>
  );
}

/** The members of the request; an empty limit is none. */
export function budgetOf(form: FormData) {
  const limit = String(form.get('limit') ?? '').trim() || null;
  return {
    project: String(form.get('project') ?? 'default'),
    limit,
    monthly: limit !== null && form.get('monthly') !== null,
  };
}

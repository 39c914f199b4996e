/** The next step of a result: what it can become, by role, and in which model. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ModelLine, Output } from '../api/answers.ts';
import { modelsQuery } from '../api/queries.ts';
import { Dialog } from './dialog.tsx';

type Use = ModelLine['uses'][number];

/** The heading of each role, in the order in which they are offered. */
const headings: Readonly<Record<Use['kind'], Partial<Record<Use['role'], string>>>> = {
  image: {
    first_frame: 'Animate it: first frame of a video',
    edit: 'Edit it',
    enlarge: 'Enlarge it',
    extend: 'Extend its borders',
    reference: 'Use it as a reference',
    style: 'Draw in its style',
    last_frame: 'End a video with it: last frame',
  },
  video: {
    extend: 'Extend it',
    edit: 'Edit it',
    motion: 'Move a picture as it moves',
    reference: 'Use it as a reference',
  },
  audio: { sound: 'Sound of a video', reference: 'Use it as a reference' },
};

/** Links to the pages of models; each opens with the file in its place. */
export function UseIn({ output, close }: { readonly output: Output; readonly close: () => void }) {
  const models = useQuery(modelsQuery);
  const kind = kindOf(output.mime_type);
  const groups = kind === null ? [] : groupsOf(models.data?.data ?? [], kind, output);
  return (
    <Dialog title="Use as input" isOpen close={close}>
      {models.isSuccess && groups.length === 0 && <p className="soft">No model takes this kind of file.</p>}
      {groups.map(({ role, heading, fitting }) => (
        <section key={role} className="use-group">
          <h3>{heading}</h3>
          <ul>
            {fitting.map(({ id, title }) => (
              <li key={id}>
                <Link
                  to="/play/$model"
                  params={{ model: id }}
                  search={{ use: output.file_id, as: role }}
                  className="rail-link use-link"
                >
                  <span className="grow">{title}</span>
                  <code className="small">{id}</code>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Dialog>
  );
}

/** Null for files that are no medium. */
const kindOf = (mimeType: string): Use['kind'] | null =>
  (['image', 'video', 'audio'] as const).find(kind => mimeType.startsWith(`${kind}/`)) ?? null;

/** The roles that some model has for this kind, with these models. */
function groupsOf(models: readonly ModelLine[], kind: Use['kind'], { role: ofFile, width }: Output) {
  // A model that names a picture by its job takes its results alone, and those whose size is known.
  const isResult = ofFile === 'primary' && width !== null;
  const fits = (model: ModelLine, role: string) =>
    model.uses.some(
      use => use.role === role && use.kind === kind && (isResult || !model.takes.includes('job')),
    );
  return Object.entries(headings[kind])
    .map(([role, heading]) => ({ role, heading, fitting: models.filter(model => fits(model, role)) }))
    .filter(({ fitting }) => fitting.length > 0);
}

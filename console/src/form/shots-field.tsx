/** The shots of a video: prompt and seconds of each. */
import { useId } from 'react';
import { FieldFrame, type FieldProps } from './field-frame.tsx';
import { useOtherFields } from './form-context.ts';
import { isMembers, type Members } from './input-value.ts';

/** Shots are numbered by their order; the sum of their seconds must be the duration of the video. */
export function ShotsField(props: FieldProps) {
  const id = useId();
  const { schema, value, change } = props;
  const { input } = useOtherFields();
  const shots: readonly Members[] = Array.isArray(value) ? value.filter(isMembers) : [];
  // Contract 2.9: six, where the schema does not say.
  const most = schema.maxItems ?? 6;
  // Shots are renumbered after each change, because the gateway requires 1, 2, 3 …
  const put = (next: readonly Members[]) =>
    change(next.length === 0 ? undefined : next.map((shot, index) => ({ ...shot, index: index + 1 })));
  // Seconds stay a text, as the model requires (Contract 2.9).
  const edit = (at: number, name: string, next: unknown) =>
    put(shots.map((shot, index) => (index === at ? { ...shot, [name]: next } : shot)));
  const total = shots.reduce((sum, { duration }) => sum + Number(duration ?? 0), 0);
  // 5 s is the default of every model that has shots.
  const wanted = Number(input.duration ?? 5);
  return (
    <FieldFrame field={props} id={id} isGroup>
      {shots.map((shot, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a shot is known by its place.
        <div key={index} className="item shot">
          <strong className="number">{index + 1}</strong>
          <textarea
            className="input grow"
            rows={2}
            aria-label={`Words of shot ${index + 1}`}
            value={String(shot.prompt ?? '')}
            onChange={event => edit(index, 'prompt', event.target.value)}
          />
          <input
            className="input narrow"
            type="number"
            min={1}
            max={15}
            aria-label={`Seconds of shot ${index + 1}`}
            value={String(shot.duration ?? '')}
            onChange={event => edit(index, 'duration', event.target.value)}
          />
          <button
            type="button"
            className="button slim"
            aria-label={`Remove shot ${index + 1}`}
            onClick={() => put(shots.filter((_, at) => at !== index))}
          >
            Remove
          </button>
        </div>
      ))}
      <div className="row wrap">
        <button
          type="button"
          className="button slim"
          disabled={shots.length >= most}
          onClick={() => put([...shots, { prompt: '', duration: '1' }])}
        >
          + Shot
        </button>
        {shots.length > 0 && (
          <span className={total === wanted ? 'small soft number' : 'small fault number'}>
            {total} of {wanted} seconds
          </span>
        )}
      </div>
    </FieldFrame>
  );
}

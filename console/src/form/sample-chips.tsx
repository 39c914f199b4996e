/** The samples that an empty media field offers. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { sampleAddress } from '../components/example-media.ts';
import { Icon } from '../components/icon.tsx';
import { toastFailure } from '../components/toasts.tsx';
import { useLatest } from '../components/use-latest.ts';
import type { SampleName } from './sample-input.ts';
import { sampleFile, sampleTitles } from './samples.ts';

/** A press uploads the sample, once a week, and sets the field to it. */
export function SampleChips({
  names,
  change,
}: {
  readonly names: readonly SampleName[];
  readonly change: (fileId: string) => void;
}) {
  const queries = useQueryClient();
  const latest = useLatest(change);
  const [isBusy, setBusy] = useState(false);
  async function take(name: SampleName) {
    setBusy(true);
    try {
      const file = await sampleFile(name);
      // The preview of the new value needs no further request.
      queries.setQueryData(['file', file.id], file);
      latest.current(file.id);
    } catch (failure) {
      toastFailure(failure);
    } finally {
      setBusy(false);
    }
  }
  return (
    <div className="chips">
      <span className="small soft">Use a sample</span>
      {names.map(name => (
        <button
          key={name}
          type="button"
          className="chip sample"
          disabled={isBusy}
          onClick={() => void take(name)}
        >
          {signOf(name)}
          {sampleTitles[name]}
        </button>
      ))}
    </div>
  );
}

/** A small picture of it, or the icon of its kind. */
function signOf(name: SampleName) {
  if (name === 'clip') return <Icon name="video" />;
  if (name === 'voice') return <Icon name="speech" />;
  return <img src={sampleAddress(name)} alt="" width="24" height="24" loading="lazy" />;
}

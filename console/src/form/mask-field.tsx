/** A mask: painted over the earlier picture, or typed. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useId, useState } from 'react';
import type { FileLine } from '../api/answers.ts';
import { callApi, fileAddress } from '../api/call-api.ts';
import { jobQuery } from '../api/queries.ts';
import { Dialog } from '../components/dialog.tsx';
import { toastFailure } from '../components/toasts.tsx';
import { useLatest } from '../components/use-latest.ts';
import type { MaskMade } from '../mask/mask-editor.tsx';
import { FieldFrame, type FieldProps } from './field-frame.tsx';
import { useOtherFields } from './form-context.ts';
import { isMembers } from './input-value.ts';
import { MemberFields } from './member-fields.tsx';

/** The editor is loaded when it is first opened. */
const MaskEditor = lazy(() => import('../mask/mask-editor.tsx'));

/** `areas` (polygons) or `url` (an uploaded picture). Painting needs the earlier picture to be chosen. */
export function MaskField(props: FieldProps) {
  const id = useId();
  const { value } = props;
  // An upload takes a while: its result must go to the field as it is then.
  const latest = useLatest(props.change);
  const [isUploading, setUploading] = useState(false);
  const address = useSource();
  const [isPainting, setPainting] = useState(false);
  // Polygons stay in the input; strokes of a brush become a picture, which is uploaded as a file of the console.
  async function take(made: MaskMade) {
    setPainting(false);
    try {
      if (made.kind === 'areas') return latest.current({ areas: made.areas });
      setUploading(true);
      const form = new FormData();
      form.set('file', made.png, 'mask.png');
      const { id: file } = await callApi<FileLine>('POST', 'files', { body: form });
      latest.current({ url: file });
    } catch (failure) {
      toastFailure(failure);
    } finally {
      setUploading(false);
    }
  }
  return (
    <FieldFrame field={props} id={id} isGroup>
      <div className="row wrap">
        <button
          type="button"
          className="button"
          disabled={address === null || isUploading}
          onClick={() => setPainting(true)}
        >
          {value === undefined ? 'Paint a mask' : 'Paint another mask'}
        </button>
        <span className="small soft">
          {address === null
            ? 'Choose the earlier picture first.'
            : isUploading
              ? 'Uploading the mask …'
              : inWords(value)}
        </span>
      </div>
      <details className="fold" open={value !== undefined}>
        <summary>
          <span className="small">Typed</span>
        </summary>
        <MemberFields {...props} key={JSON.stringify(value)} />
      </details>
      {isPainting && address !== null && (
        <Dialog title="Mask" isOpen close={() => setPainting(false)} isWide>
          <Suspense fallback={<p className="soft">Loading the editor …</p>}>
            <MaskEditor address={address} done={made => void take(made)} leave={() => setPainting(false)} />
          </Suspense>
        </Dialog>
      )}
    </FieldFrame>
  );
}

/** The mask that is set, or what happens without one. */
function inWords(value: unknown): string {
  if (!isMembers(value)) return 'Without one, what the canvas leaves open is drawn.';
  if (Array.isArray(value.areas))
    return value.areas.length === 1 ? 'One area.' : `${value.areas.length} areas.`;
  return 'A painted mask.';
}

/** The address of the earlier picture; null until one is chosen. */
function useSource(): string | null {
  const { valueByHint } = useOtherFields();
  const jobId = valueByHint('job');
  const number = Number(valueByHint('picture-number') ?? 0);
  // While an id is typed, no request is made for each letter.
  const isNamed = typeof jobId === 'string' && /^[0-9a-f-]{36}$/.test(jobId);
  const { data } = useQuery({ ...jobQuery(isNamed ? jobId : ''), enabled: isNamed, refetchInterval: false });
  const picture = data?.outputs.find(
    ({ role, index, mime_type }) => role === 'primary' && index === number && mime_type.startsWith('image/'),
  );
  return picture ? fileAddress(picture.url) : null;
}

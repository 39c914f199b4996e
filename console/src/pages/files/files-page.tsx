/** The page of files: uploads, media of inputs, and results. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type DragEvent, useRef, useState } from 'react';
import type { FileLine } from '../../api/answers.ts';
import { callApi, fileAddress } from '../../api/call-api.ts';
import { filesPage } from '../../api/queries.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { formatBytes } from '../../components/format.ts';
import { MoreButton } from '../../components/more-button.tsx';
import { Empty, Failure, Loading, PageHead } from '../../components/page-states.tsx';
import { Film, Sound } from '../../components/players.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Switcher } from '../../components/switcher.tsx';
import { toast, toastFailure } from '../../components/toasts.tsx';
import { usePages } from '../../components/use-pages.ts';
import { useMay } from '../../shell/session.ts';

/** The filter by source is in the address. */
const route = getRouteApi('/files');
/** `Inputs` are media that stood in the body of a creation. */
const tabs = ['All', 'Results', 'Uploads', 'Inputs'] as const;
/** The tabs by the source of the admin API; empty means every source. */
const sources: Readonly<Record<(typeof tabs)[number], string>> = {
  All: '',
  Results: 'output',
  Uploads: 'upload',
  Inputs: 'input',
};

/** Files of every user. Files dropped anywhere on the page are uploaded. */
export function FilesPage() {
  const { source = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const query = usePages(['files', source], (after, signal) => filesPage({ source }, after, signal));
  const upload = useUploads();
  // The button of the page clicks this hidden field: its own looks cannot be styled.
  const chooser = useRef<HTMLInputElement>(null);
  const { lines } = query;
  const tab = tabs.find(name => sources[name] === source) ?? 'All';
  // Without it the browser would leave the console and show the file.
  function drop(event: DragEvent) {
    event.preventDefault();
    upload.begin([...event.dataTransfer.files]);
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files may be dropped anywhere, and chosen by a button.
    <div onDragOver={event => event.preventDefault()} onDrop={drop}>
      <PageHead
        title="Files"
        says="Drop files anywhere to upload them. Uploads live seven days, results thirty."
      >
        {upload.may && (
          <button
            type="button"
            className="button main"
            disabled={upload.isBusy}
            onClick={() => chooser.current?.click()}
          >
            {upload.isBusy ? 'Uploading …' : 'Upload'}
          </button>
        )}
        <input
          ref={chooser}
          type="file"
          hidden
          multiple
          aria-label="Files to upload"
          onChange={event => {
            upload.begin([...(event.target.files ?? [])]);
            // So that the same file can be chosen twice.
            event.target.value = '';
          }}
        />
      </PageHead>
      <div className="filters">
        <Switcher
          label="Where from"
          options={tabs}
          value={tab}
          choose={name =>
            void navigate({ search: sources[name] === '' ? {} : { source: sources[name] }, replace: true })
          }
        />
      </div>
      {query.error && !lines && <Failure failure={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading what="files" />}
      {lines?.length === 0 && <Empty title="No files here" />}
      <ul className="file-cards">
        {lines?.map(file => (
          <FileCard key={file.id} file={file} />
        ))}
      </ul>
      <MoreButton query={query} words="Older files" />
    </div>
  );
}

/** Uploads one file after the other, for the user of the console. */
function useUploads() {
  const queries = useQueryClient();
  const may = useMay('developer');
  const upload = useMutation({
    mutationFn: async (files: readonly File[]) => {
      for (const file of files) {
        const form = new FormData();
        // Contract 2.4: one file a request, in the field `file`.
        form.set('file', file);
        await callApi('POST', 'files', { body: form });
      }
      return files.length;
    },
    onSuccess: count => toast(count === 1 ? 'Uploaded.' : `${count} files uploaded.`),
    onError: toastFailure,
    onSettled: () => queries.invalidateQueries({ queryKey: ['files'] }),
  });
  return {
    may,
    isBusy: upload.isPending,
    begin: (files: readonly File[]) => may && files.length > 0 && upload.mutate(files),
  };
}

/** One file: preview, facts, download, id, and its job. */
function FileCard({ file }: { readonly file: FileLine }) {
  const facts = [
    file.dimensions && `${file.dimensions.width} × ${file.dimensions.height}`,
    formatBytes(file.bytes),
    file.user,
  ];
  return (
    <li className="card file-card">
      <Preview file={file} />
      <div className="cut" title={file.filename}>
        {file.filename}
      </div>
      <div className="small soft cut">{facts.filter(Boolean).join(' · ')}</div>
      <div className="small soft">
        ends <RelativeTime at={file.expires_at} />
      </div>
      <div className="row wrap">
        <a className="button slim" href={fileAddress(file.url)} download={file.filename}>
          Download
        </a>
        <CopyButton text={file.id} what={`the id of ${file.filename}`} words="Copy id" />
        {file.request_id != null && (
          <Link to="/jobs/$jobId" params={{ jobId: file.request_id }} className="button slim">
            Job
          </Link>
        )}
        {file.source === 'upload' && <DeleteButton file={file} />}
      </div>
    </li>
  );
}

/** A picture, a player, or the MIME type of what a browser does not show. */
function Preview({ file }: { readonly file: FileLine }) {
  const [kind] = file.mime_type.split('/');
  if (kind === 'image') return <img src={fileAddress(file.url)} alt={file.filename} loading="lazy" />;
  if (kind === 'video') return <Film address={fileAddress(file.url)} name={file.filename} />;
  if (kind === 'audio')
    return (
      <div className="file-sign">
        <Sound address={fileAddress(file.url)} name={file.filename} />
      </div>
    );
  return <div className="file-sign">{file.mime_type}</div>;
}

/** For uploads and admins: results end with their job. */
function DeleteButton({ file }: { readonly file: FileLine }) {
  const queries = useQueryClient();
  const mayDelete = useMay('admin');
  const [isAsking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => callApi('DELETE', `files/${file.id}`),
    onSuccess: () => toast('Deleted.'),
    onError: toastFailure,
    onSettled: () => queries.invalidateQueries({ queryKey: ['files'] }),
  });
  // The gateway refuses it, too.
  if (!mayDelete) return null;
  return (
    <>
      <button type="button" className="button slim danger" onClick={() => setAsking(true)}>
        Delete
      </button>
      <Confirm
        title="Delete this file"
        says={`${file.filename} is gone from now on; jobs that still need it will fail.`}
        action="Delete file"
        isOpen={isAsking}
        close={() => setAsking(false)}
        confirm={() => remove.mutate()}
      />
    </>
  );
}

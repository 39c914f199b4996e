/** Gate: the files of all users leave room for the inline media. */
import type { MediaDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';

/** 503, like a full disk. */
export const refuseOverTotalStorage: Gate<MediaDraft> = ({ storage }, draft) => {
  const { inlineBytes } = draft.media;
  return inlineBytes === 0 ? draft : storage.refuseOverTotal(inlineBytes).then(() => draft);
};

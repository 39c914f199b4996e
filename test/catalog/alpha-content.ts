/** Items of `content`, as the alpha tests write them. */
export const text = (words = 'a paper boat') => ({ type: 'text', text: words });

export const picture = (role?: string, url = 'https://files.test/a.png') => ({
  type: 'image_url',
  image_url: { url },
  ...(role !== undefined && { role }),
});

export const video = (url = 'https://files.test/a.mp4') => ({
  type: 'video_url',
  video_url: { url },
  role: 'reference_video',
});

export const sound = (url = 'https://files.test/a.mp3') => ({
  type: 'audio_url',
  audio_url: { url },
  role: 'reference_audio',
});

export const draftId = '019e0000-0000-7000-8000-00000000000d';
export const draftTask = { type: 'draft_task', draft_task: { id: draftId } };

export const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);

/** The plan of a text with the defaults of the contract. */
export const plainPlan = {
  kind: 'video',
  width: 1280,
  height: 720,
  fps: 24,
  shots: [{ seconds: 5, prompt: 'a paper boat' }],
  seed: null,
  sound: true,
  soundChannels: 1,
  watermark: 'none',
};

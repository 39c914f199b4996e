/** Which sample media take the place of the placeholder addresses in an example of a model. */
import { isMembers } from './input-value.ts';

/** Media that come with the gateway: each is small, and within the bounds of every field of its kind. */
export const sampleNames = {
  portrait: 'portrait.jpg',
  day: 'coast-by-day.jpg',
  night: 'coast-by-night.jpg',
  clip: 'clip.mp4',
  voice: 'voice.mp3',
  mask: 'mask.png',
} as const;
/** One of them. */
export type SampleName = keyof typeof sampleNames;

/** The host of placeholder addresses: nothing is there. */
const standIn = /^https:\/\/files\.test\/([\w-]+)\.(\w+)$/;
/** Ids of jobs and files that exist in no installation. */
const noJob = /^019e0000-0000-7000-8000-/;
const noFile = 'file_0123456789abcdefghijABCD';
/** Placeholders that are somebody, so that a figure takes their place. */
const figures = /portrait|dancer|singer|runner|knight|robot|dog|anna|ben|teapot/;

/** The samples that an example needs, in the order of its fields; each once. */
export function samplesIn(example: unknown): readonly SampleName[] {
  const found: SampleName[] = [];
  replacePlaceholders(example, name => {
    found.push(name);
    return name;
  });
  return [...new Set(found)];
}

/** The example with the file ids of samples; `idOf` is called for each placeholder. */
export function replacePlaceholders(example: unknown, idOf: (name: SampleName) => string): unknown {
  let scenes = 0;
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (isMembers(value))
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, visit(member)]));
    const [, name = '', ending = ''] = typeof value === 'string' ? (standIn.exec(value) ?? []) : [];
    if (ending === '') return value;
    if (/^(?:mp4|mov)$/.test(ending)) return idOf('clip');
    if (/^(?:mp3|wav)$/.test(ending)) return idOf('voice');
    if (figures.test(name)) return idOf('portrait');
    scenes += 1;
    // A start frame and an end frame have to differ.
    return idOf(scenes % 2 === 1 ? 'day' : 'night');
  };
  return visit(example);
}

/** The example with a job of this installation in the place of one that exists nowhere. */
export function replaceJob(example: unknown, jobId: string): unknown {
  if (Array.isArray(example)) return example.map(item => replaceJob(item, jobId));
  if (isMembers(example))
    return Object.fromEntries(
      Object.entries(example).map(([name, member]) => [name, replaceJob(member, jobId)]),
    );
  return typeof example === 'string' && noJob.test(example) ? jobId : example;
}

/** Whether an example names a job or a result that only another installation could have. */
export function namesForeignResult(example: unknown): boolean {
  if (typeof example === 'string') return noJob.test(example) || example === noFile;
  return typeof example === 'object' && example !== null && Object.values(example).some(namesForeignResult);
}

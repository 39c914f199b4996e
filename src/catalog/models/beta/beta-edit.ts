/** beta-edit: repaints a part of an earlier picture (Contract 2.3). */

import { z } from 'zod';
import type { PictureMask } from '../../../../engine/src/render-plan.ts';
import { group, integer, list, number } from '../../fields.ts';
import { media } from '../../media.ts';
import { defineModel } from '../../model.ts';
import { use } from '../../result-uses.ts';
import {
  betaImage,
  betaNative,
  billedJobsOf,
  imageNoField,
  jobIdField,
  maxSide,
  pictureFacts,
  planRemix,
  referencesOf,
  remixPrompt,
  sizeOf,
  sizeRule,
} from './beta-shared.ts';

/** Contract 2.3: of a picture that a mask area is drawn on, and of its polygon. */
const minMaskSide = 500;
/** Coordinates of an area: three corners. */
const minPoints = 6;
/** The contract names no upper bounds. More is a mistake, and would have to be filled. */
const maxPoints = 10_000;
const maxAreas = 100;
/** The smallest canvas that something can be seen on, and how far a picture may hang over it. */
const minCanvasSide = 64;
/** Pixels, in every direction. */
const maxOffset = 8192;

/** Contract 2.3: 500 to 4096; a media rule checks that they are those of the earlier picture (decisions 8). */
const maskSide = (title: string) =>
  integer(minMaskSide, maxSide, { title, description: 'Of the earlier picture.', unit: 'px' });

/** A polygon on the earlier picture. */
const area = group(
  {
    width: maskSide('Width'),
    height: maskSide('Height'),
    // Contract 2.3: "XYXY" with at least 6 values; a rule checks that they are pairs.
    points: list(number(0, maxSide, { title: 'Coordinate', unit: 'px' }), minPoints, maxPoints, {
      title: 'Polygon',
      description: 'x, y, x, y, … from the top left corner of the picture, clockwise; at least 3 points.',
    }),
  },
  { title: 'Area' },
);

/** What is painted again: areas, or the address of a picture. */
const mask = group(
  {
    areas: list(area, 1, maxAreas, { title: 'Areas' }).optional(),
    // Contract 2.3: "URL or base64", with the prefix of a data URL or without. No size is bounded but that of the
    // body.
    url: media(
      {
        kind: 'image',
        forms: ['url', 'data-url', 'raw-base64'],
        formats: ['image/png', 'image/jpeg', 'image/webp', 'image/bmp', 'image/gif'],
      },
      { title: 'Mask picture', description: 'Black and white; what is white is repainted.' },
    ).optional(),
  },
  { title: 'Mask', description: 'What is repainted: areas, or a black and white picture.', widget: 'mask' },
);

/** Offset of a side of the picture on the canvas; negative where the picture hangs over it. */
const edge = (title: string) => integer(-maxOffset, maxOffset, { title, unit: 'px' });
/** A side of the picture on the canvas, which may be larger or smaller than the picture itself. */
const extent = (title: string) => integer(1, maxOffset, { title, unit: 'px' });
/** A side of the canvas, and so of the result; no larger than what follow-ups can take. */
const canvasSide = (title: string) => integer(minCanvasSide, maxSide, { title, unit: 'px' });

// Parts of counter-examples and examples: the picture that covers its canvas, and a square in its corner.
const wholePicture = { x: 0, y: 0, width: 1024, height: 1024 };
const corner = [0, 0, 400, 0, 400, 400, 0, 400];

export default defineModel({
  id: 'beta-edit',
  kind: 'image',
  family: 'beta',
  title: 'Edit a picture',
  summary:
    'Places a picture of an earlier job on a canvas and repaints what a mask or the canvas leaves open.',
  input: z.strictObject({
    jobId: jobIdField,
    imageNo: imageNoField,
    // Contract 2.3: 8096 here, 8192 in outpaint.
    remixPrompt: remixPrompt(8096, 'What the repainted part shows.', { needsWords: true }),
    canvas: group(
      { width: canvasSide('Width'), height: canvasSide('Height') },
      { title: 'Canvas', description: 'The size of the result.', widget: 'canvas', means: ['repaint'] },
    ),
    // Contract 2.3: offsets from the top left corner of the canvas, and the size of the picture there, in pixels.
    imgPos: group(
      { x: edge('From the left'), y: edge('From the top'), width: extent('Width'), height: extent('Height') },
      {
        title: 'Picture on the canvas',
        description: 'From the top left corner of the canvas.',
        widget: 'placement',
      },
    ),
    mask: mask.optional(),
  }),
  rules: [
    {
      // A picture beside its canvas would leave nothing of the earlier job in the result.
      says: 'the picture must lie on the canvas at least in part',
      fields: ['imgPos', 'canvas'],
      holds: ({ imgPos, canvas }) =>
        imgPos.x < canvas.width &&
        imgPos.y < canvas.height &&
        imgPos.x + imgPos.width > 0 &&
        imgPos.y + imgPos.height > 0,
      brokenBy: { imgPos: { ...wholePicture, x: 1024 } },
    },
    {
      // Contract 2.3: "must hold areas or url". An empty list beside an address is omitted before (decisions 9).
      says: 'a mask must hold areas or url',
      fields: ['mask'],
      holds: ({ mask }) => !mask || mask.areas !== undefined || mask.url !== undefined,
      brokenBy: { mask: {} },
    },
    {
      // The contract has one region to repaint, and no order of two.
      says: 'a mask cannot hold both areas and url',
      fields: ['mask'],
      holds: ({ mask }) => mask?.areas === undefined || mask.url === undefined,
      brokenBy: {
        mask: {
          areas: [{ width: 1024, height: 1024, points: corner }],
          url: 'https://files.test/mask.png',
        },
      },
    },
    {
      says: 'the points of a mask area must be pairs of x and y',
      fields: ['mask'],
      holds: ({ mask }) => (mask?.areas ?? []).every(({ points }) => points.length % 2 === 0),
      brokenBy: { mask: { areas: [{ width: 1024, height: 1024, points: corner.slice(0, 7) }] } },
    },
  ],
  mediaRules: [
    sizeRule,
    {
      // Decisions 8: checked where the picture is ours, and so is probed.
      says: 'the width and height of a mask area must be those of the earlier picture',
      fields: ['mask.areas', 'jobId'],
      holds: ({ mask }, factsAt) => {
        const { width, height } = sizeOf(factsAt);
        return (mask?.areas ?? []).every(area => area.width === width && area.height === height);
      },
      brokenBy: {
        change: { mask: { areas: [{ width: 1024, height: 1024, points: corner }] } },
        facts: { jobId: pictureFacts(1024, 768) },
      },
    },
  ],
  references: referencesOf,
  billedJobs: billedJobsOf,
  // A plan names a medium by the value of its field, here by the id of the earlier job.
  render: ({ jobId, remixPrompt, canvas, imgPos, mask }) =>
    planRemix(
      remixPrompt,
      { kind: 'repaint', media: jobId, place: imgPos, mask: mask ? maskOf(mask) : null },
      canvas,
    ),
  native: betaNative,
  nativeImage: betaImage,
  uses: [use('edit', 'image', 'jobId')],
  examples: [
    {
      jobId: '019e0000-0000-7000-8000-000000000001',
      imageNo: 0,
      remixPrompt: 'A red kite in the sky --no clouds',
      canvas: { width: 1024, height: 1024 },
      imgPos: wholePicture,
    },
    {
      jobId: '019e0000-0000-7000-8000-000000000001',
      imageNo: 3,
      remixPrompt: 'A {red, yellow} kite:: birds::0.5 --seed 7 --stylize 250 --v 8.1',
      canvas: { width: 1024, height: 1024 },
      imgPos: wholePicture,
      mask: { areas: [{ width: 1024, height: 1024, points: corner }] },
    },
    {
      jobId: '019e0000-0000-7000-8000-000000000001',
      imageNo: 1,
      remixPrompt: 'A wide valley around the tower',
      canvas: { width: 1536, height: 1024 },
      imgPos: { x: 256, y: 0, width: 1024, height: 1024 },
      mask: { url: 'https://files.test/mask.png' },
    },
  ],
});

/** The mask of the plan; null for a mask without areas and picture. */
function maskOf({ areas, url }: z.output<typeof mask>): PictureMask | null {
  if (url !== undefined) return { kind: 'picture', media: url };
  return areas ? { kind: 'areas', areas } : null;
}

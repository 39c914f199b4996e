/** The tools of the mask editor, and the settings that this browser remembers. */
import { useEffect } from 'react';

/** Colours that are seen on nearly every picture, at least one of them. */
export const tints = ['red', 'blue', 'white'] as const;

/** Of the brush, in pixels of the picture. */
export const minBrush = 4;
export const maxBrush = 400;

/** The chosen tool with its settings. */
export interface Tools {
  readonly tool: 'Brush' | 'Eraser' | 'Polygon';
  /** Of the brush, in pixels of the picture. */
  readonly size: number;
  /** The colour of the mask on the screen: red is invisible on a red picture. */
  readonly tint: (typeof tints)[number];
}

/** Of this browser alone. */
const storageKey = 'atelier.mask-tools';
/** Of a first visit; the tool is never remembered, only its settings. */
const defaults: Tools = { tool: 'Brush', size: 60, tint: 'red' };

/** Size and tint of the last time; the defaults where this browser has none. */
export function readTools(): Tools {
  try {
    const { size, tint }: Partial<Tools> = JSON.parse(localStorage.getItem(storageKey) ?? '{}');
    return {
      ...defaults,
      ...(typeof size === 'number' && { size }),
      tint: tints.find(one => one === tint) ?? defaults.tint,
    };
  } catch {
    return defaults;
  }
}

/** Writes size and tint to this browser whenever they change. */
export function useSavedTools(tools: Tools): void {
  useEffect(() => {
    localStorage.setItem(storageKey, JSON.stringify(tools));
  }, [tools]);
}

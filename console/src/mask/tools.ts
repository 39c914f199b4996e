import { useEffect } from 'react';

export const tints = ['red', 'blue', 'white'] as const;

export interface Tools {
  readonly tool: 'Brush' | 'Eraser' | 'Polygon';
  /** Of the brush, in pixels of the picture. */
  readonly size: number;
  /** How the mask is shown: some colours cannot be told from some pictures. */
  readonly tint: (typeof tints)[number];
}

const place = 'atelier.mask-tools';
const usual: Tools = { tool: 'Brush', size: 60, tint: 'red' };

/** As they were left the last time. */
export function readTools(): Tools {
  try {
    const { size, tint }: Partial<Tools> = JSON.parse(localStorage.getItem(place) ?? '{}');
    return {
      ...usual,
      ...(typeof size === 'number' && { size }),
      tint: tints.find(one => one === tint) ?? usual.tint,
    };
  } catch {
    return usual;
  }
}

export function useKeptTools(tools: Tools): void {
  useEffect(() => {
    localStorage.setItem(place, JSON.stringify(tools));
  }, [tools]);
}

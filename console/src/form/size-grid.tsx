/** Frame sizes as chips with their shape, by resolution. */
import { useId } from 'react';
import { FieldFrame, type FieldProps } from './field-frame.tsx';

/** Two rows: sizes of about 720P, and of about 1080P. */
export function SizeGrid(props: FieldProps) {
  const id = useId();
  const { schema, value, change } = props;
  // 1.3 megapixels lie between the largest size of 720P and the smallest of 1080P.
  const sizes = (schema.enum ?? []).map(option => {
    // `1280*720` (eta) or `1024x1024`.
    const [width = 0, height = 0] = String(option).split(/[*x]/).map(Number);
    return { option, width, height, isLarge: width * height > 1_300_000 };
  });
  return (
    <FieldFrame field={props} id={id} isGroup>
      {[false, true].map(isLarge => (
        <div key={String(isLarge)} className="chips">
          <span className="soft small size-level">{isLarge ? '1080P' : '720P'}</span>
          {sizes
            .filter(size => size.isLarge === isLarge)
            .map(({ option, width, height }) => (
              <button
                key={option}
                type="button"
                className="chip size"
                aria-pressed={value === option}
                data-default={value === undefined && schema.default === option}
                onClick={() => change(value === option ? undefined : option)}
              >
                <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
                  <rect
                    x={10 - (9 * width) / Math.max(width, height)}
                    y={10 - (9 * height) / Math.max(width, height)}
                    width={(18 * width) / Math.max(width, height)}
                    height={(18 * height) / Math.max(width, height)}
                    rx="1.5"
                    fill="none"
                    stroke="currentColor"
                    strokeWidth="1.5"
                  />
                </svg>
                {width} × {height}
              </button>
            ))}
        </div>
      ))}
    </FieldFrame>
  );
}

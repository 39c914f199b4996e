/**
 * The component that draws a field, passed down by context. Fields contain fields (objects, lists), and a direct
 * import of the dispatcher in `field.tsx` by them would be a circle of imports.
 */
import { type ComponentType, createContext, useContext } from 'react';
import type { FieldProps } from './field-frame.tsx';

/** Provided once, by the form. Without a provider a field is an error of ours, and says so. */
export const FieldComponent = createContext<ComponentType<FieldProps>>(() => {
  throw new Error('expected a form around the field');
});

/** The component that draws a field by its schema, for fields that contain other fields. */
export const useField = (): ComponentType<FieldProps> => useContext(FieldComponent);

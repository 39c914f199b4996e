import { ModelsPage } from './models-page.tsx';

/** Where the playground begins. */
export function ChooseModelPage() {
  return <ModelsPage title="Playground" />;
}

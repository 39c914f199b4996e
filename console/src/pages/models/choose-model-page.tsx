/** The page of models under the heading of the playground. */
import { ModelsPage } from './models-page.tsx';

/** The first page of the playground: choose a model. */
export function ChooseModelPage() {
  return <ModelsPage title="Playground" />;
}

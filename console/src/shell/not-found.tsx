/** The page of an address that has none. */
import { Link } from '@tanstack/react-router';
import { Empty } from '../components/page-states.tsx';

/** Shown for an unknown address within the console. */
export function NotFound() {
  return (
    <Empty title="There is no such page">
      <p>The address may have been cut when it was copied.</p>
      <Link to="/" className="button">
        Home
      </Link>
    </Empty>
  );
}

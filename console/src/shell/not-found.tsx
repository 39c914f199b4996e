import { Link } from '@tanstack/react-router';
import { Empty } from '../components/page-states.tsx';

export function NotFound() {
  return (
    <Empty title="There is no such page">
      <p>The address may have been cut when it was copied.</p>
      <Link to="/" className="button">
        To the first page
      </Link>
    </Empty>
  );
}

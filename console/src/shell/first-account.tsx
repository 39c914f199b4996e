/** The first screen of a new installation: the account of its operator. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { setupQuery } from '../api/queries.ts';
import { FormFault } from '../components/form-fault.tsx';
import { NewPasswordField } from '../components/new-password-field.tsx';
import { Loaded } from '../components/page-states.tsx';
import { Sign } from './brand.tsx';
import { Login } from './login.tsx';
import { useLoginForm } from './use-login-form.ts';

/** The address in the banner of the first start leads here. Once an account exists, the login is shown instead. */
export function FirstAccount() {
  const setup = useQuery(setupQuery);
  return (
    <Loaded query={setup} what="the setup">
      {({ open }) => {
        if (codeOfAddress() === '') return <Login />;
        return open ? <AccountForm /> : <Login says={linkIsOver} />;
      }}
    </Loaded>
  );
}

/** Shown for a link that was used before. */
const linkIsOver =
  'This setup link no longer works: the setup is complete. Log in, or ask an admin to add you under Settings.';

/** Behind the #, which browsers do not send: it is in no log. */
const codeOfAddress = () => window.location.hash.slice(1);

/** The code of the banner goes with name and password. */
function AccountForm() {
  const navigate = useNavigate();
  const { fault, isBusy, enter } = useLoginForm('setup', form => ({
    code: codeOfAddress(),
    ...Object.fromEntries(form),
  }));
  // The code works once: it is removed from the address.
  const forgetCode = () => navigate({ to: '/setup', hash: '', replace: true });

  return (
    <main className="login">
      <form className="card" onSubmit={event => void enter(event, forgetCode)}>
        <h1 className="brand">
          <Sign /> Atelier
        </h1>
        <p>Welcome. First, your own account: an admin, who may add others.</p>
        <div className="field-line">
          <label htmlFor="name">Name</label>
          <input id="name" name="name" className="input" autoComplete="username" maxLength={100} required />
        </div>
        <NewPasswordField id="password" name="password" label="Password" />
        <FormFault message={fault} />
        <button type="submit" className="button main" disabled={isBusy}>
          {isBusy ? 'Creating …' : 'Create account'}
        </button>
      </form>
    </main>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { setupQuery } from '../api/queries.ts';
import { FormFault } from '../components/form-fault.tsx';
import { NewPasswordField } from '../components/new-password-field.tsx';
import { Loaded } from '../components/page-states.tsx';
import { Sign } from './brand.tsx';
import { Login } from './login.tsx';
import { useLoginForm } from './use-login-form.ts';

/** Where the banner of the first start leads: the account of whoever runs this. Once somebody has one, the login. */
export function FirstAccount() {
  const setup = useQuery(setupQuery);
  return (
    <Loaded query={setup} what="the setup">
      {({ open }) => (open && codeOfAddress() !== '' ? <AccountForm /> : <Login />)}
    </Loaded>
  );
}

/** Behind the #, so that it stands in no log. */
const codeOfAddress = () => window.location.hash.slice(1);

function AccountForm() {
  const navigate = useNavigate();
  const { fault, isBusy, enter } = useLoginForm('setup', form => ({
    code: codeOfAddress(),
    ...Object.fromEntries(form),
  }));
  // The code has done its work: it does not stay in the address.
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
          {isBusy ? 'Making it …' : 'Make the account'}
        </button>
      </form>
    </main>
  );
}

/** The search box, the filters and the order of the list of jobs. */
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { modelsQuery } from '../../api/queries.ts';
import { chipsOf, errorCodes, kindWords, sortWords, stateWords, withinWords } from './filter-words.ts';
import type { Explorer, FilterChange } from './use-explorer.ts';

/** One line of what is needed most; the others open below it, and stand as chips once they are set. */
export function JobFilters({ explorer }: { readonly explorer: Explorer }) {
  const { filter, narrow } = explorer;
  const [isOpen, setOpen] = useState(false);
  const chips = chipsOf(filter);
  return (
    <div className="explorer-filters">
      <div className="filters">
        <SearchBox key={filter.q ?? ''} searched={filter.q ?? ''} search={q => narrow({ q })} />
        <Choice label="State" options={stateWords} value={filter.state} choose={state => narrow({ state })} />
        <ModelChoice explorer={explorer} />
        <Choice label="Order" options={sortWords} value={filter.sort} choose={sort => narrow({ sort })} />
        <button type="button" className="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fewer filters' : 'More filters'}
        </button>
      </div>
      {isOpen && <MoreFilters key={JSON.stringify(filter)} explorer={explorer} />}
      {chips.length > 0 && (
        <div className="chips filter-chips">
          {chips.map(({ name, words }) => (
            <button
              key={name}
              type="button"
              className="chip"
              aria-label={`Remove the filter ${words}`}
              onClick={() => narrow({ [name]: '' })}
            >
              <span className="cut">{words}</span> <span aria-hidden="true">×</span>
            </button>
          ))}
          <button
            type="button"
            className="button slim quiet"
            onClick={() => narrow(Object.fromEntries(chips.map(({ name }) => [name, ''])))}
          >
            Clear filters
          </button>
        </div>
      )}
    </div>
  );
}

/** Sent with Enter and not at each letter, because a search by id reads several indexes. */
function SearchBox({
  searched,
  search,
}: {
  readonly searched: string;
  readonly search: (words: string) => void;
}) {
  const [words, setWords] = useState(searched);
  return (
    <search className="wide-find">
      <form
        onSubmit={event => {
          event.preventDefault();
          search(words.trim());
        }}
      >
        <input
          className="input"
          type="search"
          aria-label="Words of the prompt, or any id"
          placeholder="Search prompts, or any id"
          value={words}
          onChange={event => {
            setWords(event.target.value);
            if (event.target.value === '') search('');
          }}
        />
      </form>
    </search>
  );
}

/** A select whose first option filters nothing. */
function Choice({
  label,
  options,
  value = '',
  choose,
}: {
  readonly label: string;
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly value: string | undefined;
  readonly choose: (value: string) => void;
}) {
  return (
    <select className="input" aria-label={label} value={value} onChange={event => choose(event.target.value)}>
      {options.map(([option, words]) => (
        <option key={option} value={option}>
          {words}
        </option>
      ))}
    </select>
  );
}

function ModelChoice({ explorer: { filter, narrow } }: { readonly explorer: Explorer }) {
  const models = useQuery(modelsQuery).data?.data ?? [];
  const options = models.map(({ id }) => [id, id] as const);
  return (
    <Choice
      label="Model"
      options={[['', 'Every model'], ...options]}
      value={filter.model}
      choose={model => narrow({ model })}
    />
  );
}

/** Members that are written; each with an example of what is meant. */
const written = [
  ['project', 'Project', 'default'],
  ['user', 'User', 'alice'],
  ['key', 'Key', 'its id, name or beginning'],
  ['account', 'Provider', 'account, such as local'],
  ['tag', 'Tag', 'team=film'],
] as const;

/** Sent as a whole, by its button or Enter. */
function MoreFilters({ explorer: { filter, narrow } }: { readonly explorer: Explorer }) {
  const codes = useId();
  return (
    <form
      className="card more-filters"
      aria-label="More filters"
      onSubmit={event => {
        event.preventDefault();
        const values = [...new FormData(event.currentTarget)].map(([name, value]) => [
          name,
          String(value).trim(),
        ]);
        narrow(Object.fromEntries(values) as FilterChange);
      }}
    >
      <Field label="Created">
        <Options name="within" options={withinWords} value={filter.within} />
      </Field>
      <Field label="From">
        <input className="input" type="date" name="from" defaultValue={filter.from} />
      </Field>
      <Field label="To">
        <input className="input" type="date" name="to" defaultValue={filter.to} />
      </Field>
      <Field label="Kind">
        <Options name="kind" options={kindWords} value={filter.kind} />
      </Field>
      <Field label="Error">
        <input
          className="input"
          name="error"
          list={codes}
          defaultValue={filter.error}
          placeholder="content_policy_violation"
        />
        <datalist id={codes}>
          {errorCodes.map(code => (
            <option key={code} value={code} />
          ))}
        </datalist>
      </Field>
      {written.map(([name, label, example]) => (
        <Field key={name} label={label}>
          <input className="input" name={name} defaultValue={filter[name]} placeholder={example} />
        </Field>
      ))}
      <Field label="Ran at least (s)">
        <Seconds name="min_run" value={filter.min_run} />
      </Field>
      <Field label="Ran at most (s)">
        <Seconds name="max_run" value={filter.max_run} />
      </Field>
      <button type="submit" className="button main">
        Apply filters
      </button>
    </form>
  );
}

const Field = ({ label, children }: { readonly label: string; readonly children: React.ReactNode }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is its child.
  <label className="stack tight small">
    {label}
    {children}
  </label>
);

const Options = ({
  name,
  options,
  value,
}: {
  readonly name: string;
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly value: string | undefined;
}) => (
  <select className="input" name={name} defaultValue={value ?? ''}>
    {options.map(([option, words]) => (
      <option key={option} value={option}>
        {words}
      </option>
    ))}
  </select>
);

const Seconds = ({ name, value }: { readonly name: string; readonly value: string | undefined }) => (
  <input className="input" name={name} type="number" min="0" step="any" defaultValue={value} />
);

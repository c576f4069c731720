// What is not right: nobody is notified about hosts, contacts are not
// confirmed, receivers fail, checks are late, alerts are muted.  Nothing, if
// all is well.

import { told } from './by_group.js';
import { stateOfHook } from './hook_parts.js';
import { html } from './html.js';
import { useLoad } from './load.js';
import { mutesPath } from './mute_parts.js';
import { State, When } from './parts.js';
import { hooksPath } from './paths.js';
import { t } from './text.js';

const every = 60000;            // ms
const late = 600;               // s that a check may be due
const names = 3;                // that are named

// Links to the first few; `to` makes the address, `name` the text of one.
function Named({ all, to, name }) {
    return html`${all.slice(0, names).map((one, i) => html`${i > 0 && ', '}
        <a key=${one.id} href="#/${to(one)}"><bdi>${
            name(one)}</bdi></a>`)}
        ${all.length > names
            && ` ${t('and_more', { n: all.length - names })}`}`;
}

function troubles({ groups, contacts, hooks, mutes, coverage }) {
    const nobody = groups.data.filter((group) => group.total_hosts > 0
        && told(group, contacts) === 0);
    const pending = contacts.data.filter(({ status }) => status === 'pending');
    const failing = hooks.filter((hook) => stateOfHook(hook) === 'failing');
    const muted = mutes.find(({ open, target }) => open === 1 && target === '');
    const due = coverage.oldest_due;

    return [
        nobody.length > 0 && ['nobody', html`${t('care_nobody',
            { n: nobody.length })}${' '}<${Named} all=${nobody}
            to=${({ id }) => `groups/${id}`} name=${({ name }) => name} />`],
        pending.length > 0 && ['pending', html`${t('care_pending',
            { n: pending.length })}${' '}<${Named} all=${pending}
            to=${({ id }) => `contacts/${id}`}
            name=${({ contact }) => contact} />`],
        failing.length > 0 && ['failing', html`${t('care_failing',
            { n: failing.length })}${' '}<${Named} all=${failing}
            to=${({ id }) => `webhooks/${id}`} name=${({ name }) => name} />`],
        due >= late && ['late', t('care_late', { n: Math.round(due / 60) })],
        coverage.critical_asked > coverage.critical_answered && ['silent', html`
            <a href="#/lists">${t('care_silent', { n: coverage.critical_asked
                - coverage.critical_answered })}</a>`],
        muted && ['muted', html`<a href="#/mutes">${t('care_muted')}</a>${' '}
            <${When} text=${muted.ends} />`]
    ].filter(Boolean);
}

// groups, contacts: the first ones; coverage: an answer with listings.
export function Care({ groups, contacts, coverage }) {
    const hooks = useLoad(hooksPath, 0, every);
    const mutes = useLoad(mutesPath, 0, every);
    const found = groups && contacts && coverage ? troubles({ groups, contacts,
        coverage, hooks: hooks.body ? hooks.body.data : [],
        mutes: mutes.body ? mutes.body.data : [] }) : [];

    return found.length > 0 && html`
        <section class="care" aria-label=${t('care')}>
            <ul>${found.map(([name, text]) => html`<li key=${name}>
                <${State} name="failing" text=${t('care_word')} />${' '}
                <span>${text}</span></li>`)}</ul>
        </section>`;
}

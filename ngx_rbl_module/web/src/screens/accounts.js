// Accounts, for operators: pages of all of them, or the one of an id.

import { useState } from 'preact/hooks';

import { get } from '../api.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { useMore } from '../more.js';
import { want } from '../opened.js';
import { Answer, When } from '../parts.js';
import { reason } from '../refusal.js';
import { t } from '../text.js';

const path = 'operator/accounts.json';

function Row({ account }) {
    const { id, name, status, plan, hosts, listed, created } = account;

    return html`<tr>
        <th scope="row" data-label=${t('account')}>
            <a href="#/open/${id}" onClick=${() => want(id)}>
                <bdi>${name}</bdi></a>
            <p class="quiet">${id}</p></th>
        <td data-label=${t('state')}>${t(`account_${status}`)}</td>
        <td data-label=${t('plan')}><bdi>${plan}</bdi></td>
        <td data-label=${t('hosts')}>${t('number', { value: hosts })}</td>
        <td data-label=${t('listed')}>${t('number', { value: listed })}</td>
        <td data-label=${t('created')}><${When} text=${created} /></td>
    </tr>`;
}

function Table({ accounts }) {
    return html`<table>
        <thead><tr>
            <th scope="col">${t('account')}</th>
            <th scope="col">${t('state')}</th>
            <th scope="col">${t('plan')}</th>
            <th scope="col">${t('hosts')}</th>
            <th scope="col">${t('listed')}</th>
            <th scope="col">${t('created')}</th>
        </tr></thead>
        <tbody>${accounts.map((account) => html`
            <${Row} key=${account.id} account=${account} />`)}</tbody>
    </table>`;
}

function All({ body }) {
    const [rows, end] = useMore(body, `${path}?`);

    return html`
        <h1>${t('total_accounts', { n: body.total })}</h1>
        <${Find} />
        ${body.total === 0 && html`<p>${t('no_accounts')}</p>`}
        ${rows.length > 0 && html`<${Table} accounts=${rows} />`}
        ${end}`;
}

// An account by its id: names have no index.
function Find() {
    const [id, setId] = useState('');
    const [problem, setProblem] = useState('');

    async function submit(event) {
        event.preventDefault();

        try {
            const { data } = await get(
                `${path}?id=${encodeURIComponent(id.trim())}`);

            setProblem(data.length ? '' : t('no_such_account'));

            if (data.length) {
                want(data[0].id);
                location.hash = `#/open/${data[0].id}`;
            }
        } catch (refusal) {
            setProblem(refusal.status === 400 ? t('no_such_account')
                : reason(refusal));
        }
    }

    return html`<form onSubmit=${submit}>
        <label for="account">${t('an_account_id')}</label>
        <input id="account" required autocomplete="off" spellcheck="false"
            value=${id} aria-invalid=${problem ? 'true' : null}
            aria-describedby=${problem ? 'account-error' : null}
            onInput=${(e) => setId(e.target.value)} />
        ${problem && html`<p id="account-error" class="wrong" role="alert">
            ${problem}</p>`}
        <button>${t('open_account')}</button>
    </form>`;
}

export function Accounts() {
    const state = useLoad(path, 0, 60000);

    return html`<${Answer} state=${state}>${(body) => html`
        <${All} body=${body} />`}<//>`;
}

// Accounts, for operators, with their worst listing: all of them, those with a
// text in their name, or the one of an id; and requests for new ones.

import { useEffect, useState } from 'preact/hooks';

import { One } from '../account_one.js';
import { get } from '../api.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { want } from '../opened.js';
import { Answer, Head, When } from '../parts.js';
import { reason } from '../refusal.js';
import { NewAccount, Requests, useRequests } from '../requests.js';
import { number, t } from '../text.js';

const path = 'operator/accounts.json?limit=100';
const most = 1000;              // accounts that are loaded without a wish
const weights = ['critical', 'high', 'normal', 'info'];
const orders = ['name', 'worst', 'hosts'];

const rank = ({ worst, listed }) => (worst ? weights.indexOf(worst)
    : listed > 0 ? weights.length : weights.length + 1);
const byName = (a, b) => a.name.localeCompare(b.name);
const before = {
    name: byName,
    worst: (a, b) => rank(a) - rank(b) || b.worst_hosts - a.worst_hosts
        || b.listed - a.listed || b.unknown - a.unknown || byName(a, b),
    hosts: (a, b) => b.hosts - a.hosts || byName(a, b)
};

function open(id) {
    want(id);
    location.hash = `#/open/${id}`;
}

function Row({ account, manage }) {
    const { id, name, status, plan, hosts, max_hosts: limit, listed, worst,
        worst_hosts: n, unknown, created } = account;

    return html`<tr>
        <th scope="row" data-label=${t('account')}>
            <a href="#/open/${id}" title="${name} ${id}"
                onClick=${() => want(id)}>
                <bdi class="name">${name}</bdi></a></th>
        <td data-label=${t('worst_state')} class=${`short worst ${worst}`}>
            ${worst ? t('worst_hosts', { n, weight: t(`weight_${worst}`) })
                : listed > 0 && t('worst_listed', { n: listed })}</td>
        <td data-label=${t('listed')}>${number(listed)}</td>
        <td data-label=${t('unknown_hosts')}>${number(unknown)}</td>
        <td class="short" data-label=${t('hosts')}>${limit > 0
            ? t('n_of', { n: hosts, all: limit }) : number(hosts)}</td>
        <td data-label=${t('plan')}><bdi>${plan}</bdi></td>
        <td data-label=${t('state')}>${t(`account_${status}`)}</td>
        <td data-label=${t('created')}><${When} text=${created} /></td>
        ${manage && html`<td><a href="#/accounts/${id}">
            ${t('account_manage')}</a></td>`}
    </tr>`;
}

function Table({ accounts, manage }) {
    return html`<table class="dense many"><${Head} names=${['account',
        'worst_state', 'listed', 'unknown_hosts', 'hosts', 'plan', 'state',
        'created', ...manage ? ['actions'] : []]} />
        <tbody>${accounts.map((account) => html`<${Row} key=${account.id}
            account=${account} manage=${manage} />`)}</tbody>
    </table>`;
}

// All pages behind the first one, one after the other, as far as they are
// wanted.
function useRest(first, wanted) {
    const [rest, setRest] = useState({ rows: [], next: first.next });
    const n = first.data.length + rest.rows.length;

    useEffect(() => {
        let over = false;

        if (!rest.next || rest.problem || n >= wanted) {
            return undefined;
        }

        get(`${path}&after=${rest.next}`).then(({ data, next }) => over
            || setRest((was) => ({ next, rows: [...was.rows, ...data] })),
        (refusal) => over
            || setRest((was) => ({ ...was, problem: reason(refusal) })));

        return () => {
            over = true;
        };
    }, [rest, wanted]);

    return { ...rest, rows: [...first.data, ...rest.rows] };
}

// Accounts with the text in their name, from the server, a page of all accounts
// at a time.
async function search(text, total, onFound) {
    const rows = [];
    let after = '';
    let looked = 0;

    do {
        const { data, next } = await get(`${path}&name=${
            encodeURIComponent(text)}${after && `&after=${after}`}`);

        rows.push(...data);
        after = next;
        looked = Math.min(looked + 100, total);
        onFound({ rows: [...rows], looked, over: !next });
    } while (after && rows.length < most);
}

// only: the account that is shown, if it is the only one.
function Find({ total, whole, only, text, setText, setFound }) {
    const [problem, setProblem] = useState('');

    async function submit(event) {
        const wanted = text.trim();

        event.preventDefault();
        setProblem('');

        try {
            if (/^AC[0-9a-f]{32}$/i.test(wanted)) {
                const { data } = await get(`${path}&id=${wanted}`);

                setProblem(data.length ? '' : t('no_such_account'));
                data.slice(0, 1).forEach(({ id }) => open(id));
            } else if (!whole && wanted) {
                await search(wanted, total, setFound);
            } else if (only) {
                open(only.id);
            }
        } catch (refusal) {
            setProblem(reason(refusal));
        }
    }

    return html`<form onSubmit=${submit} role="search">
        <label for="account">${t('accounts_find')}</label>
        <div class="secret"><input id="account" type="search"
            autocomplete="off" spellcheck="false" maxlength="255" value=${text}
            aria-invalid=${problem ? 'true' : null}
            aria-describedby=${problem ? 'account-error' : null}
            onInput=${({ target }) => {
                setText(target.value);
                setFound(null);
            }} />
            <button>${t('accounts_find_button')}</button></div>
        ${problem && html`<p id="account-error" class="wrong" role="alert">
            ${problem}</p>`}
    </form>`;
}

function All({ body, order, requests, manage, onDone }) {
    const [wanted, setWanted] = useState(most);
    const [text, setText] = useState('');
    const [found, setFound] = useState(null);
    const { rows, next, problem } = useRest(body, wanted);
    const part = text.trim().toLowerCase();
    const shown = (found ? found.rows : rows).filter(({ name, id }) =>
        `${name} ${id}`.toLowerCase().includes(part))
        .toSorted(before[order]);

    return html`
        <h1>${t('total_accounts', { n: body.total })}</h1>
        <${Requests} all=${requests.data} />
        ${manage && html`<${NewAccount} plans=${requests.plans}
            onDone=${onDone} />`}
        <${Find} total=${body.total} whole=${!next} text=${text}
            only=${shown.length === 1 && part && shown[0]}
            setText=${setText} setFound=${setFound} />
        <nav class="ranges" aria-label=${t('accounts_sort')}>
            ${orders.map((name) => html`<a key=${name}
                href="#/accounts?sort=${name}"
                aria-current=${name === order ? 'true' : undefined}>
                ${t(`accounts_by_${name}`)}</a>`)}</nav>
        ${problem && html`<p class="banner" role="alert">${problem}</p>`}
        ${body.total === 0 && html`<p>${t('no_accounts')}</p>`}
        ${found && !found.over && html`<p role="status">${t('accounts_looked',
            { n: found.looked, all: body.total })}</p>`}
        ${body.total > 0 && shown.length === 0 && (!found || found.over)
            && html`<p role="status">${t('accounts_none')}</p>`}
        ${shown.length > 0 && html`<${Table} accounts=${shown}
            manage=${manage} />`}
        ${!found && shown.length < body.total && html`<p role="status">
            ${t('shown', { n: shown.length, total: body.total })}</p>`}
        ${!found && next && rows.length >= wanted && html`<button
            onClick=${() => setWanted(wanted + most)}>${t('more')}</button>`}`;
}

const none = { data: [], plans: [] };

function Every({ me, query }) {
    const wanted = new URLSearchParams(query).get('sort');
    const [round, setRound] = useState(0);
    const requests = useRequests(round).body || none;
    const done = requests.data.filter((one) => one.state === 'done').length;
    const state = useLoad(path, done, 60000);

    return html`<${Answer} state=${state}>${(body) => html`
        <${All} body=${body} requests=${requests}
            manage=${me.user.role === 'owner'}
            onDone=${() => setRound((n) => n + 1)}
            order=${orders.includes(wanted) ? wanted : 'name'} />`}<//>`;
}

export function Accounts({ me, rest, query }) {
    return rest ? html`<${One} me=${me} id=${rest} />`
        : html`<${Every} me=${me} query=${query} />`;
}

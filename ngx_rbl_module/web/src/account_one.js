// One account, for operators: what it is, and requests about it.

import { useState } from 'preact/hooks';

import { html } from './html.js';
import { useLoad } from './load.js';
import { want } from './opened.js';
import { Answer, Place, When } from './parts.js';
import { NewOwner, NewPlan, Requests, useRequests } from './requests.js';
import { number, t } from './text.js';

const Fact = ({ name, children }) => html`<div><dt>${t(name)}</dt>
    <dd>${children}</dd></div>`;

function About({ account }) {
    return html`<h1><bdi>${account.name}</bdi></h1>
        <dl class="facts">
            <${Fact} name="state">${t(`account_${account.status}`)}<//>
            <${Fact} name="plan"><bdi>${account.plan}</bdi><//>
            <${Fact} name="hosts">${number(account.hosts)}<//>
            <${Fact} name="created"><${When} text=${account.created} /><//>
        </dl>
        <p><a href="#/open/${account.id}" onClick=${() => want(account.id)}>
            ${t('open_account')}</a></p>`;
}

export function One({ me, id }) {
    const [round, setRound] = useState(0);
    const requests = useRequests(round);
    const { data = [], plans = [] } = requests.body || {};
    const done = data.filter(({ state }) => state === 'done').length;
    const state = useLoad(`operator/accounts.json?id=${id}`, done, 60000);
    const onDone = () => setRound((n) => n + 1);

    return html`<${Place} path=${[['accounts', t('accounts')]]} />
        <${Answer} state=${state}>${({ data: [account] }) => html`
            ${account ? html`<${About} account=${account} />`
                : html`<h1>${t('account')}</h1><p>${t('no_such_account')}</p>`}
            <${Requests} all=${data} account=${id} />
            ${account && me.user.role === 'owner' && html`
                <${NewOwner} account=${id} onDone=${onDone} />
                <${NewPlan} account=${id} plans=${plans} onDone=${onDone} />`}
        `}<//>`;
}

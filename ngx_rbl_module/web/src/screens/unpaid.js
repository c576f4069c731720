// Payments that are not done, of all accounts, for operators: those in a state.

import { useState } from 'preact/hooks';

import { get } from '../api.js';
import { money } from '../bill_parts.js';
import { Select } from '../form.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { useMore } from '../more.js';
import { want } from '../opened.js';
import { Answer, Table, When } from '../parts.js';
import { t } from '../text.js';

const path = 'operator/payments.json';
const states = ['open', 'sent', 'processing', 'customer', 'unknown', 'operator',
    'failed'];

function Row({ row: { account, name, plan, gateway, payment } }) {
    return html`<tr>
        <th scope="row" data-label=${t('account')}>
            <a href="#/open/${account}" onClick=${() => want(account)}>
                <bdi>${name}</bdi></a>
            <p class="quiet">${account}</p></th>
        <td data-label=${t('plan')}><bdi>${plan}</bdi>
            <p class="quiet">${gateway}</p></td>
        <td data-label=${t('pay_what')}>${t(`pay_kind_${payment.kind}`)}
            <p class="quiet">${payment.id}</p></td>
        <td data-label=${t('pay_amount')}>${money(payment.amount)}</td>
        <td data-label=${t('unpaid_reason')}><bdi>${payment.reason}</bdi></td>
        <td data-label=${t('created')}><${When} text=${payment.created} /></td>
    </tr>`;
}

function Rows({ body, at }) {
    const [rows, end] = useMore(body, (after) => get(`${at}&after=${after}`));

    return html`
        <${Table} dense=${false} rows=${rows} none=${t('unpaid_none')}
            names=${['account', 'plan', 'pay_what', 'pay_amount',
                'unpaid_reason', 'created']}
            row=${(row) => html`<${Row} key=${row.payment.id} row=${row} />`} />
        ${end}`;
}

export function Unpaid() {
    const [chosen, setChosen] = useState(states[0]);
    const at = `${path}?state=${chosen}`;
    const state = useLoad(at, 0, 60000);

    return html`
        <h1>${t('unpaid_head')}</h1>
        <${Select} id="state" label=${t('state')} value=${chosen}
            help=${t(`unpaid_help_${chosen}`)}
            from=${states.map((id) => ({ id, name: t(`pay_${id}`) }))}
            onChange=${setChosen} />
        <${Answer} state=${state}>${(body) => html`
            <${Rows} key=${chosen} body=${body} at=${at} />`}<//>`;
}

// Payments, and the ledger: each movement of the account's money.

import { useState } from 'preact/hooks';

import { moment, money } from '../bill_parts.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Pager } from '../pager.js';
import { Answer, Table, When } from '../parts.js';
import { t } from '../text.js';

const size = 10;

function Reference({ text }) {
    return html`<bdi class="name" title=${text}>${text}</bdi>`;
}

function Payment({ payment }) {
    return html`<tr>
        <th scope="row" data-label=${t('time')}>
            <${When} text=${payment.created} /></th>
        <td data-label=${t('pay_what')}>${t(`pay_kind_${payment.kind}`)}
            ${payment.begins && html`
                <p class="quiet">${moment(payment.begins)} – ${
                    moment(payment.ends)}</p>`}</td>
        <td data-label=${t('pay_amount')}>${money(payment.amount)}
            ${Number(payment.refunded) > 0 && html`<p class="quiet">
                ${t('pay_refunded', { amount: money(payment.refunded) })}</p>`}
        </td>
        <td data-label=${t('state')}>${t(`pay_${payment.state}`)
            || payment.state}${payment.reason && html`<p class="quiet">
            <bdi>${payment.reason}</bdi></p>`}</td>
        <td data-label=${t('pay_reference')}><${Reference}
            text=${payment.reference} /></td>
    </tr>`;
}

export function Payments() {
    const [page, setPage] = useState(1);
    const state = useLoad(
        `billing/payments.json?page=${page}&page_size=${size}`);

    return html`<section aria-labelledby="payments">
        <h2 id="payments">${t('payments')}</h2>
        <${Answer} state=${state}>${({ data, total_payments: n,
            total_pages: pages }) => html`
            <${Table} rows=${data} none=${t('payments_none')}
                names=${['time', 'pay_what', 'pay_amount', 'state',
                    'pay_reference']}
                row=${(payment) => html`<${Payment} key=${payment.id}
                    payment=${payment} />`} />
            <${Pager} page=${page} pages=${pages} onPage=${setPage} />
            ${n > 0 && html`<p><a href="1/billing/payments.csv"
                download="payments.csv">${t('payments_csv')}</a></p>`}`}<//>
    </section>`;
}

function Movement({ of }) {
    return html`<tr>
        <th scope="row" data-label=${t('time')}><${When} text=${of.at} /></th>
        <td data-label=${t('pay_what')}>${t(`move_${of.debit}_${of.credit}`)
            || `${of.debit} → ${of.credit}`}</td>
        <td data-label=${t('pay_amount')}>${money(of.amount)}</td>
        <td data-label=${t('bill_balance')}>${money(of.balance)}</td>
        <td data-label=${t('pay_reference')}><${Reference} text=${of.about} />
            ${of.reference && html`<p class="quiet"><${Reference}
                text=${of.reference} /></p>`}</td>
    </tr>`;
}

export function Ledger() {
    const [before, setBefore] = useState('');
    const state = useLoad(`billing/ledger.json?limit=20${before
        && `&before=${before}`}`);

    return html`<section aria-labelledby="ledger">
        <h2 id="ledger">${t('ledger')}</h2>
        <${Answer} state=${state}>${({ data, next }) => html`
            <${Table} rows=${data} none=${t('ledger_none')}
                names=${['time', 'pay_what', 'pay_amount', 'bill_balance',
                    'pay_reference']}
                row=${(one) => html`<${Movement} key=${one.id}
                    of=${one} />`} />
            <p class="pager">
                ${before && html`<button onClick=${() => setBefore('')}>
                    ${t('ledger_newest')}</button>`}
                ${next && html`<button onClick=${() => setBefore(next)}>
                    ${t('ledger_older')}</button>`}
                <a href="1/billing/ledger.csv" download="ledger.csv">
                    ${t('ledger_csv')}</a>
            </p>`}<//>
    </section>`;
}

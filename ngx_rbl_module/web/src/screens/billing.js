// Billing, for owners: the plan and its period, the payment that is open, what
// the account chooses, payment sources, payments and the ledger.

import { useEffect } from 'preact/hooks';

import { post } from '../api.js';
import { moment, money } from '../bill_parts.js';
import { Said, useChange } from '../change.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Answer, State } from '../parts.js';
import { t } from '../text.js';
import { Ledger, Payments } from './bill_log.js';
import { Sources } from './bill_sources.js';
import { Terms } from './bill_terms.js';
import { Topup } from './bill_topup.js';

// The shapes and colours of others, with the words of a bill.
const looks = { active: 'active', grace: 'pending', lapsed: 'failing' };

const change = ({ plan, price, period, begins }) =>
    t(begins ? 'bill_change_at' : 'bill_change_paid', { plan,
        price: t(`bill_price_${period}`, { price: money(price) }),
        begins: moment(begins) });

function Facts({ bill }) {
    return html`<dl class="facts">
        <div><dt>${t('bill_plan')}</dt><dd>
            <bdi class="name" title=${bill.plan}>${bill.plan}</bdi></dd></div>
        <div><dt>${t('bill_price')}</dt>
            <dd>${t(`bill_price_${bill.period}`, {
                price: money(bill.price) })}</dd></div>
        <div><dt>${t('state')}</dt><dd><${State} name=${looks[bill.state]}
            text=${t(`bill_${bill.state}`)} /></dd></div>
        ${bill.begins && html`<div><dt>${t('bill_begins')}</dt>
            <dd>${moment(bill.begins)}</dd></div>`}
        ${bill.expires && html`<div><dt>${t('bill_expires')}</dt>
            <dd>${moment(bill.expires)}</dd></div>`}
        ${bill.change && html`<div><dt>${t('bill_change')}</dt>
            <dd><bdi class="name">${change(bill.change)}</bdi></dd></div>`}
        ${bill.stops && html`<div><dt>${t('bill_stops')}</dt>
            <dd>${moment(bill.stops)}</dd></div>`}
        ${(bill.period === 'check' || Number(bill.balance) !== 0) && html`<div>
            <dt>${t('bill_balance')}</dt>
            <dd>${money(bill.balance)}</dd></div>`}
        ${bill.period === 'check' && html`<div><dt>${t('bill_used')}</dt>
            <dd>${money(bill.used)}</dd></div>`}
    </dl>`;
}

// The daemon makes an attempt soon.
function PayNow({ onDone }) {
    const change = useChange(onDone);
    const pay = () => change.run(t('pay_asked'),
        () => post('billing/retry.json'));

    return html`<p><button disabled=${change.busy} onClick=${pay}>
            ${t('pay_now')}</button></p>
        <${Said} of=${change} />`;
}

// by hand: the operator waits for the money.
function Open({ payment, byHand, onDone }) {
    const waits = payment.state === 'open' || payment.state === 'failed';

    return html`<section class="banner" aria-labelledby="open-payment">
        <h2 id="open-payment">${t('pay_open_head')}</h2>
        <p>${t('pay_open_text', { amount: money(payment.amount),
            kind: t(`pay_kind_${payment.kind}`) })}${' '}
            ${t(`pay_says_${byHand ? 'manual' : payment.state}`)}</p>
        <p>${t('pay_number')}${' '}<code>${payment.id}</code></p>
        ${payment.reason && html`<p>${t('pay_reason')}${' '}
            <bdi>${payment.reason}</bdi></p>`}
        ${payment.url && html`<p><a href=${payment.url} rel="noreferrer">
            ${t('pay_go')}</a></p>`}
        ${waits && !byHand && html`<${PayNow} onDone=${onDone} />`}
    </section>`;
}

// The plan has expired, and no payment is open.
function Expired({ bill, onDone }) {
    return html`<section class="banner" aria-labelledby="pay-again">
        <h2 id="pay-again">${t('pay_again_head')}</h2>
        <p>${t(bill.renew ? 'pay_again_text' : 'pay_again_renew')}</p>
        ${bill.renew && html`<${PayNow} onDone=${onDone} />`}
    </section>`;
}

// me: for which the banner is shown.
function Bill({ bill, me, state, reload }) {
    const known = me.account.bill && me.account.bill.state;

    useEffect(() => {
        if (known !== bill.state) {
            reload();
        }
    }, [bill.state]);

    return html`<${Facts} bill=${bill} />
        ${bill.payment && html`<${Open} payment=${bill.payment}
            byHand=${bill.gateway === 'manual'} onDone=${state.reload} />`}
        ${!bill.payment && bill.state === 'lapsed' && bill.period !== 'check'
            && html`<${Expired} bill=${bill} onDone=${state.reload} />`}
        <div class="pair">
            <${Terms} bill=${bill} onDone=${state.reload} />
            <div><${Topup} bill=${bill} onDone=${state.reload} />
                <${Sources} bill=${bill} onDone=${state.reload} /></div>
        </div>
        <${Payments} />
        <${Ledger} />`;
}

export function Billing({ me, reload }) {
    const state = useLoad('billing.json');

    return html`<h1>${t('billing')}</h1>
        <${Answer} state=${state}>${({ data }) => html`
            <${Bill} bill=${data} me=${me} state=${state}
                reload=${reload} />`}<//>`;
}

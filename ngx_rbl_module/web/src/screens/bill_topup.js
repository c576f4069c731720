// A payment in advance, once, through the payment provider.  The account is
// asked before it is charged.  The key makes a request that is sent twice one
// payment.

import { useState } from 'preact/hooks';

import { post } from '../api.js';
import { amount, money } from '../bill_parts.js';
import { Said, useChange } from '../change.js';
import { Field } from '../form.js';
import { html } from '../html.js';
import { t } from '../text.js';

const least = 0.5;
const most = 10000;

function newKey() {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
        byte.toString(16).padStart(2, '0')).join('');
}

export function Topup({ bill, onDone }) {
    const [key, setKey] = useState(newKey);
    const [text, setText] = useState('');
    const [asked, setAsked] = useState(null);
    const [error, setError] = useState('');
    const change = useChange(() => {
        setAsked(null);
        setText('');
        setKey(newKey());
        onDone();
    });

    if (bill.period !== 'check' || bill.gateway === 'manual' || bill.payment) {
        return null;
    }

    function ask(event) {
        const value = amount(text);
        const right = value !== null && value >= least && value <= most;

        event.preventDefault();
        setError(right ? '' : t('topup_form', { least: money(least),
            most: money(most) }));
        setAsked(right ? value : null);
    }

    const pay = () => change.run(t('topup_made'), () =>
        post('billing/topup.json', { amount: asked, idempotency_key: key }));

    return html`<section aria-labelledby="topup">
        <h2 id="topup">${t('topup')}</h2>
        <form onSubmit=${ask}>
            <${Field} id="topup-amount" inputmode="decimal" maxlength="40"
                label=${t('topup_amount')} help=${t('topup_help')}
                error=${error} value=${text} onChange=${(value) => {
                    setText(value);
                    setAsked(null);
                }} />
            ${asked === null ? html`<button>${t('topup_ask')}</button>`
                : html`<p>${t('topup_sure', { amount: money(asked) })}${' '}
                    <button type="button" class="main" onClick=${pay}>
                        ${t('topup_now')}</button>${' '}
                    <button type="button" onClick=${() => setAsked(null)}>
                        ${t('cancel')}</button></p>`}
        </form>
        <${Said} of=${change} />
    </section>`;
}

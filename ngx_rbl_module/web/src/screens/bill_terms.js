// The choices of an account about its bill: automatic renewal, automatic
// recharging, and the alert for a low balance.

import { useState } from 'preact/hooks';

import { post, Refusal } from '../api.js';
import { amount, money } from '../bill_parts.js';
import { Field, Options } from '../form.js';
import { html } from '../html.js';
import { RecordForm, useFields } from '../record.js';
import { t } from '../text.js';

const amounts = ['falls_below', 'recharge_to', 'alert'];

const fieldsOf = (bill) => ({ renew: bill.renew ? '1' : '0',
    ...Object.fromEntries(amounts.map((name) => [name, bill[name]])) });

const renewals = () => ['1', '0'].map((id) => ({ id,
    name: t(`bill_renew_${id}`), help: t(`bill_renew_${id}_help`) }));

// The message for each field that is wrong.
function wrong(fields) {
    const found = {};

    amounts.filter((name) => amount(fields[name]) === null)
        .forEach((name) => {
            found[name] = t('bill_amount_form');
        });

    const to = Number(amount(fields.recharge_to));

    if (!found.falls_below && !found.recharge_to && to > 0
        && to <= Number(amount(fields.falls_below)))
    {
        found.recharge_to = t('bill_to_more');
    }

    return found;
}

function shown(value) {
    const typed = amount(value);

    return typed === null ? value : money(typed);
}

const names = () => ({ renew: { label: t('bill_renew'),
    show: (value) => t(`bill_renew_${value}`) },
...Object.fromEntries(amounts.map((name) => [name, {
    label: t(`bill_${name}`), show: shown }])) });

export function Terms({ bill, onDone }) {
    const form = useFields(fieldsOf(bill));
    const [errors, setErrors] = useState({});
    const [now, setNow] = useState([]);
    const below = bill.period === 'check'
        && ['falls_below', 'recharge_to'].some((name) =>
            form.mine[name] !== bill[name])
        && Number(amount(form.mine.recharge_to)) > 0
        && Number(bill.balance) < Number(amount(form.mine.falls_below));

    // Nothing is sent while a field is wrong; the first one gets the focus.
    async function save(mine) {
        const found = wrong(mine);
        const first = amounts.find((name) => found[name]);

        setErrors(found);

        if (first) {
            document.getElementById(first).focus();
            throw new Refusal(400, 'Invalid');
        }

        return post('billing/update.json', { renew: mine.renew,
            now: now.length > 0 ? '1' : '0',
            ...Object.fromEntries(amounts.map((name) =>
                [name, amount(mine[name])])) });
    }

    return html`<section aria-labelledby="terms">
        <h2 id="terms">${t('settings')}</h2>
        <${RecordForm} form=${form} path="billing.json"
            of=${({ data }) => fieldsOf(data)} names=${names()} save=${save}
            onDone=${onDone} invalid="bill_wrong">
            ${bill.period !== 'check' && html`<${Options} id="renew"
                legend=${t('bill_renew')} from=${renewals()}
                chosen=${form.mine.renew} onChange=${form.set('renew')} />`}
            ${bill.period === 'check' && amounts.map((name) => html`<${Field}
                key=${name} id=${name} inputmode="decimal" maxlength="40"
                label=${t(`bill_${name}`)} help=${t(`bill_${name}_help`)}
                error=${errors[name]} value=${form.mine[name]}
                onChange=${form.set(name)} />`)}
            ${below && html`<${Options} id="now" legend=${t('bill_now')}
                from=${[{ id: '1', name: t('bill_now_1') }]}
                chosen=${now} onChange=${setNow} />`}
        <//>
    </section>`;
}

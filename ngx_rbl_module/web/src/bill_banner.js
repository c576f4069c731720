// A banner for all users: the plan is not paid, and checks stop or have
// stopped.

import { moment } from './bill_parts.js';
import { html } from './html.js';
import { t } from './text.js';

// A plan that was never paid has not expired; one by the check has no end.
function saying({ state, expires, stops }) {
    if (state === 'grace') {
        return expires ? 'plan_grace' : 'plan_unpaid';
    }

    return expires ? 'plan_lapsed' : stops ? 'plan_ended' : 'plan_spent';
}

export function BillBanner({ bill, owner }) {
    return html`<p class="banner" role="note">${t(saying(bill), {
        expires: moment(bill.expires), stops: moment(bill.stops) })}${' '}
        ${owner ? html`<a href="#/billing">${t('billing')}</a>`
            : t('plan_ask')}</p>`;
}

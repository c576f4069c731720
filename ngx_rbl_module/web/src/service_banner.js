// A banner for all users: the service does not work, or only in part, and why.

import { html } from './html.js';
import { When } from './parts.js';
import { t } from './text.js';

export function ServiceBanner({ found: { verdict, conditions }, operator }) {
    return html`<div class="service ${verdict}" role="note">
        <p>${t(`service_${verdict}`)}</p>
        <ul>${conditions.map(({ name, since }) => html`<li key=${name}>
            ${t(`condition_${name}`) || t('condition_other')}
            ${since && html`${' '}(<${When} text=${since} />)`}</li>`)}</ul>
        ${operator && html`<p><a href="#/status">${t('service_more')}</a></p>`}
    </div>`;
}

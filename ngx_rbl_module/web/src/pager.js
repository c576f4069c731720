// The pages of a list.

import { html } from './html.js';
import { t } from './text.js';

export function Pager({ page, pages, onPage }) {
    return pages > 1 && html`<p class="pager">
        <button type="button" disabled=${page <= 1}
            onClick=${() => onPage(page - 1)}>${t('page_before')}</button>
        <span role="status">${t('page_of', { page, pages })}</span>
        <button type="button" disabled=${page >= pages}
            onClick=${() => onPage(page + 1)}>${t('page_after')}</button>
    </p>`;
}

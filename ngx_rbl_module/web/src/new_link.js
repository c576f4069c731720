// A sign-in link, which is shown once.  text: what it is for.

import { Copied } from './copied.js';
import { html } from './html.js';
import { t } from './text.js';

export function NewLink({ link, text }) {
    const url = `${new URL('.', document.baseURI)}#/link/${link}`;

    return html`<div class="banner"><p role="status">${text}</p>
        <${Copied} label=${t('link_name')} text=${url} /></div>`;
}

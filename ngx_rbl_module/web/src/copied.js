// A text to copy, with the button that does.

import { useRef, useState } from 'preact/hooks';

import { html } from './html.js';
import { t } from './text.js';

// label: what it is called; main: its button is the main one of the screen.
export function Copied({ label, text, main = false }) {
    const [said, setSaid] = useState('');
    const code = useRef();

    async function copy() {
        try {
            await navigator.clipboard.writeText(text);
            setSaid(t('copied'));
        } catch {
            getSelection().selectAllChildren(code.current);
            setSaid(t('copy_by_hand'));
        }
    }

    return html`<div class="copied">
        <pre><code ref=${code}>${text}</code></pre>
        <p><button type="button" class=${main ? 'main' : ''} onClick=${copy}
            aria-label=${t('copy_what', { what: label })}>${t('copy')}</button>
            ${' '}<span role="status">${said}</span></p>
    </div>`;
}

// useSend: a POST of a form, with its state.  A refusal is a text that says what
// to do; what was typed stays.

import { useState } from 'preact/hooks';

import { post } from './api.js';
import { html } from './html.js';
import { t } from './text.js';

export function why(refusal) {
    if (refusal.again) {
        return t('sign_in_recent');
    }

    return refusal.status === 0 || refusal.status === 503 ? t('away_post')
        : t('failed', { why: refusal.message });
}

// send: sends the fields; returns the answer, or null if it was refused.
// say: shows a refusal of the page itself.
export function useSend() {
    const [state, setState] = useState({ busy: false, problem: '', done: '' });

    async function send(path, fields, done = '') {
        setState({ busy: true, problem: '', done: '' });

        try {
            const body = await post(path, fields);

            setState({ busy: false, problem: '', done });
            return body;
        } catch (refusal) {
            setState({ busy: false, problem: why(refusal), done: '' });
            return null;
        }
    }

    const say = (problem) => setState({ busy: false, problem, done: '' });

    return { ...state, send, say };
}

// What became of it, beside the button.
export function Outcome({ of }) {
    return html`
        ${of.problem && html`<p class="banner" role="alert">${of.problem}</p>`}
        <p class="outcome" role="status">${of.busy ? t('sending') : of.done}</p>`;
}

// useCall: a call that changes something, with its state.  A refusal is a text
// that says what to do; what was typed stays.

import { useEffect, useRef, useState } from 'preact/hooks';

import { html } from './html.js';
import { reason } from './parts.js';

// run(call, said): the answer of the call, or undefined if it was refused; said:
// what to say when it has succeeded.
export function useCall() {
    const [state, setState] = useState({});
    const alive = useRef(true);

    useEffect(() => () => {
        alive.current = false;
    }, []);

    function show(next) {
        if (alive.current) {
            setState(next);
        }
    }

    async function run(call, said = '') {
        show({ busy: true });

        try {
            const answer = await call(show);

            show({ said: typeof said === 'function' ? said(answer) : said });
            return answer || true;
        } catch (refusal) {
            show({ problem: refusal.status === undefined ? String(refusal)
                : reason(refusal) });
            return undefined;
        }
    }

    return { ...state, run };
}

export function Said({ of }) {
    return html`
        <p role="status">${of.said}</p>
        ${of.problem && html`
            <p class="banner" role="alert">${of.problem}</p>`}`;
}

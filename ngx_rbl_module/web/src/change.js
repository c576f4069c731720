// useChange: a call that changes something, with what became of it, which
// <Said> shows.  A refusal is a text that says what to do; what was typed
// stays.

import { useEffect, useRef, useState } from 'preact/hooks';

import { html } from './html.js';
import { confirmByPasskey, mayPasskey } from './passkey.js';
import { refused } from './refusal.js';
import { t } from './text.js';

export const undoFor = 10000;   // ms

// What it returns: the state {busy, text, undo, problem, confirm}; say(text),
// which sets its text; refuse(problem), for a refusal of the page itself; and
// run.
//
// run(text, call, {then, undo, invalid, check}) makes a call, unless one is
// under way, and then calls then, or onDone, with its answer.  It returns the
// answer, or undefined if the call was refused.  text: what to say, or a
// function that makes it from the answer.  undo is offered for ten seconds.
// invalid: the message for wrong values.  check: says first whether the call
// may be made.  The call gets a function that shows how far it is.
export function useChange(onDone = () => {}) {
    const [state, setState] = useState({});
    const alive = useRef(true);
    const busy = useRef(false);

    useEffect(() => () => {
        alive.current = false;
    }, []);

    useEffect(() => {
        const timer = state.undo
            && setTimeout(() => setState({ text: state.text }), undoFor);

        return () => clearTimeout(timer);
    }, [state]);

    const show = (next) => alive.current && setState(next);

    async function run(text, call, { then = onDone, undo, invalid,
        check = () => true } = {})
    {
        if (busy.current) {
            return undefined;
        }

        // A call that needs a recent sign-in is made again after one.
        const confirm = () => run(text, async (so) => {
            await confirmByPasskey();
            return call(so);
        }, { then, undo, invalid });

        busy.current = true;
        show({ busy: true });

        try {
            if (!await check()) {
                show({});
                return undefined;
            }

            const answer = await call((so) => show({ busy: true, text: so }));

            show({ text: typeof text === 'function' ? text(answer) : text,
                undo });
            then(answer);
            return answer;
        } catch (refusal) {
            show({ problem: refused(refusal, invalid),
                confirm: refusal.again && mayPasskey() && confirm });
            return undefined;
        } finally {
            busy.current = false;
        }
    }

    return { ...state, run, say: (text) => show({ text }),
        refuse: (problem) => show({ problem }) };
}

// of: what useChange returned.
export function Said({ of: { busy, text, undo, problem, confirm } }) {
    return html`
        <p role="status">${text || (busy && t('sending'))}${undo && html`
            ${' '}<button type="button" onClick=${undo}>${t('undo')}</button>`}
        </p>
        ${problem && html`<p class="banner" role="alert">${problem}${confirm
            && html` <button type="button" onClick=${confirm}>
                ${t('passkey_confirm')}</button>`}</p>`}`;
}

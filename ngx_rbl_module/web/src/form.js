// Parts of forms: fields with their label, help and error, a form that keeps
// what was typed when the API refuses it, and buttons that pause and delete.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { post } from './api.js';
import { Said, useChange } from './change.js';
import { html } from './html.js';
import { deleteLater } from './later.js';
import { t } from './text.js';

// An input with its label.  secret: hidden until its button shows it.  Other
// properties are attributes of the input.
export function Field({ id, label, help, error, secret, value, onChange,
    ...rest })
{
    const [shown, setShown] = useState(false);
    const words = t(shown ? 'hide_it' : 'show_it');
    const input = html`<input id=${id} value=${value} autocomplete="off"
        spellcheck="false" ...${rest}
        type=${secret ? (shown ? 'text' : 'password') : rest.type}
        aria-invalid=${error ? 'true' : null}
        aria-describedby=${`${help ? `${id}-help ` : ''}${error
            ? `${id}-error` : ''}` || null}
        onInput=${(e) => onChange(e.target.value)} />`;

    return html`
        <label for=${id}>${label}</label>
        ${secret ? html`<div class="secret">${input}
            <button type="button" aria-label="${words}: ${label}"
                onClick=${() => setShown(!shown)}>${words}</button></div>`
            : input}
        ${help && html`<p id="${id}-help" class="quiet">${help}</p>`}
        ${error && html`<p id="${id}-error" class="wrong" role="alert">
            ${error}</p>`}`;
}

// from: [{id, name}]
export function Select({ id, label, help, value, from, onChange }) {
    return html`
        <label for=${id}>${label}</label>
        <select id=${id} value=${value}
            aria-describedby=${help ? `${id}-help` : null}
            onChange=${(e) => onChange(e.target.value)}>
            ${from.map(({ id: option, name }) => html`
                <option key=${option} value=${option}>${name}</option>`)}
        </select>
        ${help && html`<p id="${id}-help" class="quiet">${help}</p>`}`;
}

// Radio buttons, where chosen is an id, or checkboxes, where it is a list of
// ids.  from: [{id, name, help}]
export function Options({ id, legend, help, from, chosen, onChange }) {
    const many = Array.isArray(chosen);

    function choose(option, on) {
        const others = many && chosen.filter((one) => one !== option);

        onChange(many ? (on ? [...others, option] : others) : option);
    }

    return html`<fieldset aria-describedby=${help ? `${id}-help` : null}>
        <legend>${legend}</legend>
        ${help && html`<p id="${id}-help" class="quiet">${help}</p>`}
        <div class=${many ? 'options many' : 'options'}>${from.map((one) =>
            html`<div key=${one.id}><input id="${id}-${one.id}" name=${id}
                type=${many ? 'checkbox' : 'radio'}
                checked=${many ? chosen.includes(one.id) : chosen === one.id}
                aria-describedby=${one.help ? `${id}-${one.id}-help` : null}
                onChange=${(e) => choose(one.id, e.target.checked)} />
            <label for="${id}-${one.id}"><bdi class="name"
                title=${one.name}>${one.name}</bdi></label>
            ${one.help && html`<p id="${id}-${one.id}-help" class="quiet">
                ${one.help}</p>`}
        </div>`)}</div>
    </fieldset>`;
}

// A form that makes one call.  A refusal is shown below it; or, if its content
// is a function, given to that.  invalid: the message for wrong values.
export function Form({ button, call, onDone, invalid, children }) {
    const change = useChange(onDone);
    const own = typeof children === 'function';

    function submit(event) {
        event.preventDefault();
        change.run('', call, { invalid });
    }

    return html`<form onSubmit=${submit}>
        ${own ? children(change.problem) : children}
        <button class="main">${button}</button>
        ${!own && html`<${Said} of=${change} />`}
    </form>`;
}

// Pauses or resumes; the other undoes it.  words: the messages
// of both.
export function Turn({ path, id, paused, words, run }) {
    function turn(to) {
        run(words[to], () => post(`${path}/${to}/${id}.json`), { undo: () =>
            turn(to === 'pause' ? 'resume' : 'pause') });
    }

    const to = paused ? 'resume' : 'pause';

    return html`<button onClick=${() => turn(to)}>${t(to)}</button>`;
}

// A delete button that asks first.
export function Ask({ question, onYes }) {
    const [asked, setAsked] = useState(false);
    const asking = useRef();

    useLayoutEffect(() => {
        if (asked) {
            asking.current.focus();
        }
    }, [asked]);

    if (!asked) {
        return html`<button onClick=${() => setAsked(true)}>
            ${t('delete')}</button>`;
    }

    return html`<p tabindex="-1" ref=${asking}>${question}${' '}
        <button class="danger" onClick=${onYes}>${t('delete_now')}</button>
        ${' '}<button onClick=${() => setAsked(false)}>${t('cancel')}</button>
    </p>`;
}

// Deletes, then goes to the screen `back`.  With a question it asks first, and
// the API may refuse; without one, it can be undone.  name: what it is called.
export function Delete({ path, id, name, question, back, run }) {
    const leave = () => {
        location.hash = `#/${back}`;
    };

    if (question) {
        return html`<${Ask} question=${question} onYes=${() => run('', () =>
            post(`${path}/delete/${id}.json`), { then: leave })} />`;
    }

    return html`<button onClick=${() => {
        leave();
        deleteLater(path, id, name);
    }}>${t('delete')}</button>`;
}

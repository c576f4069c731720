// Forms that change a record.  Others may change it meanwhile: such a form
// knows the fields that it began with, and reads the record again before it
// saves.  If they differ, it shows how, and asks whose are to stay.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { get } from './api.js';
import { Said, useChange } from './change.js';
import { html } from './html.js';
import { Head } from './parts.js';
import { t } from './text.js';

// Texts, or lists of texts in any order.
const plain = (value) => (Array.isArray(value) ? [...value].sort().join('\n')
    : `${value}`);

function differ(a, b) {
    return Object.keys(a).filter((name) => plain(a[name]) !== plain(b[name]));
}

// fields: those of the record as it is now; a form in which nothing was changed
// follows them.  What it returns: mine, the fields of the form; set(name),
// which sets one of them; take, which takes all; and began.
export function useFields(fields) {
    const [{ began, mine }, setState] = useState({ began: fields,
        mine: fields });
    const seen = useRef(fields);

    useEffect(() => {
        if (differ(fields, seen.current).length > 0) {
            seen.current = fields;
            setState((state) => (differ(state.mine, state.began).length > 0
                ? state : { began: fields, mine: fields }));
        }
    });

    return { began, mine, take: (all, own = all) => setState({ began: all,
        mine: own }), set: (name) => (value) => setState((state) => ({ ...state,
        mine: { ...state.mine, [name]: value } })) };
}

// The names of what has these ids.
export const namesIn = (list) => (ids) => [].concat(ids).map((id) =>
    (list.find((one) => one.id === id) || { name: id }).name).join(', ');

function Differences({ form, theirs, names, onMine, onTheirs }) {
    const head = useRef();
    const show = (name, value) => html`<bdi class="name">
        ${names[name].show ? names[name].show(value) : value}</bdi>`;

    useLayoutEffect(() => head.current.focus(), [theirs]);

    return html`<section class="banner differences">
        <p tabindex="-1" ref=${head}>${t('differs')}</p>
        <table>
            <${Head} names=${['field', 'differs_now', 'differs_began',
                'differs_mine']} />
            <tbody>${differ(theirs, form.began).map((name) => html`
                <tr key=${name}>
                    <th scope="row" data-label=${t('field')}>
                        ${names[name].label}</th>
                    <td data-label=${t('differs_now')}>
                        ${show(name, theirs[name])}</td>
                    <td data-label=${t('differs_began')}>
                        ${show(name, form.began[name])}</td>
                    <td data-label=${t('differs_mine')}>
                        ${show(name, form.mine[name])}</td>
                </tr>`)}</tbody>
        </table>
        <button type="button" onClick=${onMine}>${t('save_mine')}</button>
        ${' '}<button type="button" onClick=${onTheirs}>
            ${t('take_theirs')}</button>
    </section>`;
}

// form: what useFields returned.  path: where the record is read; of: its
// fields in that answer.  names: {label, show} of each field; show: its value
// as a text.  save gets the fields.  children: a function may show the refusal
// itself.
export function RecordForm({ form, path, of, names, save, button, onDone,
    invalid, children })
{
    const change = useChange(onDone);
    const [theirs, setTheirs] = useState(null);
    const { began, mine, take } = form;
    const own = typeof children === 'function';

    // Whether the record still is as at `base`, or as it is to be.
    async function unchanged(base) {
        const now = of(await get(path));
        const same = differ(now, base).every((name) =>
            plain(now[name]) === plain(mine[name]));

        setTheirs(same ? null : now);
        return same;
    }

    function submit(base) {
        change.run(t('saved'), () => save(mine), { invalid,
            check: () => unchanged(base), then: (answer) => {
                take(mine);
                setTheirs(null);
                onDone(answer);
            } });
    }

    return html`<form onSubmit=${(event) => {
        event.preventDefault();
        submit(began);
    }}>
        ${own ? children(change.problem) : children}
        ${theirs && html`<${Differences} form=${form} theirs=${theirs}
            names=${names} onMine=${() => submit(theirs)}
            onTheirs=${() => {
                take(theirs);
                setTheirs(null);
            }} />`}
        <button class="main">${button || t('save')}</button>
        ${!(own && change.problem) && html`<${Said} of=${change} />`}
    </form>`;
}

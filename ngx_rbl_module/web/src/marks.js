// What people noted about a listing: its removal was asked for, it is expected,
// a ticket; and the form that changes it.

import { post } from './api.js';
import { Field, Form, Options } from './form.js';
import { html } from './html.js';
import { When } from './parts.js';
import { useFields } from './record.js';
import { t } from './text.js';

const nothing = { asked: '', expected: '', ticket: '' };

// mark: of the API, or undefined.
export function Noted({ mark = nothing }) {
    return ['asked', 'expected', 'ticketed'].filter((name) => mark[name])
        .map((name) => html`<p key=${name}>${t(`mark_${name}`)}
            ${name === 'ticketed' && html` <strong><bdi>${mark.ticket}</bdi>
                </strong>`}
            ${' '}<${When} text=${mark[name]} />
            ${mark[`${name}_by`] && html`,
                <bdi class="name"> ${mark[`${name}_by`]}</bdi>`}</p>`);
}

function Change({ host, list, mark, onDone }) {
    const { mine, set } = useFields({ ticket: mark.ticket,
        noted: ['asked', 'expected'].filter((name) => mark[name]) });
    const flag = (name) => (mine.noted.includes(name) ? '1' : '0');

    return html`<${Form} button=${t('mark_save')} onDone=${onDone}
        call=${() => post(`host/mark/${host}.json`, { list,
            asked: flag('asked'), expected: flag('expected'),
            ticket: mine.ticket })}>
        <${Options} id="mark-${list}" legend=${t('mark_legend')}
            help=${t('mark_help')} chosen=${mine.noted}
            onChange=${set('noted')}
            from=${['asked', 'expected'].map((name) => ({ id: name,
                name: t(`mark_is_${name}`) }))} />
        <${Field} id="ticket-${list}" label=${t('mark_ticket')}
            maxlength="64" value=${mine.ticket} onChange=${set('ticket')} />
    <//>`;
}

// host: its id; list: one of host/lists.
export function Marks({ host, list, may, onDone }) {
    return html`<${Noted} mark=${list.mark} />
        ${may && html`<details>
            <summary>${t('mark_change')}</summary>
            <${Change} host=${host} list=${list.id}
                mark=${list.mark || nothing} onDone=${onDone} />
        </details>`}`;
}

// What can be done with an own list: pause, resume, change, delete.

import { post } from './api.js';
import { html } from './html.js';
import { Ask, isolate, Said, useRun } from './list_parts.js';
import { ListForm } from './screens/list_add.js';
import { t } from './text.js';

export function ListActions({ list, onDone }) {
    const [said, run] = useRun(onDone);
    const other = list.status === 'paused' ? 'resume' : 'pause';

    function turn(to) {
        run(t(`turned_${to}`), () => post(`rbl/${to}/${list.id}.json`), {
            undo: () => turn(to === 'pause' ? 'resume' : 'pause')
        });
    }

    function remove() {
        run('', () => post(`rbl/delete/${list.id}.json`), { then: () => {
            location.hash = '#/lists';
        } });
    }

    return html`<section aria-label=${t('actions')}>
        <button onClick=${() => turn(other)}>${t(other)}</button>${' '}
        <${Ask} question=${t('delete_list', { list: isolate(list.host) })}
            onYes=${remove} />
        <${Said} said=${said} />
        <details>
            <summary>${t('change')}</summary>
            <${ListForm} key=${`${list.type} ${list.host}`} ...${list}
                button=${t('save')} onSubmit=${(fields) => run(t('saved'), () =>
                    post(`rbl/update/${list.id}.json`, fields),
                    { invalid: 'refused_name' })} />
        </details>
    </section>`;
}

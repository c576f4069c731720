// What can be done with an own list: pause, resume, change, delete.

import { post } from './api.js';
import { Said, useChange } from './change.js';
import { Delete, Turn } from './form.js';
import { html } from './html.js';
import { ListForm } from './screens/list_add.js';
import { isolate, t } from './text.js';

export function ListActions({ list, onDone }) {
    const { run, ...said } = useChange(onDone);

    return html`<section aria-label=${t('actions')}>
        <${Turn} path="rbl" id=${list.id} paused=${list.status === 'paused'}
            words=${{ pause: t('turned_pause'), resume: t('turned_resume') }}
            run=${run} />${' '}
        <${Delete} path="rbl" id=${list.id} back="lists" run=${run}
            question=${t('delete_list', { list: isolate(list.host) })} />
        <${Said} of=${said} />
        <details>
            <summary>${t('change')}</summary>
            <${ListForm} key=${`${list.type} ${list.host}`} ...${list}
                button=${t('save')} onSubmit=${(fields) => run(t('saved'), () =>
                    post(`rbl/update/${list.id}.json`, fields),
                    { invalid: 'refused_name' })} />
        </details>
    </section>`;
}

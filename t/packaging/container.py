#!/usr/bin/python3
"""Builds and runs the containers of a folder without a container engine.

usage: container.py FOLDER build BASE
       container.py FOLDER config | up | down | ps
       container.py FOLDER run [-T] [--rm] [--entrypoint FILE] SERVICE WORD...
       container.py FOLDER exec [-T] SERVICE WORD...
       container.py FOLDER logs | start | stop | restart SERVICE
       container.py FOLDER kill -s SIGNAL SERVICE

The commands are those of `docker compose`, for what conf/container/ uses: an
instruction of the Containerfile or a key of compose.yaml that is not known here
is an error.  BASE is a directory with a root of Debian, which takes the place
of the image that FROM names.

A container has namespaces of its own, a read-only root, and no capability.
Memory, processors and numbers of processes are not limited.  The state is in
FOLDER.state.  Needs root; `up` changes the network of the namespace in which it
runs.
"""

import ctypes
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import yaml

LIBC = ctypes.CDLL(None, use_errno=True)
NEWNS, NEWUTS, NEWIPC = 0x20000, 0x4000000, 0x8000000
NEWPID, NEWNET = 0x20000000, 0x40000000
NOSUID, NODEV, NOEXEC, RDONLY, REMOUNT = 2, 4, 8, 1, 32
BIND, REC, PRIVATE = 4096, 16384, 1 << 18

PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

# The keys of the Compose specification that are understood, by their place.
KEYS = {
    '': 'name services networks volumes secrets',
    'services': 'image build pull_policy command entrypoint restart read_only '
                'tmpfs cap_drop security_opt pids_limit mem_limit cpus logging '
                'network_mode networks environment ulimits volumes ports '
                'secrets depends_on healthcheck stop_signal '
                'stop_grace_period profiles',
    'networks': 'enable_ipv6 ipam',
    'volumes': '',
    'secrets': 'file',
    'healthcheck': 'test interval timeout retries start_period',
    'logging': 'driver options',
}


def die(*words):
    sys.exit('container.py: ' + ' '.join(str(w) for w in words))


# --- compose.yaml ------------------------------------------------------------

def known(where, given, names):
    for key in given or {}:
        if key not in names.split() and not key.startswith('x-'):
            die(f'compose.yaml: {where}: unknown key "{key}"')


def seconds(text):
    parts = re.fullmatch(r'(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?', text)
    if not text or not parts:
        die(f'compose.yaml: "{text}" is no duration')
    h, m, s = (int(p or 0) for p in parts.groups())
    return 3600 * h + 60 * m + s


def environment(folder):
    """The variables of this process and of the file .env"""
    values = {}
    path = os.path.join(folder, '.env')
    if os.path.exists(path):
        with open(path, encoding='utf-8') as lines:
            for line in lines:
                name, is_set, value = line.strip().partition('=')
                if is_set and not name.startswith('#'):
                    values[name] = value
    return values | dict(os.environ)


def interpolated(value, values):
    """The value with ${NAME:-DEFAULT} replaced in all its strings"""
    if isinstance(value, dict):
        return {k: interpolated(v, values) for k, v in value.items()}
    if isinstance(value, list):
        return [interpolated(v, values) for v in value]
    if isinstance(value, str):
        return re.sub(r'\$\{(\w+):-([^}]*)\}',
                      lambda m: values.get(m[1]) or m[2], value)
    return value


def compose(folder):
    with open(os.path.join(folder, 'compose.yaml'), encoding='utf-8') as file:
        project = interpolated(yaml.safe_load(file), environment(folder))
    known('the file', project, KEYS[''])
    for kind in ('networks', 'volumes', 'secrets'):
        for name, value in (project.setdefault(kind, {}) or {}).items():
            known(f'{kind}: {name}', value, KEYS[kind])
    for name, service in project['services'].items():
        check_service(project, name, service)
    return project


def check_service(project, name, service):
    where = f'services: {name}'
    known(where, service, KEYS['services'])
    for key in ('healthcheck', 'logging'):
        known(f'{where}: {key}', service.get(key), KEYS[key])
    if 'network_mode' in service:
        if 'networks' in service or 'ports' in service:
            die(f'{where}: network_mode with networks or ports')
        if service['network_mode'] != 'none':
            die(f'{where}: network_mode {service["network_mode"]}')
    for key, kind in (('networks', 'networks'), ('secrets', 'secrets')):
        for want in service.get(key, []):
            if want not in project[kind]:
                die(f'{where}: no {kind} "{want}"')
    for want, value in service.get('depends_on', {}).items():
        if want not in project['services']:
            die(f'{where}: depends on "{want}", which is no service')
        if value['condition'] == 'service_healthy':
            if 'healthcheck' not in project['services'][want]:
                die(f'{where}: "{want}" has no health check')
        elif value['condition'] != 'service_completed_successfully':
            die(f'{where}: condition {value["condition"]}')
    for volume in service.get('volumes', []):
        source = volume.split(':')[0]
        if not source.startswith('.') and source not in project['volumes']:
            die(f'{where}: no volume "{source}"')
    for port in service.get('ports', []):
        if not re.fullmatch(r'((\d+\.){3}\d+:|\[[0-9a-f:]+\]:)?\d+:\d+', port):
            die(f'{where}: port {port}')
    if service.get('cap_drop') != ['ALL'] or not service.get('read_only') \
            or service.get('security_opt') != ['no-new-privileges:true']:
        die(f'{where}: it has capabilities, a root that it can change, or can '
            'get new rights')
    if service.get('restart') not in ('unless-stopped', 'no'):
        die(f'{where}: restart {service.get("restart")}')


# --- the image ---------------------------------------------------------------

def instructions(file):
    """(word, rest) of each instruction, continued lines joined"""
    text = ''
    with open(file, encoding='utf-8') as lines:
        for line in lines:
            if line.lstrip().startswith('#') or not line.strip():
                continue
            text += line.rstrip('\n')
            if text.endswith('\\'):
                text = text[:-1]
                continue
            yield text.split(None, 1)
            text = ''


def build(folder, state, base):
    image = os.path.join(state, 'image')
    config = {'user': '0:0', 'entrypoint': []}
    args = {}
    shutil.rmtree(image, ignore_errors=True)
    for word, rest in instructions(os.path.join(folder, 'Containerfile')):
        rest = re.sub(r'\$\{(\w+)\}', lambda m: args.get(m[1], m[0]), rest) \
            if word == 'FROM' else rest
        print('#', word, rest.split('\n')[0][:60], flush=True)
        if word == 'ARG':
            name, _, value = rest.partition('=')
            args[name] = value
        elif word == 'FROM':
            if not re.fullmatch(r'docker\.io/library/debian:\w+-slim', rest):
                die(f'FROM {rest}')
            subprocess.run(['cp', '-a', base, image], check=True)
            policy = os.path.join(image, 'usr/sbin/policy-rc.d')
            with open(policy, 'w', encoding='ascii') as file:
                file.write('#!/bin/sh\nexit 101\n')
            os.chmod(policy, 0o755)
        elif word == 'RUN':
            run_instruction(folder, image, rest)
        elif word == 'COPY':
            *sources, target = rest.split()
            for source in sources:
                shutil.copy(os.path.join(folder, source), image + target)
        elif word == 'USER':
            config['user'] = rest
        elif word == 'ENTRYPOINT':
            config['entrypoint'] = json.loads(rest)
        else:
            die(f'Containerfile: instruction {word}')
    with open(os.path.join(state, 'image.json'), 'w', encoding='ascii') as file:
        json.dump(config, file)


def run_instruction(folder, image, rest):
    binds = []
    while rest.startswith('--'):
        option, rest = rest.split(None, 1)
        parts = re.fullmatch(
            r'--mount=type=bind,source=([^,]+),target=([^,]+)', option)
        if not parts:
            die(f'RUN {option}')
        binds.append(parts.groups())
    child = os.fork()
    if child == 0:
        call(LIBC.unshare, NEWNS)
        mount('none', '/', None, REC | PRIVATE)
        mount('proc', image + '/proc', 'proc', 0)
        for source, target in binds:
            os.makedirs(image + target, exist_ok=True)
            bind(os.path.join(folder, source), image + target, True)
        os.chroot(image)
        os.chdir('/')
        os.execve('/bin/sh', ['sh', '-c', rest], {'PATH': PATH})
    if os.waitpid(child, 0)[1] != 0:
        die('RUN failed:', rest)
    for source, target in binds:
        os.rmdir(image + target)


# --- namespaces --------------------------------------------------------------

def call(function, *args):
    if function(*args) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f'{function.__name__}: {os.strerror(code)}', args)


def mount(source, target, kind, flags, data=None):
    call(LIBC.mount, source.encode(), target.encode(),
         kind and kind.encode(), flags, data and data.encode())


def bind(source, target, read_only):
    mount(source, target, None, BIND | REC)
    flags = NOSUID | NODEV | (RDONLY if read_only else 0)
    mount('none', target, None, BIND | REMOUNT | flags)


def devices(dev):
    mount('tmpfs', dev, 'tmpfs', NOSUID | NOEXEC, 'mode=755,size=64k')
    for name, minor in (('null', 3), ('zero', 5), ('full', 7), ('random', 8),
                        ('urandom', 9)):
        os.mknod(f'{dev}/{name}', 0o20666, os.makedev(1, minor))
        os.chmod(f'{dev}/{name}', 0o666)
    os.symlink('/proc/self/fd', dev + '/fd')
    for number, name in enumerate(('stdin', 'stdout', 'stderr')):
        os.symlink(f'/proc/self/fd/{number}', f'{dev}/{name}')
    mount('none', dev, None, REMOUNT | NOSUID | NOEXEC | RDONLY)


def dropped(user, words):
    """The command line that runs words as that user without rights"""
    uid, gid = user.split(':')
    return ['/usr/bin/setpriv', '--reuid', uid, '--regid', gid,
            '--clear-groups', '--bounding-set=-all', '--inh-caps=-all',
            '--ambient-caps=-all', '--no-new-privs', '--'] + words


def volume(state, image, name, target):
    """Directory of a volume; a new one takes the mode of the target"""
    path = os.path.join(state, 'volumes', name)
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        subprocess.run(['cp', '-a', image + target, path], check=True)
    return path


class Container:
    """One run of a service; words replace its command"""

    def __init__(self, project, folder, state, name, words=None,
                 entrypoint=None):
        self.project, self.folder, self.state = project, folder, state
        self.service = project['services'][name]
        with open(os.path.join(state, 'image.json'), encoding='ascii') as file:
            config = json.load(file)
        self.user = config['user']
        self.words = (entrypoint or self.service.get('entrypoint')
                      or config['entrypoint']) + (
                          self.service.get('command', [])
                          if words is None else words)
        self.name = name
        self.image = os.path.join(state, 'image')
        self.root = os.path.join(state, 'root')
        self.networks = self.service.get('networks', [])

    def start(self, output=None):
        """Starts it; pid is that of a process outside, which ends with it"""
        ready, go = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                call(LIBC.prctl, 1, signal.SIGKILL, 0, 0, 0)
                call(LIBC.unshare, NEWNS | NEWUTS | NEWIPC | NEWPID | NEWNET)
                os.write(ready[1], b'.')
                os.read(go[0], 1)
                first = os.fork()
                if first == 0:
                    call(LIBC.prctl, 1, signal.SIGKILL, 0, 0, 0)
                    self.inside(output)
                self.note('pid', first)
                for number in (signal.SIGTERM, signal.SIGINT):
                    signal.signal(number, signal.SIG_IGN)
                status = os.waitpid(first, 0)[1]
                os._exit(os.waitstatus_to_exitcode(status) & 255)
            except OSError as error:
                print('container.py:', error, file=sys.stderr, flush=True)
            os._exit(125)
        os.read(ready[0], 1)
        self.connect()
        os.write(go[1], b'.')
        for end in ready + go:
            os.close(end)

    def wait(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def note(self, kind, value):
        path = os.path.join(self.state, f'{self.name}.{kind}')
        with open(path + '.new', 'w', encoding='ascii') as file:
            file.write(f'{value}\n')
        os.rename(path + '.new', path)

    def connect(self):
        """Its end of each network"""
        inside = ['nsenter', '-t', str(self.pid), '-n', 'ip']
        subprocess.run(inside + ['link', 'set', 'lo', 'up'], check=True)
        for name in self.networks:
            bridge, four, six = network(self.project, name)
            number = sorted(self.project['services']).index(self.name) + 2
            # A second container of a service, by `run`, has another address.
            number += 100 if self.root.endswith('.run') else 0
            end = f'v{bridge}.{number}'
            subprocess.run(['ip', 'link', 'del', end], check=False,
                           stderr=subprocess.DEVNULL)
            for line in (
                    ['link', 'add', end, 'type', 'veth', 'peer', 'name', 'eth0',
                     'netns', str(self.pid)],
                    ['link', 'set', end, 'master', bridge, 'up']):
                subprocess.run(['ip'] + line, check=True)
            for line in (
                    ['addr', 'add', f'{four}.{number}/24', 'dev', 'eth0'],
                    ['addr', 'add', f'{six}{number}/64', 'dev', 'eth0',
                     'nodad'],
                    ['link', 'set', 'eth0', 'up'],
                    ['route', 'add', 'default', 'via', f'{four}.1'],
                    ['route', 'add', 'default', 'via', f'{six}1']):
                subprocess.run(inside + line, check=True)
            self.address = f'{four}.{number}'

    def inside(self, output):
        """Process 1: mounts, then the program"""
        root = self.root
        mount('none', '/', None, REC | PRIVATE)
        bind(self.image, root, False)
        for volume_ in self.service.get('volumes', []):
            source, target, *mode = volume_.split(':')
            path = os.path.join(self.folder, source) \
                if source.startswith('.') \
                else volume(self.state, self.image, source, target)
            bind(path, root + target, mode == ['ro'])
        if self.service.get('secrets'):
            mount('tmpfs', root + '/run', 'tmpfs', NOSUID | NODEV, 'mode=755')
            os.mkdir(root + '/run/secrets')
        for name in self.service.get('secrets', []):
            path = f'{root}/run/secrets/{name}'
            with open(path, 'wb'):
                pass
            bind(os.path.join(self.folder,
                              self.project['secrets'][name]['file']),
                 path, True)
        for place in self.service.get('tmpfs', []):
            path, _, options = place.partition(':')
            mount('tmpfs', root + path, 'tmpfs', NOSUID | NODEV, options)
        devices(root + '/dev')
        mount('sysfs', root + '/sys', 'sysfs',
              NOSUID | NODEV | NOEXEC | RDONLY)
        mount('proc', root + '/proc', 'proc', NOSUID | NODEV | NOEXEC)
        mount('none', root, None, BIND | REMOUNT | RDONLY | NOSUID | NODEV)
        socket.sethostname(f'{self.name}-container')
        files = self.service.get('ulimits', {}).get('nofile', 1024)
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
        os.chroot(root)
        os.chdir('/')
        if output is not None:
            os.dup2(os.open('/dev/null', os.O_RDONLY), 0)
            os.dup2(output, 1)
            os.dup2(output, 2)
        variables = {'PATH': PATH, 'HOME': '/'}
        variables.update(self.service.get('environment', {}))
        for number in (signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        words = dropped(self.user, self.words)
        os.execve(words[0], words, variables)


# --- networks ----------------------------------------------------------------

def network(project, name):
    """(bridge, first bytes of the IPv4 subnet, prefix of the IPv6 subnet)"""
    number = sorted(project['networks']).index(name)
    subnet = project['networks'][name]['ipam']['config'][0]['subnet']
    return f'rbl{number}', f'10.88.{number}', subnet.split('/')[0]


def make_networks(project):
    for name in project['networks']:
        bridge, four, six = network(project, name)
        if bridge in (name for _, name in socket.if_nameindex()):
            continue
        for line in (['link', 'add', bridge, 'type', 'bridge'],
                     ['addr', 'add', f'{four}.1/24', 'dev', bridge],
                     ['addr', 'add', f'{six}1/64', 'dev', bridge, 'nodad'],
                     ['link', 'set', bridge, 'up']):
            subprocess.run(['ip'] + line, check=True)


def publish(port, address):
    """Forwards a port of this machine, as the proxy of an engine does"""
    host, number, target = re.fullmatch(
        r'(?:(.*):)?(\d+):(\d+)', port).groups()
    host = (host or '::').strip('[]')
    server = socket.create_server(
        (host, int(number)),
        family=socket.AF_INET6 if ':' in host else socket.AF_INET,
        dualstack_ipv6=host == '::')

    def pump(a, b):
        try:
            while data := a.recv(65536):
                b.sendall(data)
            b.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def serve():
        while True:
            client = server.accept()[0]
            try:
                peer = socket.create_connection((address, int(target)))
            except OSError:
                client.close()
                continue
            for a, b in ((client, peer), (peer, client)):
                threading.Thread(target=pump, args=(a, b), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()


# --- commands ----------------------------------------------------------------

class Engine:
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.state = self.folder + '.state'
        os.makedirs(self.state, exist_ok=True)
        self.project = compose(self.folder)
        self.services = self.project['services']

    def path(self, name, kind):
        return os.path.join(self.state, f'{name}.{kind}')

    def noted(self, name, kind):
        try:
            with open(self.path(name, kind), encoding='ascii') as file:
                return file.read().strip()
        except FileNotFoundError:
            return ''

    def config(self):
        print(yaml.safe_dump(self.project))

    def start(self, name):
        """A process that runs the container, and again if it ends"""
        for kind in ('pid', 'exit', 'stopped'):
            if os.path.exists(self.path(name, kind)):
                os.unlink(self.path(name, kind))
        watcher = os.fork()
        if watcher != 0:
            return
        os.setsid()
        log = os.open(self.path(name, 'log'),
                      os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        container = Container(self.project, self.folder, self.state, name)
        os.chown(self.path(name, 'log'),
                 *(int(i) for i in container.user.split(':')))
        container.root = os.path.join(self.state, 'root.' + name)
        os.makedirs(container.root, exist_ok=True)
        container.note('watcher', os.getpid())
        os.dup2(os.open('/dev/null', os.O_RDWR), 0)
        os.dup2(log, 1)
        os.dup2(log, 2)
        again = self.services[name]['restart'] != 'no'
        published = False
        while True:
            container.start(log)
            if not published:
                for port in self.services[name].get('ports', []):
                    publish(port, container.address)
                published = True
            status = container.wait()
            if not again or os.path.exists(self.path(name, 'stopped')):
                container.note('exit', status)
                os._exit(0)
            time.sleep(0.5)

    def healthy(self, name):
        test = self.services[name]['healthcheck']['test']
        if test[0] != 'CMD':
            die(f'{name}: health check {test}')
        return self.exec(name, test[1:], quiet=True) == 0

    def awaited(self, name, what, condition):
        """Waits for a condition, as long as a busy machine may need"""
        end = time.monotonic() + 300
        while not condition():
            if time.monotonic() > end:
                die(f'{name} is not {what}; its log:\n' + self.logged(name))
            time.sleep(0.3)

    def up(self):
        make_networks(self.project)
        done = set()

        def bring(name):
            for want, value in self.services[name].get('depends_on',
                                                       {}).items():
                if want not in done:
                    bring(want)
                if value['condition'] == 'service_healthy':
                    self.awaited(want, 'healthy', lambda: self.healthy(want))
                else:
                    self.awaited(want, 'done',
                                 lambda: self.noted(want, 'exit') != '')
                    if self.noted(want, 'exit') != '0':
                        die(f'{want} failed:\n' + self.logged(want))
            if not self.running(name):
                self.start(name)
            done.add(name)

        for name, service in self.services.items():
            if 'profiles' not in service and name not in done:
                bring(name)
        for name in done:
            if 'healthcheck' in self.services[name]:
                self.awaited(name, 'healthy', lambda: self.healthy(name))

    def running(self, name):
        pid = self.noted(name, 'pid')
        return pid and not self.noted(name, 'exit') \
            and os.path.exists(f'/proc/{pid}/root/proc/1')

    def stop(self, name):
        if not self.running(name):
            return
        with open(self.path(name, 'stopped'), 'w', encoding='ascii'):
            pass
        service = self.services[name]
        pid = int(self.noted(name, 'pid'))
        os.kill(pid, signal.Signals[service.get('stop_signal', 'SIGTERM')])
        end = time.monotonic() + seconds(service.get('stop_grace_period',
                                                     '10s'))
        while os.path.exists(f'/proc/{pid}/root/proc/1'):
            if time.monotonic() > end:
                os.kill(pid, signal.SIGKILL)
                die(f'{name} did not stop in time')
            time.sleep(0.1)
        while not self.noted(name, 'exit'):
            time.sleep(0.1)

    def kill(self, name, number):
        os.kill(int(self.noted(name, 'pid')), signal.Signals['SIG' + number])

    def down(self):
        for name in reversed(list(self.services)):
            self.stop(name)

    def ps(self):
        for name in self.services:
            if self.running(name):
                print(name, self.noted(name, 'pid'))

    def logged(self, name):
        with open(self.path(name, 'log'), errors='replace',
                  encoding='utf-8') as file:
            return file.read()

    def exec(self, name, words, quiet=False):
        pid = self.noted(name, 'pid')
        if not self.running(name):
            return 1
        with open(os.path.join(self.state, 'image.json'),
                  encoding='ascii') as file:
            user = json.load(file)['user']
        output = subprocess.DEVNULL if quiet else None
        return subprocess.run(
            ['nsenter', '-t', pid, '-a', '-r', '-w', '--']
            + dropped(user, words), env={'PATH': PATH, 'HOME': '/'},
            stdin=subprocess.DEVNULL if quiet else None,
            stdout=output, stderr=output, check=False).returncode

    def run(self, name, words, entrypoint):
        make_networks(self.project)
        container = Container(self.project, self.folder, self.state, name,
                              words, entrypoint)
        container.name = name
        container.root = os.path.join(self.state, f'root.{name}.run')
        os.makedirs(container.root, exist_ok=True)
        container.note = lambda kind, value: None
        container.start()
        return container.wait()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    engine = Engine(sys.argv[1])
    command, words = sys.argv[2], sys.argv[3:]
    options = []
    entrypoint = None
    while words and words[0].startswith('-'):
        options.append(words.pop(0))
        if options[-1] in ('-s', '--entrypoint'):
            entrypoint = [words.pop(0)]
    if command == 'build':
        build(engine.folder, engine.state, *words)
    elif command in ('config', 'up', 'down', 'ps'):
        getattr(engine, command)()
    elif command == 'run':
        sys.exit(engine.run(words[0], words[1:], entrypoint))
    elif command == 'exec':
        sys.exit(engine.exec(words[0], words[1:]))
    elif command == 'logs':
        print(engine.logged(words[0]), end='')
    elif command in ('start', 'stop'):
        getattr(engine, command)(words[0])
    elif command == 'restart':
        engine.stop(words[0])
        engine.start(words[0])
    elif command == 'kill':
        engine.kill(words[0], entrypoint[0])
    else:
        die(f'"{command}": no such command')


main()

"""An environment for Harbor without docker: an overlay of this machine's own root for
each environment, and namespaces of its own (mounts, processes, network): for each command
of its Dockerfile, and then for all that follow. It does what a Dockerfile of `cookoff export harbor` says.

    harbor run -p TASKS -a oracle -e field_env:Overlay
"""
import asyncio
import io
import os
import pathlib
import shlex
import shutil
import string
import tarfile
import tempfile

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities

UNSHARED = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--net"]
INSIDE = """set -e
mount -t tmpfs none "$AT/world"
mkdir "$AT/world/root"
mount -t overlay overlay -o lowerdir=/,upperdir="$AT/upper",workdir="$AT/work" "$AT/world/root"
cd "$AT/world/root"
mount --rbind /dev dev
mount -t proc none proc
exec chroot . /bin/bash -c "$COMMAND"
"""


class Overlay(BaseEnvironment):
    @staticmethod
    def type():
        return "overlay"

    @property
    def capabilities(self):
        return EnvironmentCapabilities(disable_internet=True)

    def _validate_definition(self):
        if not (self.environment_dir / "Dockerfile").is_file():
            raise FileNotFoundError(self.environment_dir / "Dockerfile")

    async def start(self, force_build):
        self.world = None  # what holds the namespaces
        # In memory, as no overlay lies on an overlay.
        self.at = pathlib.Path(tempfile.mkdtemp(prefix="field-", dir="/dev/shm"))
        for name in ("upper", "work", "world"):
            (self.at / name).mkdir()
        for place in ("work", "home/agent", "app", "data", "logs", "tests", "solution", "opt/cookoff", "tmp", "var/tmp"):
            (self.at / "upper" / place).mkdir(parents=True)  # nothing of this machine's
            os.setxattr(self.at / "upper" / place, "trusted.overlay.opaque", b"y")
        for place in ("tmp", "var/tmp"):
            (self.at / "upper" / place).chmod(0o1777)
        self.vars, self.cwd = {"PATH": os.environ["PATH"]}, "/"
        for line in (self.environment_dir / "Dockerfile").read_text().splitlines():
            word, _, rest = line.partition(" ")
            if word == "RUN":
                done = await self.exec(rest)
                assert done.return_code == 0, (line, done)
            elif word == "ENV":
                name, _, value = rest.partition("=")
                value = shlex.split(value.replace("\\$", "\0"))[0]
                self.vars[name] = string.Template(value).safe_substitute(self.vars).replace("\0", "$")
            elif word == "WORKDIR":
                self.cwd = rest
            elif word == "COPY":
                source, target = rest.split(" ")
                upload = self.upload_dir if source.endswith("/") else self.upload_file
                await upload(self.environment_dir / source, target)
            else:
                assert word in ("FROM", ""), line
        self.world = await asyncio.create_subprocess_exec(*UNSHARED, "/bin/bash", "-c", INSIDE, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, env={**self.vars, "AT": str(self.at), "COMMAND": "echo; exec sleep infinity"})
        assert await self.world.stdout.readline()  # it is there
        await self.exec("mkdir -p /logs/agent /logs/verifier /logs/artifacts /tests /solution && chmod -R 777 /logs")

    async def stop(self, delete):
        if self.world:
            self.world.kill()
            await self.world.wait()
        shutil.rmtree(self.at, ignore_errors=True)

    async def _run(self, command, cwd, env, timeout, stdin=None):
        script = f"cd {shlex.quote(cwd)} && {command}"
        way = [*UNSHARED, "/bin/bash", "-c", INSIDE]
        if self.world:
            first = pathlib.Path(f"/proc/{self.world.pid}/task/{self.world.pid}/children").read_text().strip()
            way = ["nsenter", "--target", first, "--mount", "--pid", "--net", "--root", "--wd=/", "/bin/bash", "-c", script]
        p = await asyncio.create_subprocess_exec(
            *way, env={**env, "AT": str(self.at), "COMMAND": script} if not self.world else env,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        try:
            out, err = await asyncio.wait_for(p.communicate(stdin or b""), timeout)
        except asyncio.TimeoutError:
            p.kill()
            raise
        return p.returncode, out, err

    async def exec(self, command, cwd=None, env=None, timeout_sec=None, user=None):
        code, out, err = await self._run(command, cwd or self.cwd, {**self.vars, **(env or {})}, timeout_sec)
        return ExecResult(stdout=out.decode(errors="replace"), stderr=err.decode(errors="replace"), return_code=code)

    async def _put(self, add, target):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as tar:
            add(tar)
        q = shlex.quote(target)
        code, _, err = await self._run(f"mkdir -p {q} && tar -C {q} -xf - --no-same-owner", "/", self.vars, 60, buffer.getvalue())
        assert code == 0, err

    async def upload_file(self, source_path, target_path):
        target = pathlib.PurePosixPath(target_path)
        await self._put(lambda tar: tar.add(source_path, target.name), str(target.parent))

    async def upload_dir(self, source_dir, target_dir):
        await self._put(lambda tar: tar.add(source_dir, "."), target_dir)

    async def _get(self, path, target):
        code, out, err = await self._run(f"tar -C {shlex.quote(path)} -cf - .", "/", self.vars, 60)
        assert code == 0, err
        with tarfile.open(fileobj=io.BytesIO(out)) as tar:
            tar.extractall(target, filter="fully_trusted")

    async def download_dir(self, source_dir, target_dir):
        await self._get(source_dir, target_dir)

    async def download_file(self, source_path, target_path):
        code, out, err = await self._run(f"cat {shlex.quote(source_path)}", "/", self.vars, 60)
        assert code == 0, err
        pathlib.Path(target_path).write_bytes(out)

"""The supervisor: takes jobs from the host, hands each to a fork, watches it, cleans up, answers with facts.

It holds what jobs bring and programs say, so no program is ever forked from it, and none can look into it or signal it. It never
judges, never compiles or runs anything of a job, and never holds an expected output. The answer comes after everything the program
started is dead and the scratch mounts are empty.
"""

import _socket
import marshal
import os
from array import array

from .cleanup import Wiper, residue
from .forks import Forks
from .monitor import Channels, Monitor
from .receive import CALLS, COMMAND, SCRIPT, SMALL_ORDER, Order, has_begun, mark
from .usage import Facts
from .wire import memfd, read_exactly, read_header, write_frame

__all__ = ["Supervisor"]

TEXTS = ("program", "prelude")


class Supervisor:
    """State of one box."""

    def __init__(self, source: int, sink: int, forks: Forks, jobs: tuple[int, int], wipers: list[Wiper]) -> None:
        self.source, self.sink = source, sink
        self.forks = forks
        self.jobs, self.not_taken = (_socket.socket(fileno=end) for end in jobs)
        self.wipers = wipers
        self.texts: dict[str, tuple[int, int]] = {}
        """Program and prelude of the latest job: source and, once a fork has compiled it, marshalled code. They are handed to
        forks for jobs with the same text and no others."""

    def serve(self) -> None:
        """Until the host hangs up."""
        write_frame(self.sink, {"hello": 1})
        self.forks.begin(0)
        while True:
            self._turn()

    def _turn(self) -> None:
        """One job: take it, hand it over, watch, clean, answer."""
        text, body = read_header(self.source)
        order: Order = marshal.loads(text)  # noqa: S302  (the host's own words)
        if isinstance(order, dict):  # part of a session that the program had ended meanwhile
            read_exactly(self.source, body)
            return
        kind, _, _, with_prelude, modules, limits, sizes, files, _, fetch, _ = order
        mode = SCRIPT if kind == COMMAND else kind  # to watch it is the same
        self._keep_texts(sizes[:2])
        stdin = memfd("stdin", self.source, sizes[2])
        out, err = os.pipe2(os.O_CLOEXEC), os.pipe2(os.O_CLOEXEC)
        given, own, feed = [stdin, out[1], err[1]], [out[0], err[0]], -1
        if mode == CALLS:
            result = memfd("result")
            given += (result, memfd("calls", self.source, sizes[3]))
            own.append(os.dup(result))
        else:
            result = os.pipe2(os.O_CLOEXEC)
            given.append(result[1])
            own.append(result[0])
            if mode != SCRIPT:
                calls = os.pipe2(os.O_CLOEXEC)
                given.append(calls[0])
                feed = calls[1]
        for name, size in files:
            self.wipers[0].write(self.source, name, size)
        channels = Channels(own[0], own[1], own[2], feed)
        monitor = Monitor(self.forks, self.forks.pid(), mode, limits, channels, self._taken)
        if feed >= 0:
            monitor.converse(self.source, self._hear, self._pass_result)
        mark(self.texts["program"][0], 0)
        shared = [*self.texts["program"], *(self.texts["prelude"] if with_prelude else ())]
        self._hand_over(text, [*given, *shared])
        self.forks.wait()
        facts = monitor.run()
        if facts.exit_code != 0 and not has_begun(self.texts["program"][0]):
            monitor.drain()
            said = monitor.texts_out()[1].decode(errors="replace").strip().rpartition("\n")[2]
            # the order may still be there for the next fork
            raise RuntimeError(f"a fork ended before it ran its program ({said})")
        self.forks.begin(modules)
        # the write ends stay open till now, so that nobody wakes for the end of a pipe before the program's
        for fd in given:
            os.close(fd)
        monitor.drain()
        channels.close()
        fetched = [self.wipers[0].read(name, int(limits[6])) for name in fetch]
        dirty = [wiper.path for wiper in self.wipers if not wiper.wipe()]
        left = residue() if self.forks.whole_namespace else None  # elsewhere the tables are the machine's
        self._answer(facts, monitor.texts_out(), fetched, left or (f"files left in {dirty}" if dirty else None))

    def _keep_texts(self, sizes: tuple[int, ...]) -> None:
        """Take a new program, a new prelude; what was there before goes."""
        for name, size in zip(TEXTS, sizes, strict=True):
            if size >= 0:
                for fd in self.texts.pop(name, ()):
                    os.close(fd)
                # sealed: a binary that was started from it can open it anew, and forks for the next tests get it, too
                self.texts[name] = memfd("source", self.source, size, sealed=True), memfd("code")

    def _hand_over(self, order: bytes, descriptors: list[int]) -> None:
        """To the fork that waits."""
        extra = []
        if len(order) > SMALL_ORDER:
            extra = [memfd("order")]
            os.write(extra[0], order)
            order = b"\0"
        rights = array("i", [*descriptors, *extra]).tobytes()
        self.jobs.sendmsg([order], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
        for fd in extra:
            os.close(fd)

    def _taken(self) -> bool:
        """The fork has its order. Until then no program runs, and the order waits in the socket that all forks read from."""
        try:
            self.not_taken.recv(1, _socket.MSG_PEEK | _socket.MSG_DONTWAIT)
        except BlockingIOError:
            return True
        return False

    def _hear(self) -> tuple[str, bytes]:
        """A frame from the host during a session."""
        header, body = read_header(self.source)
        return marshal.loads(header)["op"], read_exactly(self.source, body)  # noqa: S302  (the host's own words)

    def _pass_result(self, line: bytes) -> None:
        write_frame(self.sink, {"event": "result"}, line)

    def _answer(
        self, facts: Facts, texts: tuple[bytes, bytes, bytes], fetched: list[bytes | None], unclean: str | None
    ) -> None:
        header = {
            **vars(facts),
            "times": facts.times[:10_000],
            "sizes": list(map(len, texts)),
            "fetched": [-1 if data is None else len(data) for data in fetched],
            "unclean": unclean,
        }
        write_frame(self.sink, header, *texts, *(data for data in fetched if data is not None))

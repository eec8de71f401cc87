"""The sampling engine: an lm-eval model that wraps a backend and adds seeds, a journal, resume and early judging."""

from __future__ import annotations

import hashlib
import importlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.backends.base import Backend, Request
from harness.errors import NotComparableError
from harness.generation import Generation, Response
from harness.journal import Journal
from harness.judging import Judge
from harness.own_metric import judged_doc
from rewardkit.errors import IncompleteError, RewardkitError, describe_error

_LM: Any = importlib.import_module("lm_eval.api.model").LM


@dataclass
class Progress:
    """Progress of sampling; `note` is called after each answer."""

    total: int = 0
    done: int = 0
    resumed: int = 0
    errors: int = 0
    tokens: int = 0
    """Completion tokens of the answers that were generated now."""
    note: Callable[[Progress], None] | None = None

    def tick(self) -> None:
        """Call the listener."""
        if self.note is not None:
            self.note(self)


class EngineLM(_LM):
    """The model that lm-eval calls. It requests only answers that are not in the journal."""

    def __init__(
        self,
        backend: Backend,
        journal: Journal,
        judge: Judge,
        *,
        seed: int,
        identity: str,
        source: str,
        progress: Progress,
        tasks: Mapping[str, Any],
        reward: str | None,
    ) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self.backend = backend
        self.seed = seed
        self.generations: list[Generation] = []
        """All answers in request order, once `generate_until` has returned."""
        self.requests: list[Request] = []
        self.progress = progress
        self._journal = journal
        self._judge = judge
        self._identity = identity
        self._source = source
        self._tasks = dict(tasks)
        self._reward = reward
        self._model: str | None = None

    def generate_until(self, requests: Sequence[Any], disable_tqdm: bool = False) -> list[str]:
        """Answer all requests; repeats of one request get seeds of their own."""
        _ = disable_tqdm
        plan = self.plan(requests)
        known = self._journal.answers
        found: dict[str, Generation] = {}
        missing: list[Request] = []
        for request in plan:
            if request.key in known:
                found[request.key] = self._own(known[request.key])
                self._judge.submit(request.doc, Response.of(known[request.key]))
            else:
                missing.append(request)
        self.progress.total += len(plan)
        self.progress.resumed += len(found)
        self.progress.done += len(found)
        self.progress.tick()

        def deliver(request: Request, generation: Generation) -> None:
            generation = self._own(generation.model_copy(update={"source": self._source}))
            self._journal.append(generation)
            found[request.key] = generation
            self.progress.done += 1
            self.progress.errors += generation.error is not None
            self.progress.tokens += generation.tokens or 0
            self._judge.submit(request.doc, Response.of(generation))
            self.progress.tick()

        if missing:
            self.backend.generate(missing, deliver)
        self.requests.extend(plan)
        answers = [
            found.get(request.key) or request.answered(error="not sent: the run ended before") for request in plan
        ]
        self.generations.extend(answers)
        return [Response.of(answer) for answer in answers]

    def _own(self, generation: Generation) -> Generation:
        """Refuse an answer of another model than the one that this run asks."""
        self._model = self._model or generation.model
        if generation.source != self._source or generation.model not in {None, self._model}:
            raise NotComparableError(
                f"{generation.task} #{generation.doc_id}: the answer is from {generation.model or 'another model'}, this run asks "
                f"{self._model or 'one with other weights, URL or template'}; answers so far are saved; choose another -o"
            )
        return generation

    def plan(self, requests: Sequence[Any]) -> list[Request]:
        """Requests with key and seed. lm-eval hands the same instance over once for each repeat."""
        repeats: Counter[tuple[str, int, int]] = Counter()
        plan: list[Request] = []
        for instance in requests:
            prompt, options = instance.args
            place = (str(instance.task_name), int(instance.doc_id or 0), int(instance.idx))
            rep = repeats[place]
            repeats[place] += 1
            key, seed = self.key_and_seed(place, str(prompt), options, rep)
            doc = judged_doc(self._tasks.get(place[0]), place[0], place[1], instance.doc, str(prompt), self._reward)
            stock = None if doc is instance.doc else instance.doc
            plan.append(Request(key, place[0], place[1], rep, seed, prompt, dict(options), doc, stock))
        return plan

    def key_and_seed(
        self, place: tuple[str, int, int], prompt: str, options: Mapping[str, Any], rep: int
    ) -> tuple[str, int]:
        """A hash of all that an answer depends on, and the sampling seed derived from it.

        Seeds differ between repeats and problems, and do not depend on order or on how many repeats there are.
        """
        body = json.dumps(
            [self.seed, self._identity, place, prompt, options, rep], sort_keys=True, ensure_ascii=True, default=str
        )
        digest = hashlib.sha256(body.encode()).hexdigest()
        return digest[:32], int(digest[32:40], 16) & 0x7FFF_FFFF

    def apply_chat_template(self, chat_history: list[dict[str, Any]], add_generation_prompt: bool = True) -> str:
        """The chat as the backend takes it."""
        return self.backend.render_chat(chat_history, add_generation_prompt=add_generation_prompt)

    def chat_template(self, chat_template: bool | str = False) -> str | None:
        """The model's template, for lm-eval's record."""
        return self.backend.chat_template(chat_template)

    @property
    def tokenizer_name(self) -> str:
        """For lm-eval's request cache, which a harness run does not use."""
        return str(getattr(self.backend.inner, "tokenizer_name", "") or "")

    def loglikelihood(self, requests: Sequence[Any], **options: Any) -> Any:
        """Likelihoods come straight from lm-eval's model."""
        return self._likelihoods("loglikelihood", requests, options)

    def loglikelihood_rolling(self, requests: Sequence[Any], **options: Any) -> Any:
        """Likelihoods come straight from lm-eval's model."""
        return self._likelihoods("loglikelihood_rolling", requests, options)

    def _likelihoods(self, kind: str, requests: Sequence[Any], options: Mapping[str, Any]) -> Any:
        try:
            return getattr(self.backend.likelihoods, kind)(requests, **options)
        except RewardkitError:
            raise
        except Exception as error:
            raise IncompleteError(f"the model gave no likelihoods: {describe_error(error)}") from error

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "backend":
            raise AttributeError(name)
        inner = self.backend.inner
        if inner is None:
            raise AttributeError(name)
        return getattr(inner, name)

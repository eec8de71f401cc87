"""A model of lm-eval's in this process, asked in chunks: what it is given, and what its answers become."""

from types import SimpleNamespace

import pytest

from harness import models
from harness.backends import wrapped
from harness.backends.base import ChatPrompt, Request
from harness.backends.wrapped import WrappedBackend
from rewardkit.errors import IncompleteError, UsageError

CHAT = [{"role": "user", "content": "hi"}]


class Model:
    """Says each prompt backwards; a prompt with `!` fails."""

    batch_size = 1
    max_length = 100
    tokenizer = SimpleNamespace(chat_template="a template")

    def __init__(self, **facts):
        self.asked = []
        vars(self).update(facts)

    def generate_until(self, instances, *, disable_tqdm):
        assert disable_tqdm
        if any("!" in each.args[0] for each in instances):
            raise RuntimeError("out of memory")
        self.asked.append([(each.args[0], each.args[1]) for each in instances])
        return [each.args[0][::-1] for each in instances]

    def tok_encode(self, text):
        return list(text)

    def apply_chat_template(self, history, *, add_generation_prompt):
        return f"{history} {add_generation_prompt}"

    def chat_template(self, name):
        return f"template {name}"


def backend(model, name="hf", *, tools=None, chat=True, args=None):
    return WrappedBackend(model, name, tools=tools, chat=chat, args=args or {})


def answers(backend, prompts, options=None):
    found = {}
    requests = [Request(f"k{n}", "t", n, 0, n + 5, prompt, options or {}, {}) for n, prompt in enumerate(prompts)]
    backend.generate(requests, lambda request, generation: found.setdefault(request.prompt, generation))
    assert list(found) == list(prompts)
    return found


@pytest.fixture(autouse=True)
def seeds(lm_eval, monkeypatch):
    """The seeds that torch was given."""
    found = []
    torch = SimpleNamespace(manual_seed=found.append)
    real = wrapped.importlib.import_module
    monkeypatch.setattr(wrapped.importlib, "import_module", lambda name: torch if name == "torch" else real(name))
    return found


@pytest.mark.parametrize(
    ("name", "batch_size", "chunk"),
    [
        ("hf", 1, 8),
        ("hf", 2, 8),
        ("hf", 3, 12),
        ("hf", "4", 16),
        ("hf", "auto", 32),
        ("vllm", 1, 512),
        ("sglang", 1, 512),
    ],
)
def test_requests_go_in_chunks_of_a_few_batches_each_with_its_first_seed(seeds, name, batch_size, chunk):
    model = Model(batch_size=batch_size)
    answers(backend(model, name), [f"p{n}" for n in range(chunk + 1)])
    assert [len(asked) for asked in model.asked] == [chunk, 1]
    assert seeds == [5, 5 + chunk]
    assert ("seed" in model.asked[0][0][1]) == (name == "vllm")


def test_sampling_options_are_handed_on_and_the_limit_under_one_name(seeds):
    model = Model(max_length=None)
    answers(backend(model, "vllm"), ["a"], {"temperature": 0.5, "max_tokens": 7, "until": []})
    assert model.asked == [[("a", {"temperature": 0.5, "until": [], "max_gen_toks": 7, "seed": 5})]]


@pytest.mark.parametrize(("limit", "sent"), [(99, 99), (100, 75), (5000, 75)])
def test_a_limit_that_leaves_no_room_for_the_prompt_is_three_quarters_of_the_context(limit, sent):
    model = Model()
    answers(backend(model), ["a"], {"max_gen_toks": limit})
    assert model.asked[0][0][1]["max_gen_toks"] == sent


@pytest.mark.parametrize(
    ("prompt", "tokens", "reason"),
    [("abc", 3, "stop"), ("abcd", 4, "length"), ("abcde", 5, "length"), ("abcdef", 5, "length")],
)
def test_an_answer_as_long_as_its_limit_was_cut(prompt, tokens, reason):
    answer = answers(backend(Model()), [prompt], {"max_gen_toks": 5})[prompt]
    assert (answer.text, answer.tokens, answer.finish_reason) == (prompt[::-1], tokens, reason)


@pytest.mark.parametrize("encode", [None, lambda text: 3])
def test_without_a_tokenizer_tokens_are_not_known(encode):
    answer = answers(backend(Model(tok_encode=encode)), ["abcdef"], {"max_gen_toks": 5})["abcdef"]
    assert (answer.tokens, answer.finish_reason) == (None, "stop")


def test_one_prompt_that_fails_takes_no_other_with_it():
    found = answers(backend(Model()), ["ab", "!", "cd"])
    assert [found[name].text for name in ("ab", "cd")] == ["ba", "dc"]
    assert found["!"].error == "RuntimeError: out of memory"
    assert found["ab"].error is None


def test_thinking_stays_in_the_text_with_the_tag_that_the_prompt_ended_with():
    prompt = "7>kniht/<os"  # the model says it backwards
    assert answers(backend(Model()), [prompt])[prompt].text == "so</think>7"
    assert answers(backend(Model()), ["7 <think>\n"])["7 <think>\n"].text == "<think>\n>kniht< 7"


def test_a_chat_whose_template_ends_with_the_tag_is_answered_with_it(monkeypatch):
    chatting = backend(Model())
    monkeypatch.setattr(chatting, "_render", lambda _: "7 <think>\n")
    request = Request("k", "t", 0, 0, 0, "p", {"max_gen_toks": 99}, {})
    [reply] = chatting._ask_chats([(request, [], 99)])
    assert reply.text == "<think>\n>kniht< 7"


def test_chats_go_through_the_models_template_and_with_tools_when_they_are_sent():
    plain = backend(Model())
    assert plain.render_chat(CHAT) == f"{CHAT} True"
    assert plain.render_chat(CHAT, add_generation_prompt=False) == f"{CHAT} False"
    assert plain.chat_template(True) == "template True"
    assert isinstance(backend(Model(), tools=SimpleNamespace()).render_chat(CHAT), ChatPrompt)
    with pytest.raises(UsageError, match="chat template"):
        backend(Model(), tools=SimpleNamespace(), chat=False)


def test_a_model_here_is_known_by_its_files(tmp_path):
    (tmp_path / "model.safetensors").write_text("w")
    found = backend(Model(), args={"pretrained": str(tmp_path)}).identity()
    assert found["weights"]
    assert backend(Model()).inner is not None


@pytest.fixture
def registry(monkeypatch):
    """lm-eval's registry with one model; what this was made of."""
    made = []

    class Known:
        @staticmethod
        def create_from_arg_obj(args, more):
            made.append((args, more))
            if args.get("fails"):
                raise {"package": ImportError("no vllm"), "weights": ValueError("no weights")}[args["fails"]]
            return Model(tokenizer=SimpleNamespace(chat_template=args.get("template")))

    module = SimpleNamespace(get_model=lambda name: Known)
    cuda = SimpleNamespace(is_available=lambda: False)
    torch = SimpleNamespace(cuda=cuda, backends=SimpleNamespace(mps=SimpleNamespace(is_available=lambda: False)))
    real = wrapped.importlib.import_module
    named = {"lm_eval.api.registry": module, "torch": torch}
    monkeypatch.setattr(models.importlib, "import_module", lambda name: named.get(name) or real(name))
    return SimpleNamespace(made=made, torch=torch)


def opened(kind="hf", *, chat=None, on=None, **args):
    return models.open_backend(models.ModelChoice(kind, args), chat=chat, batch_size="4", device=on)


def test_a_model_is_loaded_with_its_arguments_on_the_device_that_is_there(registry):
    opened(pretrained="m")
    opened("huggingface", pretrained="m", device="cuda:1")
    opened("vllm", pretrained="m")
    opened(pretrained="m", on="cuda:0")
    assert [(args["pretrained"], more["batch_size"], more["device"]) for args, more in registry.made] == [
        ("m", "4", "cpu"), ("m", "4", None), ("m", "4", None), ("m", "4", "cuda:0"),
    ]  # fmt: skip


@pytest.mark.parametrize(("cuda", "mps", "device"), [(True, False, "cuda"), (False, True, "mps"), (True, True, "cuda")])
def test_a_gpu_is_used_where_there_is_one(registry, cuda, mps, device):
    registry.torch.cuda.is_available = lambda: cuda
    registry.torch.backends.mps.is_available = lambda: mps
    opened()
    assert registry.made[0][1]["device"] == device


def test_the_chat_template_is_applied_where_there_is_one_unless_told_otherwise(registry):
    assert [opened(template=template).chat for template in ("t", None)] == [True, False]
    assert not opened(template="t", chat=False).chat
    assert opened(template="t", chat=True).chat
    with pytest.raises(UsageError, match=r"m has no chat template; leave out --apply_chat_template"):
        opened(pretrained="m", chat=True)


def test_a_model_that_does_not_load_says_why(registry):
    with pytest.raises(UsageError, match="model 'hf' is not installed: no vllm"):
        opened(fails="package")
    with pytest.raises(IncompleteError, match="cannot load hf m: ValueError: no weights"):
        opened(fails="weights", pretrained="m")

"""Tasks by their usual names, with the Auto classes of transformers for them.

The list comes from transformers: its pipelines, and the names of its Auto classes in lower case with hyphens
(AutoModelForQuestionAnswering is question-answering).
"""

from __future__ import annotations

import re
from typing import Any

from .argument_names import near_names
from .errors import Code, ExportError

# Common names that are in neither list.
_OTHER_NAMES = {
    "default": "AutoModel",
    "text2text-generation": "AutoModelForSeq2SeqLM",
    "summarization": "AutoModelForSeq2SeqLM",
    "translation": "AutoModelForSeq2SeqLM",
    "sentiment-analysis": "AutoModelForSequenceClassification",
    "ner": "AutoModelForTokenClassification",
    "masked-im": "AutoModelForMaskedImageModeling",
    "audio-xvector": "AutoModelForAudioXVector",
    "image-to-text": "AutoModelForImageTextToText",
}


def auto_class(task: str, config: Any) -> Any:
    """The first of a task's Auto classes that supports the configuration. Raises ExportError X004."""
    table = known_tasks()
    classes = table.get(task) or table.get(_hyphens(task.removeprefix("AutoModelFor").removeprefix("For")))
    if not classes:
        near = " or ".join(near_names(task, table))
        hint = f"choose one of: {', '.join(sorted(table))}"
        hint = f"did you mean {near}? {hint}" if near else hint
        raise ExportError(Code.TASK, f"there is no task {task!r}", hint)
    fitting = [kind for kind in classes if type(config) in _mapping(kind)]
    if not fitting and not getattr(config, "auto_map", None):
        raise ExportError(
            Code.TASK,
            f"a model of type {getattr(config, 'model_type', '?')!r} has no class for the task {task!r}",
            "leave --task out, or choose another",
        )
    return (fitting or classes)[0]


def known_tasks() -> dict[str, list[Any]]:
    """Every task, with its Auto classes."""
    import transformers

    table: dict[str, list[Any]] = {}
    for name in dir(transformers):
        if name.startswith("AutoModelFor"):
            table.setdefault(_hyphens(name.removeprefix("AutoModelFor")), []).append(
                getattr(transformers, name)
            )
    pipelines = getattr(transformers.pipelines, "SUPPORTED_TASKS", {})
    for task, entry in pipelines.items():
        table[task] = list(entry.get("pt") or ())
    for task, name in _OTHER_NAMES.items():
        kind = getattr(transformers, name, None)
        if kind is not None and not table.get(task):
            table[task] = [kind]
    return {task: classes for task, classes in table.items() if classes}


def _mapping(kind: Any) -> Any:
    return getattr(kind, "_model_mapping", {})


def _hyphens(name: str) -> str:
    """CausalLM → causal-lm, QuestionAnswering → question-answering."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()

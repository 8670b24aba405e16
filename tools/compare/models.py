"""The models that are compared: the sample, and 40 of the corpus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.accuracy.conditions import EXPORTERS, ModelFiles
from tools.passes.recipes import PASSES
from tools.sample.choices import CHOICES

SAMPLE = Path("tests/models/sample")
PASSES_PER_MODEL = 2  # for each exporter; the passes alternate, so that each occurs with about ten models

# Forty small architectures (up to 700 nodes by TorchScript), spread over the corpus and not in the sample.
# The list is fixed, so that two comparisons use the same models. If one exporter cannot export a model, only
# the other is compared.
CORPUS = tuple(
    "aimv2_vision_model apertus bert-generation blip_text_model chinese_clip_vision_model "
    "clipseg_vision_model convbert data2vec-text detr dots1 exaone4 flaubert gemma4_unified_text glmasr "
    "granite_swa helium hy_v3 instructblip kolibri1 lfm2 m2m_100 mellum ministral3 modernbert mra "
    "nomic_bert openai-gpt patchtst pixio pp_ocrv6_small_rec qwen2_moe recurrent_gemma seggpt sew "
    "stablelm starcoder2 umt5 vit_msn xglm xlm-roberta".split()
)


@dataclass(frozen=True)
class Model:
    """One architecture, with the folder of its exports and the folder of derived files."""

    name: str
    number: int
    places: ModelFiles

    @property
    def is_sample(self) -> bool:
        return self.name in CHOICES

    def passes(self) -> Iterator[tuple[str, str]]:
        """The exporters and passes of its descendants."""
        every = list(PASSES)
        for at, exporter in enumerate(EXPORTERS):
            first = (self.number * len(EXPORTERS) + at) * PASSES_PER_MODEL
            for more in range(PASSES_PER_MODEL):
                yield exporter, every[(first + more) % len(every)]


def models(folder: Path) -> list[Model]:
    """All models; `folder` has the files that are made."""
    names = [(name, SAMPLE.resolve()) for name in CHOICES]
    names += [(name, (folder / "corpus").resolve()) for name in CORPUS]
    made = (folder / "made").resolve()
    return [Model(name, at, ModelFiles(name, exports, made)) for at, (name, exports) in enumerate(names)]

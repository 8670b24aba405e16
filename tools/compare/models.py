"""Which models are compared: the sample, and 40 of the corpus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.accuracy.conditions import EXPORTERS, Places
from tools.passes.recipes import PASSES
from tools.sample.choices import CHOICES

SAMPLE = Path("tests/models/sample")
PASSES_PER_MODEL = 2  # of each exporter; all passes in turn, so that each occurs with about ten models

# Forty small architectures (up to 700 nodes by TorchScript), spread over the corpus and not in the sample. A
# fixed list, so that two comparisons are of the same models; one that an exporter cannot do is compared by
# the other.
CORPUS = tuple(
    "aimv2_vision_model apertus bert-generation blip_text_model chinese_clip_vision_model "
    "clipseg_vision_model convbert data2vec-text detr dots1 exaone4 flaubert gemma4_unified_text glmasr "
    "granite_swa helium hy_v3 instructblip kolibri1 lfm2 m2m_100 mellum ministral3 modernbert mra "
    "nomic_bert openai-gpt patchtst pixio pp_ocrv6_small_rec qwen2_moe recurrent_gemma seggpt sew "
    "stablelm starcoder2 umt5 vit_msn xglm xlm-roberta".split()
)


@dataclass(frozen=True)
class Model:
    """One architecture, with the folder of its exports and the one of what is made of them."""

    name: str
    number: int
    places: Places

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
    """All of them; `folder` holds what is made."""
    names = [(name, SAMPLE.resolve()) for name in CHOICES]
    names += [(name, (folder / "corpus").resolve()) for name in CORPUS]
    made = (folder / "made").resolve()
    return [Model(name, at, Places(name, exports, made)) for at, (name, exports) in enumerate(names)]

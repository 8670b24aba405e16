"""Records what only a live model knows, in a file that the core reads.

    from thence.capturing import capture, record_module_map, write

    with record_module_map(model) as scopes:
        torch.onnx.export(model, inputs, "model.onnx", dynamo=False)
    found = capture(model, inputs, sections=("hierarchy", "module_map"), module_map=scopes)
    write(found, "model.capture.json")

There is one file for each section. None of them assigns nodes to modules: the core does that. Every recording
restores the model and torch to their previous state, also after an exception.
"""

from .document import SECTIONS, capture
from .hierarchy import Calls, record_calls
from .module_map import ModuleMap, Unsupported, record_module_map
from .parameters import Fingerprint
from .paths import ModulePaths
from .preserved_state import without_fused_attention
from .running import mark_running_module
from .write import write

__all__ = [
    "SECTIONS",
    "Calls",
    "Fingerprint",
    "ModuleMap",
    "ModulePaths",
    "Unsupported",
    "capture",
    "mark_running_module",
    "record_calls",
    "record_module_map",
    "without_fused_attention",
    "write",
]

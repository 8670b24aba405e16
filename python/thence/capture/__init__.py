"""What only a live model can tell, written down for the core.

    from thence.capture import capture, record_module_map, write

    with record_module_map(model) as scopes:
        torch.onnx.export(model, inputs, "model.onnx", dynamo=False)
    found = capture(model, inputs, sections=("hierarchy", "module_map"), module_map=scopes)
    write(found, "model.capture.json")

One file for each source; none of them decides which node belongs to which module, that is the core's.
Every source leaves the model and torch as it found them, whatever happens in between.
"""

from .as_found import without_fused_attention
from .document import SECTIONS, capture
from .hierarchy import Calls, record_calls
from .module_map import ModuleMap, Unsupported, record_module_map
from .parameters import Fingerprint
from .running import marked
from .write import write

__all__ = [
    "SECTIONS",
    "Calls",
    "Fingerprint",
    "ModuleMap",
    "Unsupported",
    "capture",
    "marked",
    "record_calls",
    "record_module_map",
    "without_fused_attention",
    "write",
]

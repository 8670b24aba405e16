"""A saved model as a reference: its modules and parameters, without running it or loading its weights.

folder or config.json
  -> source             the configuration, checked before torch is imported
  -> safetensors_files  which tensors the files have, by their headers
  -> blueprint          the modules, on the meta device
  -> key_mapping        which tensors become which parameter when transformers loads them
  -> describe           a capture with the sections `hierarchy` and `weights`
"""

from .describe import describe

__all__ = ["describe"]

"""Reads inputs of a model from a file of numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .errors import BAD_INPUT, Error


def read_npz(path: Path) -> dict[str, Any]:
    """The arrays of a file by name. Raises Error K007 if it is not such a file."""
    import numpy as np

    hint = "write it with numpy.savez(FILE, input_name=array, ...)"
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except AttributeError as error:  # a single array, as numpy.save writes it, has no names
        raise Error(BAD_INPUT, "K007", f"{path}: cannot be read as .npz: it has no names", hint) from error
    except ValueError as error:  # numpy takes other files for pickles, and its text advises to load them
        text = f"{path}: cannot be read as .npz: it is no archive of arrays"
        raise Error(BAD_INPUT, "K007", text, hint) from error
    except (OSError, EOFError, TypeError) as error:
        raise Error(BAD_INPUT, "K007", f"{path}: cannot be read as .npz: {error}", hint) from error
    except Exception as error:  # zipfile's errors have no common base class
        raise Error(BAD_INPUT, "K007", f"{path}: is damaged: {error}", "write it again") from error

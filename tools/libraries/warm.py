"""Imported by the server of processes (tools/corpus/isolated.py): imports the libraries once."""

from .architectures import architectures, load_object
from .environment import enable_libraries

enable_libraries()
for one in architectures():
    load_object(one.make)

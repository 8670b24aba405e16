// Nothing: a precompiled header needs a source file to be compiled for.

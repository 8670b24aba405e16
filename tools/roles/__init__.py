"""Roles of modules, measured on modules that were labelled from the modelling code."""

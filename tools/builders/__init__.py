"""Measures the answers on ONNX files that no PyTorch exporter wrote, but tools that build graphs by hand."""

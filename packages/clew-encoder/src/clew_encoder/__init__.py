"""A small encoder for Clew: what sentences are, how statements stand to each other, and embeddings. Files, no code."""

from pathlib import Path

MODEL = Path(__file__).with_name("encoder.onnx")
TOKENIZER = Path(__file__).with_name("tokenizer.json")

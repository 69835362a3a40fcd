#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes the loss of the English model on one row of its text, with a cache that evicts, in FP32 (needs numpy).

    tools/english_reference.py [DATA] --row 18 --policy aep --weights int8

It shares no code with Levee, so Levee's perplexities (scenarios/kelle/studies/english.md) can be compared with it for
any policy and budget. With `--weights int8` it rounds the weights as `levee import` does. DATA has the model's folder
and val_20k.txt (default: ../shared/data/english20m next to the tree).
"""
import argparse
import json
import pathlib
import re
import struct

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
SEPARATOR = "<|endoftext|>"
FP32 = np.float32
WIDTH = 512  # greatest common divisor of the matrices' widths, 512 and 1024


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=pathlib.Path, default=ROOT.parent / "shared/data/english20m")
    parser.add_argument("--row", type=int, default=0, help="row of val_20k.txt, from 0")
    parser.add_argument("--policy", choices=["full", "streaming", "h2o", "aep"], default="full")
    parser.add_argument("--budget", type=int, default=128, help="tokens that each head keeps")
    parser.add_argument("--window", type=int, default=64, help="recent tokens that are not evicted (h2o, aep)")
    parser.add_argument("--sinks", type=int, default=10, help="first tokens that are not evicted (streaming, aep)")
    parser.add_argument("--weights", choices=["fp32", "int8"], default="fp32")
    parser.add_argument("--group", type=int, default=0, help="weights that share a scale (int8); 0: a row")
    options = parser.parse_args()
    missing = [name for name in ("config.json", "val_20k.txt", "tokenizer.model") if not (options.data / name).exists()]
    if missing:
        parser.error(f"{options.data} has no {missing[0]}; expected the model's folder with val_20k.txt")
    if options.group < 0 or options.group and WIDTH % options.group:
        parser.error(f"--group is {options.group}; expected 0 or a divisor of {WIDTH}, so that groups fill each row")
    return options


# Tokens: SentencePiece's BPE, without normalisation.


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def messages(data):
    """Yields the number and the value of each field of a protobuf message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = (4, at) if key & 7 == 5 else varint(data, at)
            value, at = data[at : at + size], at + size
        yield key >> 3, value


def read_pieces(path):
    """Returns the id and the score of each piece."""
    pieces = [dict(messages(value)) for field, value in messages(path.read_bytes()) if field == 1]
    return {
        piece[1].decode(): (number, struct.unpack("<f", piece.get(2, bytes(4)))[0])
        for number, piece in enumerate(pieces)
    }


def encode(text, pieces):
    ids = [pieces["<s>"][0]]
    for line in re.findall(r"\n|[^\n]+", " " + text):
        symbols = list(line.replace(" ", "\u2581"))
        while True:
            pairs = [(pieces[pair][1], -i) for i, pair in enumerate(map("".join, zip(symbols, symbols[1:]))) if pair in pieces]
            if not pairs:
                break
            first = -max(pairs)[1]
            symbols[first : first + 2] = ["".join(symbols[first : first + 2])]
        for symbol in symbols:
            names = [symbol] if symbol in pieces else [f"<0x{byte:02X}>" for byte in symbol.encode()]
            ids += [pieces[name][0] for name in names]
    return ids


# The model: Llama, with an eviction by head after each token.


def read_tensors(folder):
    tensors = {}
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    for name in sorted(set(index["weight_map"].values())):
        data = (folder / name).read_bytes()
        start = 8 + struct.unpack("<Q", data[:8])[0]
        for tensor, entry in json.loads(data[8:start]).items():
            if tensor != "__metadata__":
                first, last = (start + offset for offset in entry["data_offsets"])
                tensors[tensor] = np.frombuffer(data[first:last], np.float16).astype(FP32).reshape(entry["shape"])
    return tensors


def rounded_to_int8(matrix, group):
    """Returns the matrix after rounding to 8 bits, with a scale for each row or for each group of a row."""
    parts = matrix.reshape(matrix.shape[0], -1, group or matrix.shape[1])
    scales = np.abs(parts).max(-1, keepdims=True) / FP32(127)
    scales[scales == 0] = 1
    return (np.rint(parts / scales) * scales).reshape(matrix.shape).astype(FP32)


def normed(x, weight, epsilon):
    return x / np.sqrt((x * x).mean() + FP32(epsilon)) * weight


def rotated(x, position, theta):
    half = x.shape[1] // 2
    angles = position * theta ** (-np.arange(half) / half)
    cosine, sine = np.cos(angles).astype(FP32), np.sin(angles).astype(FP32)
    low, high = x[:, :half], x[:, half:]
    return np.concatenate([low * cosine - high * sine, high * cosine + low * sine], 1)


class Cache:
    """Keys, values, positions and scores of one layer, by head and slot. Slot `count` is free for a new token."""

    def __init__(self, heads, slots, dimensions, options):
        self.keys = np.zeros((heads, slots, dimensions), FP32)
        self.values = np.zeros_like(self.keys)
        self.positions = np.zeros((heads, slots), int)
        self.scores = np.zeros((heads, slots), FP32)
        self.count = 0
        self.options = options

    def attend(self, query, key, value, position):
        """Adds the token of this position, returns the result of its attention, and evicts if the cache is full."""
        last = self.count
        self.keys[:, last], self.values[:, last] = key, value
        self.positions[:, last], self.scores[:, last] = position, 0
        logits = np.einsum("hd,hnd->hn", query, self.keys[:, : last + 1]) / FP32(np.sqrt(query.shape[1]))
        weights = np.exp(logits - logits.max(1, keepdims=True))
        weights /= weights.sum(1, keepdims=True)
        self.scores[:, : last + 1] += weights
        result = np.einsum("hn,hnd->hd", weights, self.values[:, : last + 1])
        if self.options.policy == "full" or last < self.options.budget:
            self.count += 1
        else:
            self.evict(position)
        return result.reshape(-1)

    def evict(self, position):
        """Moves the new token into the slot of each head's victim. Of equal scores the earliest token's is the victim."""
        last, policy = self.count, self.options.policy
        for head in range(len(self.keys)):
            positions = self.positions[head, : last + 1]
            is_sink = (positions < self.options.sinks) & (policy != "h2o")
            is_recent = (positions > position - self.options.window) & (policy != "streaming")
            scores = positions if policy == "streaming" else self.scores[head, : last + 1]
            victim = np.lexsort((positions, np.where(is_sink | is_recent, np.inf, scores)))[0]
            for part in self.keys, self.values, self.positions, self.scores:
                part[head, victim] = part[head, last]


def losses(ids, shape, tensors, options):
    """Returns the loss of each prediction, in nats."""
    heads, layers = shape["num_attention_heads"], shape["num_hidden_layers"]
    dimensions, epsilon = shape["head_dim"], shape["rms_norm_eps"]
    caches = [Cache(heads, len(ids) + 1, dimensions, options) for _ in range(layers)]
    embedding = tensors["model.embed_tokens.weight"]
    result = []
    for position, (token, target) in enumerate(zip(ids, ids[1:])):
        x = embedding[token]
        for layer, cache in enumerate(caches):
            weight = lambda name: tensors[f"model.layers.{layer}.{name}.weight"]
            y = normed(x, weight("input_layernorm"), epsilon)
            query, key, value = ((weight(f"self_attn.{name}_proj") @ y).reshape(heads, dimensions) for name in "qkv")
            query, key = (rotated(part, position, shape["rope_theta"]) for part in (query, key))
            x = x + weight("self_attn.o_proj") @ cache.attend(query, key, value, position)
            y = normed(x, weight("post_attention_layernorm"), epsilon)
            gate = weight("mlp.gate_proj") @ y
            x = x + weight("mlp.down_proj") @ (gate / (1 + np.exp(-gate)) * (weight("mlp.up_proj") @ y))
        logits = embedding @ normed(x, tensors["model.norm.weight"], epsilon)
        logits -= logits.max()
        result.append(float(np.log(np.exp(logits).sum()) - logits[target]))
    return result


def main():
    options = arguments()
    shape = json.loads((options.data / "config.json").read_text())
    rows = (options.data / "val_20k.txt").read_text().split(SEPARATOR)
    if not 0 <= options.row < len(rows):
        raise SystemExit(f"--row is {options.row}; val_20k.txt has the rows 0 to {len(rows) - 1}")
    ids = encode(rows[options.row].strip("\n"), read_pieces(options.data / "tokenizer.model"))
    tensors = read_tensors(options.data)
    if options.weights == "int8":
        tensors = {name: rounded_to_int8(tensor, options.group) if tensor.ndim == 2 else tensor for name, tensor in tensors.items()}
    row = losses(ids, shape, tensors, options)
    mean = sum(row) / len(row)
    print(f"{len(row)} predictions, {mean:.5f} nats each, perplexity {np.exp(mean):.4f}")


if __name__ == "__main__":
    main()

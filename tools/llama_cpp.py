#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Levee and llama.cpp on one GGUF file: tokens of a text, most probable next tokens, and perplexity.

    tools/llama_cpp.py MODEL TEXT --modules FOLDER [--out DIR] [--tokens N] [--weights TYPE] [--levee PROGRAM]

MODEL is a GGUF file. It may also be a Llama's folder in the form of transformers (with tokenizer.model), from
which the program first makes a GGUF file. TEXT has documents separated by <|endoftext|>. FOLDER has node_modules
with node-llama-cpp, whose bindings contain llama.cpp itself:

    npm install --prefix FOLDER --ignore-scripts node-llama-cpp

llama.cpp encodes the documents and evaluates their first N tokens after BOS, at most one context of each, on the
CPU. Levee imports the same file and scores the same text, token by token, with a cache that keeps everything.
The output is the number of tokens on which both encoders agree, the share of positions with the same most
probable token, and both perplexities.
"""

import argparse
import array
import json
import math
import pathlib
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SEPARATOR = "<|endoftext|>"
MAGIC, VERSION, ALIGNMENT = b"GGUF", 3, 32
U32, F32, BOOL, STRING, ARRAY = 4, 6, 7, 8, 9  # Types of a key's value.
TENSOR_F32, TENSOR_F16 = 0, 1


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("text", type=pathlib.Path)
    parser.add_argument("--modules", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out" / "llama_cpp")
    parser.add_argument("--tokens", type=int, default=2000)
    parser.add_argument("--weights", default="int8")
    parser.add_argument("--levee", type=pathlib.Path, default=ROOT / "levee")
    return parser.parse_args()


def fields(data):
    """Returns fields of a message in Protocol Buffers' wire format: number, and value or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
        else:
            size = {1: 8, 5: 4}.get(kind)
            size = varint() if size is None else size
            yield key >> 3, data[at:at + size]
            at += size


def pieces_of(model):
    """Returns text, score and type of each piece of a tokenizer.model."""
    for number, message in fields(model):
        if number == 1:
            piece = dict(fields(message))
            yield piece[1].decode(), struct.unpack("<f", piece.get(2, bytes(4)))[0], piece.get(3, 1)


class Gguf:
    """A GGUF file of version 3, written sequentially."""

    def __init__(self):
        self.keys, self.tensors = [], []

    def put(self, key, kind, value):
        self.keys.append(self.text(key) + struct.pack("<I", kind) + self.value(kind, value))

    def put_all(self, key, kind, values):
        head = struct.pack("<IIQ", ARRAY, kind, len(values))
        self.keys.append(self.text(key) + head + b"".join(self.value(kind, value) for value in values))

    @staticmethod
    def text(value):
        raw = value.encode()
        return struct.pack("<Q", len(raw)) + raw

    def value(self, kind, value):
        if kind == STRING:
            return self.text(value)
        return struct.pack({U32: "<I", F32: "<f", BOOL: "<?", 5: "<i"}[kind], value)

    def write(self, path):
        info, offset = b"", 0
        for name, shape, kind, data in self.tensors:
            info += self.text(name) + struct.pack("<I", len(shape))
            info += b"".join(struct.pack("<Q", side) for side in reversed(shape))
            info += struct.pack("<IQ", kind, offset)
            offset += (len(data) + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
        head = MAGIC + struct.pack("<IQQ", VERSION, len(self.tensors), len(self.keys))
        head += b"".join(self.keys) + info
        with open(path, "wb") as file:
            file.write(head + bytes(-len(head) % ALIGNMENT))
            for *_, data in self.tensors:
                file.write(data + bytes(-len(data) % ALIGNMENT))


NAMES = {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q",
         "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
         "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}


def converted_name(name):
    part = name.removeprefix("model.").removesuffix(".weight")
    if part.startswith("layers."):
        _, layer, rest = part.split(".", 2)
        return f"blk.{layer}.{NAMES[rest]}.weight"
    return {"embed_tokens": "token_embd", "norm": "output_norm", "lm_head": "output"}[part] + ".weight"


def stored_tensors(folder):
    """Returns name, type, shape and bytes of each tensor of all safetensors files."""
    for path in sorted(folder.glob("*.safetensors")):
        data = path.read_bytes()
        size = struct.unpack("<Q", data[:8])[0]
        for name, entry in json.loads(data[8:8 + size]).items():
            if name != "__metadata__":
                begin, end = (8 + size + offset for offset in entry["data_offsets"])
                yield name, entry["dtype"], entry["shape"], data[begin:end]


def paired(data, rows, width):
    """Reorders rows so that a head's halves are neighbours, since llama.cpp rotates neighbours in a Llama."""
    size = len(data) // rows
    moved = []
    for row in range(rows):
        inside = row % width
        source = row - inside + inside // 2 + inside % 2 * (width // 2)
        moved.append(data[source * size:(source + 1) * size])
    return b"".join(moved)


def add_tensor(file, config, name, kind, shape, data):
    if kind not in ("F16", "F32"):
        sys.exit(f"{name}: type {kind}, expected F16 or F32")
    if len(shape) == 1 and kind == "F16":  # llama.cpp expects vectors in FP32
        data = array.array("f", struct.unpack(f"<{shape[0]}e", data)).tobytes()
        kind = "F32"
    heads = {"q_proj": "num_attention_heads", "k_proj": "num_key_value_heads"}
    for part, key in heads.items():
        if part in name:
            data = paired(data, shape[0], shape[0] // config[key])
    file.tensors.append((converted_name(name), shape, TENSOR_F32 if kind == "F32" else TENSOR_F16, data))


def convert(folder, path):
    """Makes a GGUF file from a Llama's folder written by transformers."""
    config = json.loads((folder / "config.json").read_text())
    if config["model_type"] != "llama":
        sys.exit(f"{folder}: model_type {config['model_type']}, expected llama, or a GGUF file")
    file = Gguf()
    file.put("general.architecture", STRING, "llama")
    for key, name in (("context_length", "max_position_embeddings"), ("embedding_length", "hidden_size"),
                      ("block_count", "num_hidden_layers"), ("feed_forward_length", "intermediate_size"),
                      ("attention.head_count", "num_attention_heads"),
                      ("attention.head_count_kv", "num_key_value_heads")):
        file.put("llama." + key, U32, config[name])
    file.put("llama.rope.dimension_count", U32, config["hidden_size"] // config["num_attention_heads"])
    file.put("llama.attention.layer_norm_rms_epsilon", F32, config["rms_norm_eps"])
    file.put("llama.rope.freq_base", F32, config["rope_theta"])
    texts, scores, types = zip(*pieces_of((folder / "tokenizer.model").read_bytes()))
    file.put("tokenizer.ggml.model", STRING, "llama")
    file.put_all("tokenizer.ggml.tokens", STRING, texts)
    file.put_all("tokenizer.ggml.scores", F32, scores)
    file.put_all("tokenizer.ggml.token_type", 5, types)
    for key in ("bos", "eos"):
        file.put(f"tokenizer.ggml.{key}_token_id", U32, config[f"{key}_token_id"])
    file.put("tokenizer.ggml.add_bos_token", BOOL, True)
    for tensor in stored_tensors(folder):
        add_tensor(file, config, *tensor)
    file.write(path)


def reference(model, text, options):
    """Returns llama.cpp's results: tokens of each document, most probable next tokens, and log-probabilities."""
    documents = [part.strip() for part in text.read_text().split(SEPARATOR)]
    request = {"model": str(model.resolve()), "documents": [part for part in documents if part],
               "tokens": options.tokens}
    (options.out / "request.json").write_text(json.dumps(request))
    script = options.modules / "llama_cpp.mjs"  # node looks for the bindings relative to this file
    script.write_text((ROOT / "tools" / "llama_cpp.mjs").read_text())
    run = subprocess.run(["node", script.name, str((options.out / "request.json").resolve())], cwd=options.modules,
                         stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(run.stdout)


def ours(model, text, options):
    """Returns Levee's vectors of logits, one after another."""
    image = options.out / "model.levee"
    subprocess.run([options.levee, "import", "gguf", model, "-o", image, "--weights", options.weights], check=True)
    out = options.out / "run"
    sets = {"model.image": image, "observe": "{logits: logits.bin}",
            "workload": f"{{app: perplexity, text_file: {text.resolve()}, max_tokens: {options.tokens}}}"}
    command = [options.levee, "run", "demo", "--quiet", "--no-report", "--out", out]
    for key, value in sets.items():
        command += ["--set", f"{key}={value}"]
    subprocess.run(command, check=True)
    logits = array.array("f")
    logits.frombytes((out / "logits.bin").read_bytes())
    return logits


def compare(found, logits):
    """Returns the agreement and both perplexities, over the positions that both have scored."""
    vocab, at, same, losses = found["vocab"], 0, 0, [0.0, 0.0]
    for document in found["documents"]:
        for position, token in enumerate(document["tokens"][1:]):
            vector = logits[at * vocab:(at + 1) * vocab]
            if len(vector) != vocab:
                sys.exit(f"Levee gave {len(logits) // vocab} logits vectors, fewer than llama.cpp: "
                         "the two encode the text otherwise")
            largest = max(vector)
            same += vector.index(largest) == document["best"][position]
            losses[0] += largest + math.log(sum(math.exp(value - largest) for value in vector)) - vector[token]
            losses[1] -= document["log"][position]
            at += 1
    return at, same, [math.exp(loss / at) for loss in losses]


def main():
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    model = options.model
    if model.is_dir():
        model = options.out / (options.model.name + ".gguf")
        convert(options.model, model)
    found = reference(model, options.text, options)
    logits = ours(model, options.text, options)
    count, same, (own, other) = compare(found, logits)
    print(f"llama.cpp, release {found['version']}, {count} tokens of {options.text.name}, weights {options.weights}")
    print(f"most probable token the same: {same} of {count} ({100 * same / count:.2f} %)")
    print(f"perplexity: Levee {own:.4f}, llama.cpp {other:.4f} (ratio {own / other:.5f})")


if __name__ == "__main__":
    main()

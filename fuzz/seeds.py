#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of a harness. They are files of this tree, small files made here, and those of fuzz/seeds/HARNESS
and fuzz/regressions/HARNESS.

seeds.py --harness NAME --to FOLDER          writes them to a folder, for tools/fuzz.sh
seeds.py --harness NAME --replay PROGRAM     runs replay_NAME on them, for CTest
"""
import argparse
import gzip
import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
# For each harness: the name prefix of seeds that must be accepted without a message.
ACCEPTED = {"prices": "scenarios_", "recording": "no_facts", "chat_template": "taken_"}
MOST_BYTES = 64 << 10  # Largest seed from a file of the tree: mutants of larger seeds take too long to run.


def tree_files(pattern, change=lambda text: text):
    """Returns files of the tree by name, with changes."""
    for file in sorted(TREE.glob(pattern)):
        if file.is_file() and file.stat().st_size <= MOST_BYTES:
            name = "_".join(file.relative_to(TREE).parts)
            yield name, change(file.read_text(encoding="utf-8")).encode()


def yaml():
    yield from tree_files("scenarios/**/*.yaml")


def scenario():
    yield from tree_files("scenarios/*.yaml")
    for folder in ("kelle", "veda", "cambricon", "pim", "hybrids"):
        beside = lambda text, folder=folder: re.sub(  # noqa: E731
            r"(: |\[)((?!\.\./)[\w/]+\.yaml)", lambda found: found[1] + shipped(folder, found[2]), text)
        yield from tree_files(f"scenarios/{folder}/*.yaml", beside)


def shipped(folder, name):
    """Returns a file's name in the folder of the shipped scenarios."""
    return f"{folder}/{name}" if (TREE / "scenarios" / folder / name).exists() else name


def study():
    yield from tree_files("scenarios/**/studies/**/*.yaml", lambda text: re.sub(
        r"(?m)^(\s*)scenario: .*", r"\1scenario: base.yaml", text))


def condition():
    for text in ("edram <= 8 MiB and (policy == aerp or kv_cache.budget > 2 * kv_cache.recent_window)",
                 "not policy == 'full' or edram >= 4 MiB", "policy != window", "-edram + 1 MiB < 2 MiB / 2",
                 "time(a) < 2 * time(b)", "tokens_per_s(x) - 0.5 >= -1e3", "seed == 3 or seed != 4"):
        yield text.split()[0].replace("/", "_") + str(len(text)), text.encode()


def llama2c():
    shape = (8, 16, 1, 2, 1, 300, 16)  # dim, hidden, layers, heads, kv_heads, vocab, context
    dim, hidden, layers, heads, kv_heads, vocab, context = shape
    kv = dim // heads * kv_heads
    values = (vocab * dim + layers * (2 * dim + 2 * dim * dim + 2 * dim * kv + 3 * dim * hidden) + dim
              + context * dim // heads)
    floats = b"".join(struct.pack("<f", (i * 37 % 64 - 32) / 64) for i in range(values))
    model = struct.pack("<7i", *shape) + floats
    tokens = [b"<unk>", b"<s>", b"</s>"] + [b"<0x%02X>" % i for i in range(256)]
    tokens += [bytes([97 + i]) for i in range(26)] + [b" ", b"th", b"the", b" a"]
    tokens += [b"t%d" % i for i in range(vocab - len(tokens))]
    tokenizer = struct.pack("<i", 8) + b"".join(
        struct.pack("<fi", -float(i), len(token)) + token for i, token in enumerate(tokens))
    yield "version0", struct.pack("<I", len(model)) + model + tokenizer


class Gguf:
    """Writes a GGUF file according to the specification."""

    TYPES = {int: 4, float: 6, bool: 7, str: 8, list: 9}
    BLOCKS = {0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 10: (256, 84),
              11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 20: (32, 18), 23: (256, 136), 30: (1, 2),
              34: (256, 54), 35: (256, 66), 39: (32, 17)}

    def __init__(self):
        self.keys, self.tensors = [], []

    @staticmethod
    def string(text):
        return struct.pack("<Q", len(text.encode())) + text.encode()

    def value(self, value):
        if isinstance(value, list):
            return struct.pack("<IQ", self.TYPES[type(value[0])], len(value)) + b"".join(map(self.value, value))
        if isinstance(value, str):
            return self.string(value)
        return struct.pack("<?" if isinstance(value, bool) else "<f" if isinstance(value, float) else "<I", value)

    def key(self, name, value):
        self.keys.append(self.string(name) + struct.pack("<I", self.TYPES[type(value)]) + self.value(value))

    def tensor(self, name, kind, *dimensions):
        self.tensors.append((name, kind, dimensions))

    def bytes(self):
        infos, data = b"", b""
        for name, kind, dimensions in self.tensors:
            values, size = self.BLOCKS[kind]
            count = 1
            for dimension in dimensions:
                count *= dimension
            infos += self.string(name) + struct.pack(f"<I{len(dimensions)}Q", len(dimensions), *dimensions)
            infos += struct.pack("<IQ", kind, len(data))
            data += bytes([60 if i % 2 else i * 7 % 256 for i in range(count // values * size)])
            data += bytes(-len(data) % 32)
        head = b"GGUF" + struct.pack("<IQQ", 3, len(self.tensors), len(self.keys)) + b"".join(self.keys) + infos
        return head + bytes(-len(head) % 32) + data


def gguf_model(architecture, kind, tokenizer):
    file, dim, hidden, vocab = Gguf(), 32, 32, 300 if tokenizer else 16
    file.key("general.architecture", architecture)
    file.key("general.name", "small")
    for key, value in {"embedding_length": dim, "feed_forward_length": hidden, "block_count": 1, "context_length": 16,
                       "attention.head_count": 2, "attention.head_count_kv": 1, "rope.dimension_count": 16,
                       "vocab_size": vocab, "attention.layer_norm_rms_epsilon": 1e-5, "rope.freq_base": 10000.0}.items():
        file.key(f"{architecture}.{key}", value)
    if tokenizer:
        tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{i:02X}>" for i in range(256)] + ["\u2581", "a", "b", "ab"]
        tokens += [f"t{i}" for i in range(vocab - len(tokens))]
        file.key("tokenizer.ggml.model", "llama")
        file.key("tokenizer.ggml.tokens", tokens)
        file.key("tokenizer.ggml.scores", [-float(i) for i in range(vocab)])
        file.key("tokenizer.ggml.token_type", [2, 3, 3] + [6] * 256 + [1] * (vocab - 259))
        file.key("tokenizer.ggml.bos_token_id", 1)
        file.key("tokenizer.ggml.eos_token_id", 2)
        file.key("tokenizer.ggml.add_bos_token", True)
    file.tensor("token_embd.weight", kind, dim, vocab)
    file.tensor("output_norm.weight", 0, dim)
    for name, rows in {"attn_q": 32, "attn_k": 16, "attn_v": 16, "attn_output": 32, "ffn_gate": 32, "ffn_up": 32,
                       "ffn_down": 32}.items():
        file.tensor(f"blk.0.{name}.weight", kind, dim, rows)
        if architecture == "qwen2" and name in ("attn_q", "attn_k", "attn_v"):
            file.tensor(f"blk.0.{name}.bias", 0, rows)
    for name in ("attn_norm", "ffn_norm"):
        file.tensor(f"blk.0.{name}.weight", 0, dim)
    return file.bytes()


def gguf():
    yield "llama_q4_0", gguf_model("llama", 2, True)
    yield "llama_f16", gguf_model("llama", 1, False)
    yield "qwen2_q8_0", gguf_model("qwen2", 8, False)
    for kind, (values, _) in Gguf.BLOCKS.items():
        file = Gguf()
        file.key("general.architecture", "llama")
        file.tensor("blocks", kind, values, 2)
        yield f"type_{kind}", file.bytes()


def safetensors():
    table = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, kind, shape, size in (("a.weight", "F32", [2, 3], 24), ("b", "BF16", [4], 8), ("c", "F16", [], 2),
                                    ("d", "I64", [1, 1], 8), ("e", "U8", [2], 2), ("f", "F32", [0, 4], 0)):
        table[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(table).encode()
    yield "types", struct.pack("<Q", len(text)) + text + bytes(range(at))
    for kind in ("F32", "F8_E4M3", "BOOL"):
        size = 4 if kind == "F32" else 1
        text = json.dumps({"x": {"dtype": kind, "shape": [1], "data_offsets": [0, size]}}).encode()
        yield kind, struct.pack("<Q", len(text)) + text + bytes(size)


def config_json():
    common = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
              "num_key_value_heads": 2, "vocab_size": 512, "max_position_embeddings": 128, "rms_norm_eps": 1e-5,
              "hidden_act": "silu", "rope_theta": 10000.0, "tie_word_embeddings": True, "torch_dtype": "float16"}
    families = {
        "llama": {"rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                   "original_max_position_embeddings": 64}},
        "qwen3": {"head_dim": 16, "attention_bias": False},
        "gemma2": {"head_dim": 16, "hidden_activation": "gelu_pytorch_tanh", "sliding_window": 32,
                   "query_pre_attn_scalar": 16, "attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0},
        "mixtral": {"num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": None},
        "opt": {"ffn_dim": 96, "word_embed_proj_dim": 64, "do_layer_norm_before": True, "activation_function": "relu"},
        "deepseek_v3": {"kv_lora_rank": 16, "q_lora_rank": 24, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8,
                        "v_head_dim": 8, "n_routed_experts": 4, "n_shared_experts": 1, "num_experts_per_tok": 2,
                        "first_k_dense_replace": 1, "moe_intermediate_size": 16, "scoring_func": "sigmoid",
                        "topk_method": "noaux_tc", "n_group": 1, "topk_group": 1, "norm_topk_prob": True,
                        "routed_scaling_factor": 2.5},
        "gpt_oss": {"num_local_experts": 4, "experts_per_token": 2, "sliding_window": 16, "swiglu_limit": 7.0,
                    "quantization_config": {"quant_method": "mxfp4"},
                    "layer_types": ["sliding_attention", "full_attention"]},
        "phi3": {"partial_rotary_factor": 0.5, "original_max_position_embeddings": 64, "eos_token_id": [3, 4]}}
    for family, keys in families.items():
        yield family, json.dumps({"model_type": family, **common, **keys}).encode()


def byte_characters():
    """Returns the characters that represent bytes in byte-level vocabularies."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in shown]
    return {byte: chr(byte if byte in shown else 256 + others.index(byte)) for byte in range(256)}


def tokenizer_json():
    characters = byte_characters()
    vocabulary = {characters[byte]: byte for byte in range(256)} | {"th": 257, "the": 258, "\u0120a": 259}
    added = [{"id": 256, "content": "<|endoftext|>", "special": True, "single_word": False, "lstrip": False,
              "rstrip": True, "normalized": False}]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    split = {"type": "Split", "pattern": {"Regex": "(?i:'s|'t)|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)"},
             "behavior": "Isolated", "invert": False}
    base = {"version": "1.0", "added_tokens": added, "decoder": byte_level, "post_processor": None,
            "model": {"type": "BPE", "vocab": vocabulary, "merges": ["t h", "th e", "\u0120 a"]}}
    yield "byte_level", json.dumps(base | {"normalizer": {"type": "NFC"}, "pre_tokenizer": byte_level}).encode()
    yield "split", json.dumps(base | {"normalizer": None, "pre_tokenizer": {
        "type": "Sequence", "pretokenizers": [split, byte_level | {"use_regex": False}]}}).encode()
    pieces = {"<unk>": 0, "<s>": 1, "</s>": 2} | {f"<0x{i:02X}>": 3 + i for i in range(256)}
    pieces |= {"\u2581": 259, "a": 260, "\u2581a": 261, "aa": 262}
    steps = {"type": "Sequence", "normalizers": [
        {"type": "Prepend", "prepend": "\u2581"}, {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]}
    decoder = {"type": "Sequence", "decoders": [
        {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}
    yield "pieces", json.dumps({
        "version": "1.0", "added_tokens": [], "normalizer": steps, "pre_tokenizer": None, "decoder": decoder,
        "post_processor": None, "model": {"type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True,
                                          "vocab": pieces, "merges": ["\u2581 a", "a a"]}}, ensure_ascii=False).encode()
    meta = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    yield "unigram", json.dumps({
        "version": "1.0", "added_tokens": [], "normalizer": None, "pre_tokenizer": meta, "decoder": meta,
        "post_processor": None, "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": False, "vocab": [
            ["<unk>", 0.0], ["\u2581", -2.0], ["a", -3.0], ["aa", -3.5], ["e", -1.5]]}}, ensure_ascii=False).encode()


def varint(value):
    out = b""
    while value >= 0x80:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def sentencepiece():
    def field(number, content):
        return varint(number << 3 | 2) + varint(len(content)) + content

    def whole(number, value):
        return varint(number << 3) + varint(value)

    def piece(text, score, kind=1):
        return field(1, field(1, text.encode()) + varint(2 << 3 | 5) + struct.pack("<f", score) + whole(3, kind))

    pieces = piece("<unk>", 0, 2) + piece("<s>", 0, 3) + piece("</s>", 0, 3)
    pieces += b"".join(piece(f"<0x{i:02X}>", 0, 6) for i in range(256))
    pieces += piece("\u2581", -1) + piece("a", -2) + piece("aa", -3) + piece("\u2581a", -2.5) + piece("!", -9, 4)
    for kind, name in ((2, "bpe"), (1, "unigram")):
        trainer = whole(3, kind) + whole(35, 1) + whole(40, 0) + whole(41, 1) + whole(42, 2)
        normalizer = field(1, b"identity") + whole(3, 1) + whole(4, 0) + whole(5, 1)
        yield name, pieces + field(2, trainer) + field(3, normalizer)


def image():
    """Yields no seeds, since all are in fuzz/seeds/image."""
    return iter(())


def tokenizer():
    """Makes the tokenizers of images."""
    for file in sorted((TREE / "fuzz" / "seeds" / "image").glob("*.levee")):
        content = file.read_bytes()
        offset, size = struct.unpack_from("<QQ", content, 88)
        yield file.stem, content[offset:offset + size]


def text():
    lines = (TREE / "models" / "embedded" / "held_out.txt").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines[:20]):
        yield f"line{number}", line[:400].encode()
    yield "unicode", "caf\u00e9 e\u0301 \U0001F600 \u2581x\u00a0y 12345 <|end|>  </s>\t\n\n".encode()


def chat_template():
    """Templates with every statement and most functions, and some that are refused."""
    turns = "{%- for m in messages %}{{ '<|' + m['role'] + '|>' }}{{ m.content | trim }}{{ eos_token }}\n{%- endfor %}"
    for name, content in {
            "taken_turns": turns + "{% if add_generation_prompt %}<|assistant|>{% endif %}",
            "taken_system": "{% if messages[0].role == 'system' %}{% set first = messages[0]['content'] %}{% set rest "
                            "= messages[1:] %}{% else %}{% set first = '' %}{% set rest = messages %}{% endif %}{{ bos_token }}"
                            "{% for m in rest %}{% if loop.index0 % 2 == 0 and first %}{{ first ~ m.content }}{% elif "
                            "loop.last is true %}{{ loop.length }}{% else %}{{ loop.revindex }}{% endif %}{% endfor %}",
            "taken_namespace": "{% set ns = namespace(n=0, last=none) %}{% for m in messages | reverse if m.role in ['user'] "
                               "%}{% set ns.n = ns.n + loop.index %}{% if ns.last is none %}{% set ns.last = m %}{% continue "
                               "%}{% endif %}{% break %}{% endfor %}{{ ns.n }}{{ ns.last.content.split('?')[-1] }}",
            "taken_macro": "{% macro put(text, mark='-') %}{{ mark if text else '' }}{{ text | upper }}{% endmacro %}"
                           "{{ put('a') }}{{ put('b', mark='+') }}{% set c %}x {{ 1 }}{% endset %}{{ c }}{# end #}",
            "taken_filters": "{{ messages | map(attribute='role') | join(', ') }}{{ messages | selectattr('role', 'equalto', "
                             "'user') | list | length }}{{ 'abc'[::-1] | capitalize }}{{ tools | default('none', true) }}"
                             "{% for k, v in messages[0].items() %}{{ k.replace('o', '0') }}{{ v.startswith('S') }}{% endfor %}"
                             "{% for i in range(1, 9, 3) %}{{ i // 2 }}{{ -i % 4 }}{% endfor %}",
            "raised": "{{ raise_exception('Roles must alternate') }}", "unclosed": "{% if x %}{{ 1",
            "chain": "{{ 1" + " + 1" * 200 + " }}", "large_step": "{{ 'abc'[1::9223372036854775807] }}",
            "map": "{{ 'ab' | map }}", "namespaces": "{% set a = namespace() %}{% set a.b = a %}"}.items():
        yield name, content.encode()


def elf():
    """Makes an ELF file with a segment, a symbol table, and its names."""
    code = struct.pack("<4I", 0x10500073, 0xFFDFF06F, 0, 0)
    names = b"\0main\0table\0tohost\0"
    sections = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    symbols = bytes(16) + b"".join(struct.pack("<3I2BH", name, value, size, kind, 0, 1) for name, value, size, kind in (
        (1, 0x80000000, 8, 0x12), (6, 0x80000008, 4, 0x11), (12, 0x8000000C, 4, 0x10)))
    at = 52 + 32
    parts = {"code": code, "symbols": symbols, "names": names, "sections": sections}
    offsets = {}
    for name, content in parts.items():
        offsets[name] = at
        at += len(content)
    headers = bytes(40) + struct.pack("<10I", 1, 1, 6, 0x80000000, offsets["code"], 16, 0, 0, 4, 0)
    headers += struct.pack("<10I", 7, 2, 0, 0, offsets["symbols"], len(symbols), 3, 1, 4, 16)
    headers += struct.pack("<10I", 15, 3, 0, 0, offsets["names"], len(names), 0, 0, 1, 0)
    headers += struct.pack("<10I", 23, 3, 0, 0, offsets["sections"], len(sections), 0, 0, 1, 0)
    head = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack(
        "<2H5I6H", 2, 243, 1, 0x80000000, 52, at, 0, 52, 32, 1, 40, 5, 4)
    program = struct.pack("<8I", 1, 84, 0x80000000, 0x80000000, 16, 32, 5, 4)
    yield "sleep", head + program + b"".join(parts.values()) + headers


def recording():
    def string(content):
        return varint(len(content)) + content.encode()

    def write(iteration, shape, rest):
        return varint(iteration) + bytes([1, shape]) + varint(0x120000000) + varint(4) + rest

    facts = varint(2) + string("model.layers") + string("3") + string("prompts") + string("5/5")
    body = b"\1" + varint(0) + string("evictor.queue") + varint(0) + varint(77) + varint(1) + write(0, 0, b"abcd")
    body += b"\1" + varint(0) + varint(1) + varint(78) + varint(1) + write(0, 2, b"")
    body += b"\1" + varint(0) + varint(2) + varint(79) + varint(0)
    body += b"\0" + varint(3)
    for name, content, level in (("level0", facts + body, 0), ("level9", facts + body, 9), ("no_facts", varint(0) + body, 9)):
        yield name, b"LEVEEDEC" + struct.pack("<I", 1) + gzip.compress(content, level, mtime=0)


def journal():
    """Makes records without checksums, in addition to those in fuzz/seeds/journal."""
    yield "no_checksum", b'0123456789abcdef {"key": "x", "metrics": {}}\n{"key": 1}\n'


def ecc():
    for name, format_ in (("small", (256, 8, 8, 10, 9, 2)), ("nibbles", (64, 4, 7, 5, 3, 4)), ("one", (1, 8, 1, 1, 1, 2))):
        yield name, struct.pack("<6H", *format_) + bytes(i * 73 % 256 for i in range(700))


def rtl_description():
    yield "all", b"""files: [adder.sv, parts/table.svh]
top: adder
include: [parts]
defines: {WIDTH: 8}
parameters: {Rows: 4, Depth: Rows}
size: {Rows: 32}
verilator: [-Wno-WIDTH, "-GDepth=4", --x-assign, unique]
pins:
  clk: clk_i
  rst: ~rst_ni
  data: data_i[7:0]
  mode: 3
  done: open
absent: {cmd_chain_i: 0}
"""
    yield "least", b"files: [adder.sv]\ntop: adder\n"


def requests():
    yield "numbers", b"arrival_s,prompt_tokens,new_tokens\n0,16,4\n0.5,3,1\n1e-3,1,0\n"
    yield "words", b"arrival_s,prompt,new_tokens\n0,Once upon a time,4\n0.25,Once,1\n"
    yield "texts", b'\xef\xbb\xbfarrival_s,prompt,new_tokens\n0,"Once upon, ""a"" time",4\n 2 ,Tom,7\n'


def prices():
    """Returns every shipped price list. All of them must be accepted."""
    yield from tree_files("scenarios/tech/energy/*.yaml", lambda text: re.sub(
        r"(: )([\w/]+\.yaml)", lambda found: found[1] + shipped("tech/energy", found[2]), text))
    yield from tree_files("test/component/prices.yaml")


def statistics():
    yield from tree_files("scenarios/tech/decisions/*.yaml")


def script():
    yield "pauses", b"""# every pause and command
at start
  set counter 0 = 5
at time 1.5 us
  flip counter 3 bit 3
at dma COPY nth 2
  set word 0x80000000 = 0x10
at rsa GEMM tag 0x5e1f0003
  show blocks
at pc main nth 3
  halt
at counter 3 >= 7
  set memory 0x80000010 = 01 02 ff
"""


def descriptor():
    for queue in range(16):
        for opcode in (0, 1, 2, 5, 0xFF):
            head = struct.pack("<HBBI4B4I2BBB2H2II", 0x4C44, opcode, 0, 7, *[0xFF] * 4, *[0] * 4, 0xFF, 0xFF, 0, 0, 0, 0,
                               0, 0, 0)
            yield f"queue{queue}_{opcode}", bytes([queue]) + head.ljust(80, b"\0") + struct.pack("<8Q", *[0x100002000] * 8)


def results():
    yield "small", json.dumps({"metrics": {"time.total_s": 0.5, "bound_by": "dram", "host.seconds": 2.0,
                                           "energy.total_j.low": 1, "energy.total_j.high": 2},
                               "warnings": ["a warning"], "scenario": {"system": {"seed": 3, "blocks": {"a": [1, "x"]}}},
                               "levee": "0.2.0"}).encode()


def components():
    yield from scenario()


def gdb():
    for number, packet in enumerate((b"qSupported:xmlRegisters=riscv", b"m80000000,10", b"Z0,80000000,4", b"vCont;c:1",
                                     b"qXfer:features:read:target.xml:0,fff", b"X80000000,4:}\x03ab", b"g", b"P20=00000080")):
        yield f"packet{number}", b"+$" + packet + b"#%02x" % (sum(packet) % 256)


def made(harness, folder):
    """Writes the seeds of a harness that are not tracked by git."""
    for name, content in globals()[harness]():
        (folder / name).write_bytes(content)


def expect_acceptance(harness, folder):
    """Writes empty .expects files, which mean that the seed must be accepted
    (fuzz/replay.cpp)."""
    if harness in ACCEPTED:
        for file in list(folder.glob(ACCEPTED[harness] + "*")):
            (folder / (file.name + ".expects")).touch()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--harness", required=True)
    parser.add_argument("--to", type=Path)
    parser.add_argument("--replay", type=Path)
    options = parser.parse_args()
    tracked = [folder for kind in ("seeds", "regressions")
               if (folder := TREE / "fuzz" / kind / options.harness).is_dir()]
    if options.to:
        options.to.mkdir(parents=True, exist_ok=True)
        made(options.harness, options.to)
        for folder in tracked:
            for file in folder.iterdir():
                if file.suffix != ".expects":
                    shutil.copy(file, options.to / file.name)
        return 0
    with tempfile.TemporaryDirectory(prefix="levee-seeds-") as name:
        folder = Path(name)
        made(options.harness, folder)
        expect_acceptance(options.harness, folder)
        paths = tracked + ([folder] if any(folder.iterdir()) else [])
        return subprocess.run([options.replay, *paths], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

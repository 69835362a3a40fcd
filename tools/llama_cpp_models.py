#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes GGUF files of many families for tools/llama_cpp.py from one trained Llama (needs numpy).

    tools/llama_cpp_models.py MODEL FOLDER [NAME ...]

MODEL is a folder in the form of transformers (a Llama without grouped queries, tied, with tokenizer.model).
FOLDER receives NAME.gguf of each named family, or of all. The program invents the parts that a family has and a
Llama lacks, from a seed: norms of heads, biases, sinks, routers, and experts, which are the trained network with
noise. Some of these models are bad, but both programs compute the same model. Matrices are FP32 values of INT8
rows, so that an import changes no weight.
"""

import pathlib
import sys

import llama_cpp as gguf

try:
    import numpy
except ImportError:
    sys.exit("llama_cpp_models.py: no numpy (Debian's python3-numpy, for /usr/bin/python3)")

LLAMA = {"attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
         "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
         "ffn_down": "mlp.down_proj", "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}
NETWORK = ("ffn_gate", "ffn_up", "ffn_down")
AFTER = ("post_attention_norm", "post_ffw_norm")


class Trained:
    """The Llama from which all files are made."""

    def __init__(self, folder):
        self.config = gguf.json.loads((folder / "config.json").read_text())
        types = {"F16": numpy.float16, "F32": numpy.float32}
        self.tensors = {name: numpy.frombuffer(data, types[kind]).reshape(shape).astype(numpy.float32)
                        for name, kind, shape, data in gguf.stored_tensors(folder)}
        self.pieces = list(gguf.pieces_of((folder / "tokenizer.model").read_bytes()))
        self.dim, self.heads = self.config["hidden_size"], self.config["num_attention_heads"]
        self.layers, self.embedding = self.config["num_hidden_layers"], self.tensors["model.embed_tokens.weight"]

    def of_layer(self, layer, name):
        return self.tensors[f"model.layers.{layer}.{LLAMA[name]}.weight"]


class Model:
    """A file under construction."""

    def __init__(self, trained, name, architecture, keys, pairs=False):
        self.trained, self.architecture, self.pairs = trained, architecture, pairs
        self.random = numpy.random.default_rng(sum(map(ord, name)))
        self.file, width = gguf.Gguf(), trained.dim // trained.heads
        self.file.put("general.architecture", gguf.STRING, architecture)
        defaults = {"context_length": trained.config["max_position_embeddings"], "embedding_length": trained.dim,
                    "block_count": trained.layers, "feed_forward_length": trained.config["intermediate_size"],
                    "attention.head_count": trained.heads, "attention.head_count_kv": trained.heads,
                    "attention.key_length": width, "attention.value_length": width,
                    "rope.dimension_count": width, "rope.freq_base": float(trained.config["rope_theta"]),
                    "attention.layer_norm_rms_epsilon": 1e-5}
        for key, value in {**defaults, **keys}.items():
            kind = {bool: gguf.BOOL, int: gguf.U32, float: gguf.F32, str: gguf.STRING}[type(value)]
            self.file.put(f"{architecture}.{key}", kind, value)
        texts, scores, types = zip(*trained.pieces)
        self.file.put("tokenizer.ggml.model", gguf.STRING, "llama")
        self.file.put_all("tokenizer.ggml.tokens", gguf.STRING, texts)
        self.file.put_all("tokenizer.ggml.scores", gguf.F32, scores)
        self.file.put_all("tokenizer.ggml.token_type", 5, types)
        for key in ("bos", "eos"):
            self.file.put(f"tokenizer.ggml.{key}_token_id", gguf.U32, trained.config[f"{key}_token_id"])
        self.file.put("tokenizer.ggml.add_bos_token", gguf.BOOL, True)

    def put(self, name, values):
        values = numpy.asarray(values, numpy.float32)
        if values.ndim > 1:
            scale = numpy.abs(values).max(-1, keepdims=True) / 127
            values = (numpy.round(values / scale) * scale).astype(numpy.float32)
        self.file.tensors.append((name, values.shape, gguf.TENSOR_F32, values.tobytes()))

    def drawn(self, deviation, *shape):
        return deviation * self.random.standard_normal(shape)

    def ends(self, embedding=1.0, norm=1.0, tied=False):
        self.put("token_embd.weight", self.trained.embedding * embedding)
        self.put("output_norm.weight", self.trained.tensors["model.norm.weight"] * norm)
        if not tied:
            self.put("output.weight", self.trained.embedding)

    def layer(self, layer, without=(), factors=None):
        for name in LLAMA:
            if name in without:
                continue
            values = self.trained.of_layer(layer, name) * (factors or {}).get(name, 1.0)
            if self.pairs and name in ("attn_q", "attn_k"):  # llama.cpp's converters write these rows in this order
                heads = self.trained.heads
                values = values.reshape(heads, 2, -1, values.shape[1]).swapaxes(1, 2).reshape(values.shape)
            self.put(f"blk.{layer}.{name}.weight", values)

    def norms(self, layer, width, names=("attn_q_norm", "attn_k_norm"), least=1.0, most=1.6):
        for name in names:
            self.put(f"blk.{layer}.{name}.weight", self.random.uniform(least, most, width))

    def biases(self, layer, names, deviation):
        for name in names:
            self.put(f"blk.{layer}.{name}.bias", self.drawn(deviation, self.trained.dim))

    def experts(self, layer, number, biased=False):
        for name in NETWORK:
            values = self.trained.of_layer(layer, name)
            self.put(f"blk.{layer}.{name}_exps.weight",
                     values + self.drawn(0.3 * values.std(), number, *values.shape))
            if biased:  # FP32, like all biases
                drawn = self.drawn(0.02, number, values.shape[0]).astype(numpy.float32)
                self.file.tensors.append((f"blk.{layer}.{name}_exps.bias", drawn.shape, gguf.TENSOR_F32,
                                          drawn.tobytes()))
        self.put(f"blk.{layer}.ffn_gate_inp.weight", self.drawn(0.05, number, self.trained.dim))
        if biased:
            self.put(f"blk.{layer}.ffn_gate_inp.bias", self.drawn(0.1, number))


def mixture(number, chosen, width):
    return {"expert_count": number, "expert_used_count": chosen, "expert_feed_forward_length": width}


def make(name, trained):
    """Makes one family's file."""
    dim, width = trained.dim, trained.dim // trained.heads
    hidden, root, layer_norm = trained.config["intermediate_size"], float(dim) ** 0.5, "attention.layer_norm_epsilon"
    few = {"expert_count": 4, "expert_used_count": 2}
    keys = {"granite": {"embedding_scale": 3.0, "residual_scale": 0.5, "attention.scale": 0.2, "logit_scale": 2.0},
            "gemma2": {"attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0,
                       "attention.sliding_window": 128},
            "gemma3": {"attention.sliding_window": 64, "rope.freq_base": 1e6, "rope.freq_base_swa": 1e4},
            "cohere2": {layer_norm: 1e-5, "attention.sliding_window": 200, "logit_scale": 0.5},
            "stablelm": {layer_norm: 1e-5, "rope.dimension_count": 16, "use_parallel_residual": False},
            "mixtral": few, "olmoe": mixture(8, 2, hidden), "qwen3moe": mixture(8, 2, hidden),
            "gpt-oss": {**mixture(8, 4, hidden), "attention.sliding_window": 128, "rope.scaling.type": "yarn",
                        "rope.scaling.factor": 32.0, "rope.scaling.original_context_length": 512}}
    model = Model(trained, name, "llama" if name == "mixtral" else name, keys.get(name, {}),
                  name in ("granite", "smollm3", "cohere2", "mixtral"))
    ends = {"granite": (1 / 3.0, 2.0), "gemma2": (1 / root, root, True), "gemma3": (1 / root, root, True),
            "cohere2": (1.0, 2.0, True), "qwen3": (1.0, 1.0, True), "smollm3": (1.0, 1.0, True)}
    model.ends(*ends.get(name, ()))
    for layer in range(trained.layers):
        if name == "phi3":
            model.layer(layer, ("attn_q", "attn_k", "attn_v", "ffn_gate", "ffn_up"))
            for fused, parts in (("attn_qkv", ("attn_q", "attn_k", "attn_v")), ("ffn_up", ("ffn_gate", "ffn_up"))):
                model.put(f"blk.{layer}.{fused}.weight",
                          numpy.concatenate([trained.of_layer(layer, part) for part in parts]))
            continue
        without = {"olmo2": ("attn_norm", "ffn_norm"), "cohere2": ("ffn_norm",), "gpt-oss": (*NETWORK, "ffn_norm")}
        factors = {"attn_output": 2.0, "ffn_down": 2.0, "attn_q": 0.625} if name == "granite" else None
        has_experts = name in ("mixtral", "olmoe", "qwen3moe", "gpt-oss")
        model.layer(layer, without.get(name, NETWORK if has_experts else ()), factors)
        if name in ("qwen3", "qwen3moe", "gemma3"):
            model.norms(layer, width)
        if name in ("olmo2", "olmoe"):
            model.norms(layer, dim)
        if name in ("gemma2", "gemma3", "olmo2"):
            model.norms(layer, dim, AFTER, 0.1, 0.2)
        if name == "qwen2":
            model.biases(layer, ("attn_q", "attn_k", "attn_v"), 0.1)
        if name == "stablelm":
            model.biases(layer, ("attn_norm", "ffn_norm"), 0.05)
        if name == "gpt-oss":
            model.biases(layer, ("attn_q", "attn_k", "attn_v", "attn_output"), 0.05)
            model.put(f"blk.{layer}.attn_sinks.weight", model.drawn(1.0, trained.heads))
            model.put(f"blk.{layer}.post_attention_norm.weight", trained.of_layer(layer, "ffn_norm"))
        if has_experts:
            model.experts(layer, 4 if name == "mixtral" else 8, name == "gpt-oss")
    if name == "stablelm":
        model.put("output_norm.bias", model.drawn(0.1, dim))
    return model.file


FAMILIES = ("qwen2", "qwen3", "phi3", "granite", "gemma2", "gemma3", "olmo2", "smollm3", "cohere2", "stablelm",
            "mixtral", "olmoe", "qwen3moe", "gpt-oss")


def main():
    if len(sys.argv) < 3 or not set(sys.argv[3:]) <= set(FAMILIES):
        sys.exit(__doc__ + "\nFamilies: " + ", ".join(FAMILIES))
    trained, folder = Trained(pathlib.Path(sys.argv[1])), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[3:] or FAMILIES:
        make(name, trained).write(folder / f"{name}.gguf")
        print(folder / f"{name}.gguf")


if __name__ == "__main__":
    main()

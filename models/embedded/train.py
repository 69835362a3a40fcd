#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the embedded model, and writes it as a llama2.c checkpoint (version 0).

The model is a Llama: 64 wide, 5 layers, 4 heads (multi-head attention), hidden 172, RMS norm, SwiGLU, RoPE on
interleaved pairs, and a classifier tied to the embedding. It has about 263,000 parameters and trains on one
thread. This is a developer's tool: the build uses an image of the model, and never runs this.
"""
import argparse
import math
import random
import struct
import time

import torch
import torch.nn.functional as F

import generate_stories as stories

DIM, LAYERS, HEADS, HIDDEN, VOCAB, CONTEXT = 64, 5, 4, 172, 256, 512
HEAD_DIM = DIM // HEADS
NORM_EPSILON, THETA = 1e-5, 10000.0
IGNORE = -100
TOKENS_PER_STEP = 4096
ANSWER_WEIGHT = 5.0
# (story length, most steps) of each stage, which ends when 97 % of its held-out answers are correct.
STAGES = ((64, 1500), (128, 800), (256, 600), (384, 600), (512, 400))


def rms_norm(x, weight):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + NORM_EPSILON) * weight


def rotation(length):
    frequency = THETA ** (-torch.arange(0, HEAD_DIM, 2, dtype=torch.float64) / HEAD_DIM)
    angle = torch.outer(torch.arange(length, dtype=torch.float64), frequency)
    return angle.cos().float(), angle.sin().float()


def rotate(x, cos, sin):
    """Rotates pairs (2i, 2i + 1) of x [batch, head, position, head_dim]."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

        def matrix(rows, cols, deviation=0.125):
            return torch.nn.Parameter(torch.randn(rows, cols) * deviation)

        def per_layer(rows, cols, deviation=0.125):
            return torch.nn.ParameterList([matrix(rows, cols, deviation) for _ in range(LAYERS)])

        def norms():
            return torch.nn.ParameterList([torch.nn.Parameter(torch.ones(DIM)) for _ in range(LAYERS)])

        self.embedding = matrix(VOCAB, DIM, 0.125)
        residual = 0.125 / math.sqrt(2 * LAYERS)
        self.norm_attention, self.norm_ffn = norms(), norms()
        self.wq, self.wk, self.wv = (per_layer(DIM, DIM) for _ in range(3))
        self.wo = per_layer(DIM, DIM, residual)
        self.w_gate, self.w_up = per_layer(HIDDEN, DIM), per_layer(HIDDEN, DIM)
        self.w_down = per_layer(DIM, HIDDEN, 0.6 * residual)
        self.norm_final = torch.nn.Parameter(torch.ones(DIM))
        self.cos, self.sin = rotation(CONTEXT)
        self.begin_with_lookup()

    @torch.no_grad()
    def begin_with_lookup(self):
        """Sets heads that look up tokens. From a random start, training takes many hundred steps to find them. In
        layer 0, heads look one, two and three tokens back and write the token found there in a common code. Each
        embedding has a constant, which the rotation turns into a distance. In layer 1, heads compare the tokens
        0, 1 and 2 before the query with those 1, 2 and 3 before the key, and copy the key's token. Training may
        change all of this."""
        self.embedding[:, 0] = 0.5
        strength = 1.2
        for head in range(3):
            first = head * HEAD_DIM
            rows = slice(first, first + HEAD_DIM)
            self.wq[0][first:first + HEAD_DIM:2, 0] = strength * self.cos[head + 1]
            self.wq[0][first + 1:first + HEAD_DIM:2, 0] = -strength * self.sin[head + 1]
            self.wk[0][first:first + HEAD_DIM:2, 0] = strength
            self.wk[0][first + 1:first + HEAD_DIM:2, 0] = 0
            self.wv[0][rows] = self.wv[0][:HEAD_DIM].clone()
        # A head of layer 0 writes a code, and the transpose of its matrix reads the code back. Rows of fast rotations
        # have less weight, since they say nothing about distant tokens.
        seen = [self.wv[0][:HEAD_DIM]] + [
            5 * self.wo[0][:, head * HEAD_DIM:(head + 1) * HEAD_DIM].T for head in range(3)]
        slow = torch.ones(HEAD_DIM, 1)
        slow[:6] = 0.2
        for head in range(3):
            rows = slice(head * HEAD_DIM, (head + 1) * HEAD_DIM)
            self.wq[1][rows] = slow * seen[head]
            self.wk[1][rows] = slow * seen[head + 1]
            self.wo[1][:, rows] = 0.5 * self.wv[1][rows].T

    def forward(self, ids):
        batch, length = ids.shape
        cos, sin = self.cos[:length], self.sin[:length]
        future = torch.full((length, length), float("-inf")).triu(1)
        x = F.embedding(ids, self.embedding)

        def split(y):
            return y.view(batch, length, HEADS, HEAD_DIM).transpose(1, 2)

        for layer in range(LAYERS):
            y = rms_norm(x, self.norm_attention[layer])
            q = rotate(split(y @ self.wq[layer].T), cos, sin)
            k = rotate(split(y @ self.wk[layer].T), cos, sin)
            v = split(y @ self.wv[layer].T)
            score = q @ k.transpose(2, 3) / math.sqrt(HEAD_DIM) + future
            y = (score.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, DIM)
            x = x + y @ self.wo[layer].T
            y = rms_norm(x, self.norm_ffn[layer])
            y = F.silu(y @ self.w_gate[layer].T) * (y @ self.w_up[layer].T)
            x = x + y @ self.w_down[layer].T
        return rms_norm(x, self.norm_final) @ self.embedding.T


def tell(rng, length):
    """Makes a story for a stage. Stories of the first stage are too short for four facts."""
    if length <= 64:
        return stories.make_story(rng, length, facts=3, questions=2)
    return stories.make_story(rng, length)


def story_batch(rng, length, varied):
    """Returns ids, targets and answer mask [batch, length]. Rows end in padding, which no target counts."""
    rows, masks = [], []
    for _ in range(TOKENS_PER_STEP // length):
        chosen = rng.randint(max(length // 4, 112), length) if varied and rng.random() < 0.5 else length
        ids, mask = tell(rng, chosen).tokens()
        rows.append(ids + [IGNORE] * (length + 1 - len(ids)))
        masks.append(mask + [0] * (length + 1 - len(mask)))
    rows, masks = torch.tensor(rows), torch.tensor(masks)
    return rows[:, :-1].clamp(min=0), rows[:, 1:], masks[:, 1:]


def copy_batch(rng, length):
    """Makes random sequences with repetitions. Only the repetitions can be predicted."""
    rows, targets = [], []
    for _ in range(TOKENS_PER_STEP // length):
        period = rng.randint(8, length // 2)
        once = [rng.randrange(3, VOCAB) for _ in range(period)]
        row = (once * (length // period + 2))[:length + 1]
        rows.append(row[:-1])
        targets.append([IGNORE] * (period - 1) + row[period:])
    return torch.tensor(rows), torch.tensor(targets), torch.zeros(len(rows), length, dtype=torch.long)


def loss_of(model, ids, targets, mask):
    logits = model(ids)
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORE,
                           reduction="none")
    weight = (1 + (ANSWER_WEIGHT - 1) * mask.flatten().float()) * (targets.flatten() != IGNORE)
    return (loss * weight).sum() / weight.sum()


@torch.no_grad()
def answered(model, told):
    """Returns (share of correct answers, perplexity of all tokens), with the true answers as input."""
    right = asked = 0
    log_loss, tokens = 0.0, 0
    for story in told:
        ids, mask = story.tokens()
        ids, mask = torch.tensor([ids]), torch.tensor(mask[1:]) == 1
        logits, targets = model(ids[:, :-1])[0], ids[0, 1:]
        right += (logits.argmax(-1) == targets)[mask].sum().item()
        asked += mask.sum().item()
        log_loss += F.cross_entropy(logits, targets, reduction="sum").item()
        tokens += len(targets)
    return right / asked, math.exp(log_loss / tokens)


def train(model, seed, decay_steps):
    rng = random.Random(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.95), weight_decay=0.01)
    step, begin = 0, time.process_time()
    losses = {True: 0.0, False: 0.0}

    def one_step(batch, rate):
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss = loss_of(model, *batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.item()

    for length, most in STAGES:
        check_rng = random.Random((1 << 33) + length)
        check = [tell(check_rng, length) for _ in range(50)]
        for number in range(most):
            copying = length == STAGES[0][0] and step % 2 == 0
            batch = copy_batch(rng, length) if copying else story_batch(rng, length, length > 128)
            losses[copying] = one_step(batch, 3e-3 * min(1, (step + 1) / 100))
            step += 1
            if step % 50 == 0:
                share, perplexity = answered(model, check)
                print(f"{time.process_time() - begin:6.0f} s, step {step}, length {length}: "
                      f"loss {losses[False]:.3f}, of copying {losses[True]:.3f}, answered {share:.3f}, "
                      f"perplexity {perplexity:.3f}", flush=True)
                if share >= 0.97 and number >= 49:
                    break
    # The last steps lower the learning rate, with stories of every shipped length.
    for number in range(decay_steps):
        length = rng.choice((256, 384, 512))
        one_step(story_batch(rng, length, True), 3e-3 * (1 - number / decay_steps))
        step += 1
    print(f"{step} steps, {time.process_time() - begin:.0f} s of CPU time")


def write_checkpoint(model, path):
    """Writes llama2.c's version 0: seven int32, then FP32 tensors, kind by kind."""
    with open(path, "wb") as file:
        file.write(struct.pack("<7i", DIM, HIDDEN, LAYERS, HEADS, HEADS, VOCAB, CONTEXT))
        for part in (model.embedding, model.norm_attention, model.wq, model.wk, model.wv, model.wo,
                     model.norm_ffn, model.w_gate, model.w_down, model.w_up, model.norm_final,
                     model.cos, model.sin):
            for tensor in [part] if isinstance(part, torch.Tensor) else part:
                file.write(tensor.detach().contiguous().numpy().astype("<f4").tobytes())


def read_checkpoint(model, path):
    """Reads a checkpoint of write_checkpoint into `model`."""
    import numpy
    with open(path, "rb") as file:
        shape = struct.unpack("<7i", file.read(28))
        if shape != (DIM, HIDDEN, LAYERS, HEADS, HEADS, VOCAB, CONTEXT):
            raise SystemExit(f"{path}: shape {shape} differs from this model's shape")
        for part in (model.embedding, model.norm_attention, model.wq, model.wk, model.wv, model.wo,
                     model.norm_ffn, model.w_gate, model.w_down, model.w_up, model.norm_final):
            for tensor in [part] if isinstance(part, torch.Tensor) else part:
                values = numpy.frombuffer(file.read(4 * tensor.numel()), "<f4").copy()
                tensor.data = torch.from_numpy(values).view(tensor.shape)


@torch.no_grad()
def quantize_rows(model):
    """Quantises to INT8 rows as the importer does: scale = max|w| / 127, with ties to even."""
    groups = [model.wq, model.wk, model.wv, model.wo, model.w_gate, model.w_up, model.w_down]
    for weight in [model.embedding] + [tensor for group in groups for tensor in group]:
        scale = weight.abs().amax(1, keepdim=True) / 127
        weight.copy_((weight / scale).round() * scale)


@torch.no_grad()
def continue_text(model, prompt, count):
    ids = [stories.BOS] + stories.encode(prompt)
    for _ in range(count):
        token = model(torch.tensor([ids]))[0, -1].argmax().item()
        if token in (stories.BOS, stories.EOS):
            break
        ids.append(token)
    words = [stories.VOCABULARY[token] for token in ids[1:]]
    return "".join(w if w in stories.PUNCTUATION else " " + w for w in words).strip()


def report(model, title):
    for length in (128, 256, 384, 512):
        told = stories.held_out(1, 100, length)
        share, perplexity = answered(model, told)
        print(f"{title}, {length} tokens: answered {share:.4f} of {4 * len(told)} "
              f"(chance {1 / 5}), perplexity {perplexity:.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", required=True, help="the checkpoint, llama2.c version 0")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--decay-steps", type=int, default=400)
    parser.add_argument("--evaluate", action="store_true", help="only evaluate the checkpoint that --output names")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    model = Model()
    if options.evaluate:
        read_checkpoint(model, options.output)
    else:
        train(model, options.seed, options.decay_steps)
        write_checkpoint(model, options.output)
    print(continue_text(model, "Once upon a time", 500))
    report(model, "FP32")
    quantize_rows(model)
    report(model, "INT8 rows")


if __name__ == "__main__":
    main()

// SPDX-License-Identifier: Apache-2.0
// Evaluates documents with llama.cpp (tools/llama_cpp.py): node llama_cpp.mjs REQUEST.json prints JSON.
import {readFileSync} from "node:fs";
import {getLlama, LlamaLogLevel} from "node-llama-cpp";

const request = JSON.parse(readFileSync(process.argv[2], "utf8"));
const llama = await getLlama({gpu: false, build: "never", logLevel: LlamaLogLevel.error});
const model = await llama.loadModel({modelPath: request.model});
const context = await model.createContext({contextSize: model.trainContextSize, batchSize: 512});

const sequence = context.getSequence();
const plain = {temperature: 1, topK: 0, topP: 1, minP: 0};

/** Returns, for each token but the last, the most probable next token and the log-probability of the
 * actual one. */
async function evaluate(tokens) {
    await sequence.clearHistory();
    const output = await sequence.controlledEvaluate(tokens.slice(0, -1).map((token, position) => {
        const filter = {tokens: [tokens[position + 1]], includeTop: 1};
        return [token, {generateNext: {logits: {filter}, totalLogitWeight: true, options: plain}}];
    }));
    const best = [], log = [];
    output.forEach(({next}, position) => {
        const [token, largest] = [...next.logits].reduce((one, other) => other[1] > one[1] ? other : one);
        best.push(token);
        log.push(next.logits.get(tokens[position + 1]) - largest - Math.log(next.totalLogitWeight));
    });
    return {tokens, best, log};
}

const documents = [];
let left = request.tokens;
for (const text of request.documents) {
    const tokens = [model.tokens.bos, ...model.tokenize(text)];
    const count = Math.min(tokens.length - 1, model.trainContextSize - 1, left);
    if (count <= 0)
        break;
    documents.push(await evaluate(tokens.slice(0, count + 1)));
    left -= count;
}
const vocab = model.fileInfo.metadata.tokenizer.ggml.tokens.length;
console.log(JSON.stringify({version: llama.llamaCppRelease.release, vocab, documents}));
await llama.dispose();

// SPDX-License-Identifier: Apache-2.0
// Compares the evicting reference with references that it must equal, and checks the guarantees of
// its policies.
#include "core/numerics/numerics.hpp"
#include "platform/input/import/synthetic.hpp"
#include "test/reference/composed_transformer.hpp"
#include "test/reference/evicting_transformer.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace {

using namespace levee;
using namespace levee::test;
namespace kv = levee::kv_tables;

using Ids = std::vector<std::uint32_t>;

ModelImage image_of(const ModelShape& shape)
{
    return ModelImage::parse(import_synthetic(shape, {}), "synthetic");
}

Ids some_tokens(std::uint32_t vocab, std::size_t count, std::uint64_t stream = 3)
{
    Ids tokens;
    for (std::size_t i = 0; i < count; ++i)
        tokens.push_back(random_word(17, stream, i) % vocab);
    return tokens;
}

Eviction eviction(levee_kv_policy_kind kind, std::uint32_t budget, std::uint32_t window,
                  std::uint32_t sinks)
{
    Eviction result;
    result.policy.kind = kind;
    result.policy.budget = budget;
    result.policy.window = window;
    result.policy.sinks = sinks;
    result.policy.score = LEVEE_SE_SOFTMAX;
    return result;
}

// Returns the logits after each token. The first `prompt` tokens are prefilled, the others decoded
// one by one.
std::vector<std::vector<float>> run(EvictingTransformer& transformer, const Ids& tokens,
                                    std::size_t prompt)
{
    auto logits = transformer.prefill(std::span(tokens).first(prompt));
    for (const std::uint32_t token : std::span(tokens).subspan(prompt))
        logits.push_back(transformer.step(token));
    return logits;
}

std::vector<std::vector<float>> run(const ModelImage& image, const Eviction& options,
                                    const Ids& tokens, std::size_t prompt)
{
    EvictingTransformer transformer(image, options);
    return run(transformer, tokens, prompt);
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b)
{
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
    return largest;
}

// Returns the positions of the tokens in a head after the arriving token has been stored.
std::set<std::uint32_t> held(const LayerCache& cache, std::size_t head)
{
    const kv::Head& table = cache.tables.heads[head];
    std::set<std::uint32_t> positions;
    for (std::uint32_t slot = 0; slot < table.positions.size(); ++slot)
        if (slot != table.next)
            positions.insert(table.positions[slot]);
    return positions;
}

const ModelShape plain_shape = llama_shape(64, 172, 3, 4, 4, 100, 96);
const ModelShape grouped_shape = llama_shape(64, 96, 2, 8, 2, 64, 96);

} // namespace

TEST_CASE("evicting reference: an unlimited cache equals the plain reference, for any chunk")
{
    for (const ModelShape& shape :
         {plain_shape, grouped_shape, opt_shape(64, 256, 2, 4, 100, 96)}) {
        const ModelImage image = image_of(shape);
        const Ids tokens = some_tokens(shape.vocab, 40);
        const auto expected = logits_of_all(image, tokens);
        for (const std::uint32_t chunk : {1u, 7u, 64u}) {
            Eviction full = eviction(LEVEE_KV_FULL, 0, 0, 0);
            full.chunk = chunk;
            CHECK(run(image, full, tokens, 30) == expected);
        }
    }
}

TEST_CASE("evicting reference: a budget that is never reached changes nothing")
{
    const Ids tokens = some_tokens(64, 40);
    for (const ModelShape& shape : {plain_shape, grouped_shape}) {
        const ModelImage image = image_of(shape);
        const auto expected = logits_of_all(image, tokens);
        for (const auto kind : {LEVEE_KV_STREAMING, LEVEE_KV_H2O, LEVEE_KV_RANDOM, LEVEE_KV_AEP}) {
            CHECK(run(image, eviction(kind, 40, 8, 4), tokens, 24) == expected);
            CHECK(run(image, eviction(kind, 40, 8, 4), tokens, 0) == expected);
            CHECK(run(image, eviction(kind, 16, 8, 4), tokens, 24).back() != expected.back());
        }
    }
}

TEST_CASE("evicting reference: recomputed keys and values have the bits of stored ones")
{
    // No token is evicted, and every token is stored as a layer input on arrival. So every step
    // recomputes all tokens.
    const ModelImage image = image_of(plain_shape);
    const Ids tokens = some_tokens(plain_shape.vocab, 40);
    Eviction all = eviction(LEVEE_KV_AERP, 40, 8, 4);
    all.input_rows = 41;
    for (const std::size_t prompt : {0u, 24u}) {
        EvictingTransformer transformer(image, all);
        CHECK(run(transformer, tokens, prompt) == logits_of_all(image, tokens));
        const LayerCache& cache = transformer.layer(1);
        CHECK(std::count(cache.tables.formats->holders.begin(), cache.tables.formats->holders.end(),
                         4u) == 40);
    }

    // With evictions, too, the results do not depend on the stored formats.
    Eviction stored = eviction(LEVEE_KV_AERP, 20, 8, 4);
    const auto expected = run(image, stored, tokens, 24);
    for (const std::uint32_t rows : {1u, 5u, 21u}) {
        stored.input_rows = rows;
        CHECK(run(image, stored, tokens, 24) == expected);
    }
}

TEST_CASE("evicting reference: grouped queries have no recomputation")
{
    const ModelImage image = image_of(grouped_shape);
    Eviction aerp = eviction(LEVEE_KV_AERP, 20, 8, 4);
    CHECK_NOTHROW(EvictingTransformer(image, aerp));
    aerp.input_rows = 1;
    CHECK_THROWS_WITH(EvictingTransformer(image, aerp),
                      "grouped queries: nothing is stored as an input");
}

TEST_CASE("evicting reference: a stored input that was changed is used")
{
    const ModelImage image = image_of(plain_shape);
    const Ids tokens = some_tokens(plain_shape.vocab, 40);
    Eviction aerp = eviction(LEVEE_KV_AERP, 20, 8, 4);
    aerp.input_rows = 5;
    const auto expected = run(image, aerp, tokens, 24);
    aerp.decay = [](std::uint32_t layer, LayerCache& cache) {
        if (layer == 1 && cache.tables.formats->holders[0] != 0)
            cache.inputs[0].codes[3] ^= 0x4000;
    };
    CHECK(run(image, aerp, tokens, 24).back() != expected.back());
}

TEST_CASE("evicting reference: each policy keeps the tokens that it guarantees")
{
    const ModelImage image = image_of(plain_shape);
    const Ids tokens = some_tokens(plain_shape.vocab, 60);
    struct Case {
        levee_kv_policy_kind kind;
        std::uint32_t sinks, window;
    };
    for (const Case& policy : {Case{LEVEE_KV_STREAMING, 4, 12}, Case{LEVEE_KV_H2O, 0, 8},
                               Case{LEVEE_KV_RANDOM, 4, 6}, Case{LEVEE_KV_AEP, 4, 6}}) {
        EvictingTransformer transformer(image, eviction(policy.kind, 16, 6, 4));
        transformer.prefill(std::span(tokens).first(30));
        for (std::uint32_t position = 30; position < 60; ++position) {
            transformer.step(tokens[position]);
            for (std::uint32_t layer = 0; layer < 3; ++layer)
                for (std::size_t head = 0; head < 4; ++head) {
                    const auto positions = held(transformer.layer(layer), head);
                    INFO("policy " << policy.kind << " position " << position);
                    REQUIRE(positions.size() == 16);
                    for (std::uint32_t sink = 0; sink < policy.sinks; ++sink)
                        REQUIRE(positions.contains(sink));
                    for (std::uint32_t recent = 0; recent < policy.window; ++recent)
                        REQUIRE(positions.contains(position - recent));
                }
        }
    }
}

TEST_CASE("evicting reference: prefill keeps the tokens of greatest attention")
{
    const ModelImage image = image_of(grouped_shape);
    const Ids tokens = some_tokens(grouped_shape.vocab, 30);
    for (const auto score : {LEVEE_SE_SOFTMAX, LEVEE_SE_LOGIT}) {
        Eviction kept = eviction(LEVEE_KV_AEP, 12, 5, 2);
        kept.policy.score = score;
        EvictingTransformer transformer(image, kept);
        transformer.prefill(tokens);

        Eviction enough = kept; // This transformer has room for all tokens. Its importances say
                                // which tokens to keep.
        enough.policy.budget = 30;
        EvictingTransformer all(image, enough);
        all.prefill(tokens);
        for (std::size_t head = 0; head < 2; ++head) {
            const auto& importance = all.layer(1).tables.heads[head].importance;
            const auto size = [&](std::uint32_t position) {
                return score == LEVEE_SE_LOGIT ? static_cast<std::int16_t>(importance[position])
                                               : int{importance[position]};
            };
            Ids order(30 - 5 - 2);
            std::iota(order.begin(), order.end(), 2u);
            std::stable_sort(order.begin(), order.end(),
                             [&](std::uint32_t a, std::uint32_t b) { return size(a) > size(b); });
            std::set<std::uint32_t> expected{0, 1, 25, 26, 27, 28, 29};
            expected.insert(order.begin(), order.begin() + 5);
            CHECK(held(transformer.layer(1), head) == expected);
        }
        // An untrained model attends to all tokens alike, so probabilities favour the earliest
        // tokens.
        const bool same = held(transformer.layer(1), 0) == held(transformer.layer(1), 1);
        CHECK(same == (score == LEVEE_SE_SOFTMAX));
    }
}

TEST_CASE("evicting reference: the order of slots affects only rounding")
{
    const ModelImage image = image_of(plain_shape);
    const Ids tokens = some_tokens(plain_shape.vocab, 40);
    EvictingTransformer straight(image, eviction(LEVEE_KV_AEP, 20, 8, 4));
    run(straight, tokens, 30);
    EvictingTransformer turned = straight;
    for (std::uint32_t layer = 0; layer < plain_shape.layers; ++layer) {
        LayerCache& cache = turned.layer(layer);
        for (std::size_t head = 0; head < cache.keys.size(); ++head) {
            kv::Head& table = cache.tables.heads[head];
            const kv::Head before = table;
            const CacheSlice keys = cache.keys[head], values = cache.values[head];
            const auto slots = static_cast<std::uint32_t>(before.positions.size());
            for (std::uint32_t slot = 0; slot < slots; ++slot) {
                // This is a permutation of the 21 slots.
                const std::uint32_t from = (slot * 8 + 3) % slots;
                table.positions[slot] = before.positions[from];
                table.importance[slot] = before.importance[from];
                cache.keys[head].put(slot, keys.row(from));
                cache.values[head].put(slot, values.row(from));
                if (from == before.next)
                    table.next = slot;
            }
        }
    }
    for (const std::uint32_t token : some_tokens(plain_shape.vocab, 12, 9)) {
        const auto a = straight.step(token), b = turned.step(token);
        CHECK(largest_difference(a, b) < 1e-3);
        CHECK(largest_difference(a, std::vector<float>(a.size())) > 0.1);
        for (std::uint32_t layer = 0; layer < plain_shape.layers; ++layer)
            for (std::size_t head = 0; head < 4; ++head)
                CHECK(held(straight.layer(layer), head) == held(turned.layer(layer), head));
    }
}

TEST_CASE("evicting reference: logits as scores select other tokens than probabilities")
{
    const ModelImage image = image_of(plain_shape);
    const Ids tokens = some_tokens(plain_shape.vocab, 60);
    Eviction logits = eviction(LEVEE_KV_AEP, 16, 6, 4);
    logits.policy.score = LEVEE_SE_LOGIT;
    CHECK(run(image, logits, tokens, 30).back() !=
          run(image, eviction(LEVEE_KV_AEP, 16, 6, 4), tokens, 30).back());
}

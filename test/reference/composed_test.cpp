// SPDX-License-Identifier: Apache-2.0
// Compares the composed reference with double precision, on untrained models of every family.
#include "core/numerics/numerics.hpp"
#include "platform/input/import/synthetic.hpp"
#include "test/reference/composed_transformer.hpp"
#include "test/reference/plain_transformer.hpp"
#include "test/reference/structured_shapes.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace {

using namespace levee;
using levee::test::ComposedTransformer;

ModelImage image_of(const ModelShape& shape, levee_type weights = LEVEE_TYPE_INT8)
{
    SyntheticOptions options;
    options.weights = weights;
    return ModelImage::parse(import_synthetic(shape, options), "synthetic");
}

std::vector<std::uint32_t> some_tokens(std::uint32_t vocab, std::size_t count)
{
    std::vector<std::uint32_t> tokens;
    for (std::size_t i = 0; i < count; ++i)
        tokens.push_back(random_word(17, 3, i) % vocab);
    return tokens;
}

// With INT16 activations, the error of logits is within a thousandth of their magnitude.
void check_against_plain(const ModelShape& shape, levee_type weights = LEVEE_TYPE_INT8)
{
    const ModelImage image = image_of(shape, weights);
    const auto tokens = some_tokens(shape.vocab, 24);
    const auto composed = levee::test::logits_of_all(image, tokens);
    const auto plain = levee::test::plain_logits(image, tokens);
    REQUIRE(composed.size() == plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
        double size = 0.0, error = 0.0;
        for (std::size_t j = 0; j < shape.vocab; ++j) {
            size = std::max(size, std::abs(plain[i][j]));
            error = std::max(error, std::abs(plain[i][j] - composed[i][j]));
        }
        INFO("token " << i << ", largest logit " << size);
        CHECK(size > 0.01);
        CHECK(error < 1e-3 * size);
    }
}

} // namespace

TEST_CASE("a Llama shape agrees with double precision")
{
    check_against_plain(llama_shape(64, 172, 3, 4, 4, 100, 32));
}

TEST_CASE("grouped-query attention agrees with double precision")
{
    check_against_plain(llama_shape(64, 96, 2, 8, 2, 64, 32));
}

TEST_CASE("rotated halves and a separate classifier agree with double precision")
{
    ModelShape shape = llama_shape(48, 80, 2, 3, 3, 64, 32);
    shape.position = LEVEE_POSITION_ROPE_HALVES;
    shape.tied = false;
    check_against_plain(shape);
}

TEST_CASE("an OPT shape agrees with double precision")
{
    check_against_plain(opt_shape(64, 256, 3, 4, 100, 32));
}

TEST_CASE("an OPT shape with GELU agrees with double precision")
{
    ModelShape shape = opt_shape(40, 100, 2, 5, 64, 32);
    shape.activation = LEVEE_ACTIVATION_GELU;
    check_against_plain(shape);
}

TEST_CASE("every property of a model's structure agrees with double precision")
{
    for (const auto& [name, shape] : levee::test::structured_shapes()) {
        INFO(name);
        check_against_plain(shape);
    }
    for (const auto& [name, shape] : levee::test::mixture_shapes()) {
        INFO(name);
        check_against_plain(shape);
    }
    for (const auto& [name, shape] : levee::test::latent_shapes()) {
        INFO(name);
        check_against_plain(shape);
    }
    for (const auto& [name, shape] : levee::test::family_shapes()) {
        INFO(name);
        check_against_plain(shape);
    }
}

TEST_CASE("windows agree with double precision, which masks tokens by position")
{
    for (const std::uint32_t window : {1U, 2U, 7U, 23U, 24U})
        for (const bool all : {true, false}) {
            INFO("window " << window);
            ModelShape shape = levee::test::plain_shape();
            shape.window = window;
            shape.layer_flags.assign(shape.layers, LEVEE_LAYER_LOCAL);
            if (!all)
                shape.layer_flags.back() = 0;
            check_against_plain(shape);
        }
}

TEST_CASE(
    "a prefill's window has the bits of one tile if it fits in one, and a small error in several")
{
    ModelShape shape = levee::test::plain_shape();
    shape.window = 9;
    shape.layer_flags.assign(shape.layers, LEVEE_LAYER_LOCAL);
    const ModelImage image = image_of(shape);
    const auto tokens = some_tokens(shape.vocab, 30);
    levee::test::ComposedTransformer whole(image), tiled(image), cut(image);
    tiled.query_tile = cut.query_tile = 4;
    float size = 0.0f, error = 0.0f;
    for (const std::uint32_t token : tokens) {
        const auto expected = whole.step(token, 64);
        // The tile covers a window of 9, and 3 more queries.
        CHECK(tiled.step(token, 12) == expected);
        const auto parts = cut.step(token, 5);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            size = std::max(size, std::abs(expected[i]));
            error = std::max(error, std::abs(parts[i] - expected[i]));
        }
    }
    CHECK(error > 0.0f);
    CHECK(error < 1e-3f * size);
}

TEST_CASE("every property of a model's structure changes the results")
{
    const auto tokens = some_tokens(300, 12);
    const auto logits_of = [&](const ModelShape& shape) {
        return levee::test::logits_of_all(image_of(shape), tokens).back();
    };
    const auto check_changes = [&](const ModelShape& base, const auto& shapes) {
        const auto plain = logits_of(base);
        for (const auto& [name, shape] : shapes) {
            INFO(name);
            const auto logits = logits_of(shape);
            float change = 0.0f;
            for (std::size_t i = 0; i < plain.size(); ++i)
                change = std::max(change, std::abs(logits[i] - plain[i]));
            CHECK(change > 0.01f);
        }
    };
    check_changes(levee::test::plain_shape(), levee::test::structured_shapes());
    check_changes(levee::test::mixture_shape(), levee::test::mixture_shapes());
    auto latent = levee::test::latent_shapes();
    latent.erase(latent.begin()); // The first shape is the unmodified one.
    check_changes(levee::test::latent_shape(), latent);
}

TEST_CASE("INT4 weights agree with double precision on the same weights")
{
    check_against_plain(llama_shape(64, 172, 2, 4, 4, 100, 32), LEVEE_TYPE_INT4);
}

namespace {

// Returns a random number with variance 1.
float drawn(std::uint32_t stream, std::uint64_t index)
{
    float sum = 0.0f;
    for (std::uint64_t i = 0; i < 12; ++i)
        sum += unit_interval(random_word(41, stream, 12 * index + i));
    return sum - 6.0f;
}

levee::test::CacheSlice drawn_values(std::size_t tokens, std::size_t dim)
{
    levee::test::CacheSlice values;
    for (std::size_t i = 0; i < tokens; ++i) {
        levee::test::QuantisedVector row{std::vector<std::int16_t>(dim), 1e-4f};
        for (std::size_t j = 0; j < dim; ++j)
            row.codes[j] = static_cast<std::int16_t>(8000.0f * drawn(1, i * dim + j));
        values.append(row);
    }
    return values;
}

// Computes softmax(scores) V in double precision.
std::vector<double> exact_mix(const std::vector<float>& scores,
                              const levee::test::CacheSlice& values)
{
    const std::size_t dim = values.codes.size() / values.scales.size();
    const double largest = *std::max_element(scores.begin(), scores.end());
    std::vector<double> result(dim);
    double sum = 0.0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const double p = std::exp(scores[i] - largest);
        sum += p;
        for (std::size_t j = 0; j < dim; ++j)
            result[j] += p * values.codes[i * dim + j] * values.scales[i];
    }
    for (double& element : result)
        element /= sum;
    return result;
}

// Returns the largest error, relative to the largest element.
double error_of(const std::vector<float>& result, const std::vector<double>& exact)
{
    double error = 0.0, size = 0.0;
    for (std::size_t j = 0; j < exact.size(); ++j) {
        error = std::max(error, std::abs(result[j] - exact[j]));
        size = std::max(size, std::abs(exact[j]));
    }
    return error / size;
}

} // namespace

TEST_CASE("attention in tiles of keys has no larger error than in one piece")
{
    const ModelImage image = image_of(llama_shape(128, 64, 1, 1, 1, 64, 8192));
    const levee::test::TransformerParts parts(image);
    constexpr std::size_t tokens = 4096, queries = 40;
    const levee::test::CacheSlice values = drawn_values(tokens, 128);
    double whole = 0.0, tiled = 0.0;
    for (std::size_t q = 0; q < queries; ++q) {
        std::vector<float> scores(tokens);
        for (std::size_t i = 0; i < tokens; ++i)
            scores[i] = 3.0f * drawn(2, q * tokens + i);
        const auto exact = exact_mix(scores, values);
        whole = std::max(whole, error_of(parts.mix(scores, values), exact));
        tiled = std::max(tiled, error_of(parts.mix(scores, values, 256), exact));
        // One tile covers all tokens.
        CHECK(parts.mix(scores, values, tokens) == parts.mix(scores, values));
    }
    // The accuracy is that of docs/numerics.md. Codes are accurate to 1/65534 of a vector's largest
    // probability, which is smaller in most tiles than in the whole vector.
    CHECK(whole == Approx(5.87e-4).epsilon(0.01));
    CHECK(tiled == Approx(1.87e-4).epsilon(0.01));
}

TEST_CASE("logits have the same bits in every build")
{
    // The hash is FNV-1a over all logits. It must be the same with g++ and clang++, in debug and
    // release, with and without AVX2.
    std::uint64_t hash = 0xCBF29CE484222325ull;
    ModelShape gelu = opt_shape(40, 100, 2, 5, 64, 32);
    gelu.activation = LEVEE_ACTIVATION_GELU;
    for (const ModelShape& shape : {llama_shape(64, 172, 2, 8, 4, 64, 32), gelu}) {
        const ModelImage image = image_of(shape);
        for (const auto& logits : levee::test::logits_of_all(image, some_tokens(shape.vocab, 32)))
            for (const float value : logits)
                hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001B3ull;
    }
    CHECK(hash == 0xF250A38179E91365ull);
}

TEST_CASE("a sequence starts again after a reset, and its logits depend on the tokens before")
{
    const ModelImage image = image_of(llama_shape(32, 48, 2, 4, 2, 40, 16));
    ComposedTransformer transformer(image);
    const auto first = transformer.step(7);
    const auto second = transformer.step(7);
    CHECK(transformer.position() == 2);
    CHECK(transformer.keys(1, 1).scales.size() == 2);
    CHECK(transformer.values(0, 0).codes.size() == 2 * 8);
    CHECK(first != second);
    transformer.reset();
    CHECK(transformer.step(7) == first);
    transformer.reset();
    transformer.step(8);
    CHECK(transformer.step(7) != second);
}

TEST_CASE("tokens and positions beyond the model are refused")
{
    const ModelImage image = image_of(llama_shape(32, 48, 1, 4, 2, 40, 3));
    ComposedTransformer transformer(image);
    CHECK_THROWS_WITH(transformer.step(40), "token 40, vocabulary of 40");
    for (int i = 0; i < 3; ++i)
        transformer.step(1);
    CHECK_THROWS_WITH(transformer.step(1), "position 3, context of 3");
}

TEST_CASE("weights that the array does not support are refused")
{
    const ModelImage image = image_of(llama_shape(32, 48, 1, 4, 2, 40, 8), LEVEE_TYPE_FP16);
    CHECK_THROWS_WITH(ComposedTransformer(image), Catch::Contains("FP16"));
}

// SPDX-License-Identifier: Apache-2.0
// Checks the bytes of a prefill of Llama 2 7B on VEDA against docs/veda.md, "Bytes of a prefill".
#include "test/system/hand_calculation.hpp"
#include "test/system/program.hpp"

#include <cmath>

using namespace levee::test;

namespace {

constexpr double tokens = 512, half = 2; // `half` is the number of bytes per element.
constexpr double on_chip = 256 * 1024.0, work = 224 * 1024.0, buffer = 32 * 1024.0;

/// A product with weights: how often its operands A and B are read.
struct Product {
    double k, n;
    bool outer;

    /// Multiplies R vectors by C columns whose sums fit. C is a whole number of lanes. The part of
    /// the buffer that is left after the adder tree's 128 elements of k may limit the number of
    /// columns.
    [[nodiscard]] double bytes() const
    {
        double least = INFINITY;
        for (double tiles = 1; tiles <= tokens; ++tiles) {
            const double rows = std::ceil(tokens / tiles);
            double columns = std::floor(work / (4 * rows));
            columns =
                outer ? std::floor(columns / 128) * 128 : std::min(columns, buffer / (half * 128));
            if (columns > 0)
                least = std::min(
                    least,
                    half * k * (std::ceil(tokens / rows) * n + std::ceil(n / columns) * tokens));
        }
        return least;
    }
    [[nodiscard]] double macs() const { return tokens * k * n; }
};

const Shape shape;
const Product products[] = {{shape.dim, 3 * shape.dim, true},
                            {shape.dim, shape.dim, false},
                            {shape.dim, 2 * shape.hidden, true},
                            {shape.hidden, shape.dim, false}};

/// The bytes that a layer's operations read and write once, except the inputs of products.
double others()
{
    const double dim = shape.dim, scores = shape.heads * tokens, seen = scores / 2;
    // x, gains of 4 bytes, and the result.
    const double norms = 2 * (2 * dim + dim * 2);
    // Q, K and V, and their rotated or stored forms.
    const double heads = 3 * dim + 3 * 2 * dim;
    const double softmax = scores + seen + scores; // bytes of REDUCE and NORMALISE
    const double mixed = dim, added = 2 * 2 * dim; // bytes of X and its addends
    // results of gate, up and activation
    const double expanded = 2 * 2 * shape.hidden + shape.hidden;
    return half * tokens * (norms + heads + softmax + mixed + added + expanded);
}

/// The bytes of queries, keys, probabilities and values of a layer. Keys come in pieces of 128, and
/// queries are read again for each piece. Sums of at most 448 of the 512 queries fit at a time, and
/// values are read again for the rest.
double attention()
{
    const double d = shape.head, passes = std::ceil(tokens / 128);
    const double queries = passes * (passes + 1) / 2 * 128; // number of query vectors that are read
    const double seen = tokens * (tokens + 1) / 2;
    return shape.heads * half * (d * (queries + tokens) + seen + d * (tokens / 2 + tokens));
}

double weights()
{
    double all = 0;
    for (const Product& product : products)
        all += half * product.k * product.n;
    return shape.layers * all + half * shape.dim * shape.vocab;
}

double by_hand()
{
    double all = half * shape.dim * shape.vocab; // The classifier's weights are read once.
    for (const Product& product : products)
        all += shape.layers * product.bytes();
    return all + shape.layers * (others() + attention());
}

nlohmann::json prefill(const Workplace& place, const std::string& chunk)
{
    REQUIRE(place
                .levee({"run", "veda/llama2_7b", "--quiet", "--no-report", "--out", "out", "--set",
                        "workload.max_new_tokens=1", "--set", "workload.prefill_chunk=" + chunk})
                .code == 0);
    return place.results("out").at("metrics");
}

} // namespace

TEST_CASE("a prefill of Llama 2 7B on VEDA moves the bytes calculated by hand")
{
    const Workplace place;
    const nlohmann::json metrics = prefill(place, "512");
    const double moved = metrics.at("roofline.prefill.hbm.bytes");
    CHECK(moved == Approx(by_hand()).epsilon(0.01));
    // No order of products moves fewer bytes with this on-chip memory. Filled with 4-byte sums, the
    // memory holds a square of 256 x 256 results, which needs 2 x 256 operand elements for each k.
    double macs = 0;
    for (const Product& product : products)
        macs += shape.layers * product.macs();
    const double side = std::sqrt(on_chip / 4), least = macs * half * 2 / side;
    CHECK(least == Approx(52e9).epsilon(0.01));
    CHECK(moved < 1.35 * (least + shape.layers * (others() + attention())));
    CHECK(moved < 6 * weights());
}

// Each chunk size divides 512. Chunks of 500 tokens would leave a second chunk of 12, which would
// also read all weights.
TEST_CASE("on VEDA, a prefill in chunks of several of the former chunks moves no more bytes")
{
    const Workplace place;
    const std::vector<std::vector<const char*>> sizes{
        {"16", "32", "64", "128", "256", "512"}, {"48", "96", "192", "384"}, {"100", "200", "400"}};
    for (const auto& chunks : sizes) {
        double before = INFINITY;
        for (const char* chunk : chunks) {
            const double moved = prefill(place, chunk).at("roofline.prefill.hbm.bytes");
            INFO("chunks of " << chunk);
            CHECK(moved <= before);
            before = moved;
        }
    }
}

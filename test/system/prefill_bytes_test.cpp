// SPDX-License-Identifier: Apache-2.0
// Checks the DRAM traffic of a prefill of 16,384 tokens of Llama2-7B on Kelle, tensor by tensor, as
// in docs/hand_calculations.md, "Bytes of a long prefill".
#include "test/system/hand_calculation.hpp"
#include "test/system/program.hpp"

#include <iomanip>
#include <sstream>

using levee::test::Outcome;
using levee::test::Shape;
using levee::test::Workplace;

namespace {

constexpr double tokens = 16384;

/// Describes how a chunk's work is divided.
struct Tiling {
    const char* what;
    double chunk = 128;
    bool parts = true;  ///< activated vectors stay on chip, for as many tokens at a time as fit
    bool adds = true;   ///< The array adds its projections to x.
    bool slices = true; ///< Gate and up go by columns, and only their products are written to DRAM.
    double accumulators = 512; ///< Rows of partial sums that the array holds.
};

/// Bytes of a prefill, including scales.
struct Traffic {
    double weights = 0, keys_values = 0; ///< bytes that each chunk reads once
    double again = 0; ///< Weights that are read again, and vectors that products read from DRAM.
    double others = 0;

    [[nodiscard]] double needed() const { return weights + keys_values; }
    [[nodiscard]] double total() const { return needed() + again + others; }
    [[nodiscard]] double ratio() const { return total() / needed(); }
};

/// Returns how often `rows` rows of A are read for a product with n columns. The array is 32 wide.
double reads(const Tiling& tiling, double rows, double n)
{
    const double together = std::max(1.0, std::floor(tiling.accumulators / rows));
    return std::ceil(std::ceil(n / 32) / together);
}

/// Returns the bytes that a layer reads again in a chunk. `room` is the number of on-chip bytes for
/// operands that are read several times.
double read_again(const Tiling& tiling, double room)
{
    const Shape shape;
    const double chunk = tiling.chunk, dim = shape.dim;
    const double activated = chunk * (2 * shape.hidden + 4), normed = chunk * (2 * dim + 4);
    const double parts = std::ceil(activated / room);
    double bytes = 0;
    if (parts > 1)
        bytes += tiling.parts ? (parts - 1) * dim * (shape.hidden + 4)
                              : (1 + reads(tiling, chunk, dim)) * activated;
    // The inputs of attention and of the feed-forward network, and the output of attention.
    if (normed > room)
        bytes += normed * (3 + reads(tiling, chunk, 3 * dim) +
                           reads(tiling, chunk, 2 * shape.hidden) + reads(tiling, chunk, dim));
    return bytes;
}

/// Returns the bytes of a layer in a chunk: x, and vectors that are written and read once.
double passed_on(const Tiling& tiling)
{
    const Shape shape;
    const double x = tiling.chunk * shape.dim * 4; // The product writes all its outputs.
    const double norms = 2 * x, raw = 2 * 3 * x, mixed = 2 * x;
    const double added = tiling.adds ? 2 * 2 * x : 2 * 5 * x;
    const double expanded = (tiling.slices ? 1 : 2) * 2 * tiling.chunk * shape.hidden * 4;
    return norms + raw + mixed + added + expanded;
}

Traffic traffic(const Tiling& tiling, double room)
{
    const Shape shape;
    const double chunks = tokens / tiling.chunk, dim = shape.dim, hidden = shape.hidden;
    const double head = 2 * shape.head + 4;
    // Keys that the last token of each chunk sees.
    const double seen = chunks * (chunks + 1) / 2 * tiling.chunk;
    Traffic result;
    result.weights =
        shape.layers * chunks * (4 * dim * (dim + 4) + 2 * hidden * (dim + 4) + dim * (hidden + 4));
    result.keys_values = shape.layers * 2 * shape.heads * head * (seen + tokens);
    result.again = shape.layers * chunks * read_again(tiling, room);
    const double importance = shape.heads * seen * 2 * 2; // INT16, read and written.
    result.others = shape.layers * (chunks * passed_on(tiling) + importance);
    return result;
}

/// Bytes for operands in Kelle's SRAM with a batch of one. These are three quarters of the SRAM
/// less the cache's tables, and half of the last quarter, for the ring.
constexpr double room = 2097152 - 2097152 / 4 - 266624 + 2097152 / 8;

std::string line(const Tiling& tiling)
{
    const Traffic bytes = traffic(tiling, room);
    std::ostringstream text;
    text << std::fixed << std::setprecision(0) << "| " << tiling.what << " | " << tiling.chunk
         << " | " << bytes.needed() / 1e9 << " | " << bytes.again / 1e9 << " | "
         << bytes.others / 1e9 << " | " << bytes.total() / 1e9 << " | " << std::setprecision(3)
         << bytes.ratio() << " |\n";
    return text.str();
}

const Tiling shipped{"and the array adds", 128, true, true, false};

} // namespace

TEST_CASE("of the tilings that the machine has, firmware's moves fewest bytes in a prefill of 16K")
{
    const Tiling others[] = {
        {"activated vectors in DRAM", 128, false, false, false},
        {"activated vectors in parts", 128, true, false, false},
        {"and the array adds, one part", 64, true, true, false},
        {"and the array adds, normed vectors in DRAM", 256, true, true, false},
    };
    const Tiling others_have[] = {
        {"and gate and up by columns on chip", 128, true, true, true},
        {"activated vectors in DRAM, 2048 rows of sums", 128, false, false, false, 2048},
    };
    std::string table = line(shipped);
    const double least = traffic(shipped, room).total();
    for (const Tiling& tiling : others)
        table += line(tiling);
    for (const Tiling& tiling : others_have)
        table += line(tiling);
    INFO("\n" << table);
    for (const Tiling& tiling : others)
        CHECK(traffic(tiling, room).total() > least);
    for (const Tiling& tiling : others_have) // Other firmware or arrays use these.
        CHECK(traffic(tiling, room).total() < least);
    CHECK(traffic(shipped, room).ratio() < 1.3);
}

TEST_CASE("a prefill of 16K moves no more than 1.3 times its weights, keys and values, as by hand")
{
    const Workplace place;
    const Outcome outcome =
        place.levee({"run", "kelle/kelle_edram", "--quiet", "--out", "out", "--set",
                     "workload.prompt_tokens=16384", "--set", "workload.max_new_tokens=1", "--set",
                     "workload.context=16512", "--set", "workload.batch=1"});
    REQUIRE(outcome.code == 0);
    const nlohmann::json metrics = place.results("out")["metrics"];
    CHECK(metrics["prefill.activated_tile"] == 64);
    const double moved = metrics["roofline.prefill.dram.bytes"];
    const Traffic by_hand = traffic(shipped, room);
    CHECK(moved == Approx(by_hand.total()).epsilon(0.005));
    CHECK(moved < 1.3 * by_hand.needed());
}

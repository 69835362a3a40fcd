// SPDX-License-Identifier: Apache-2.0
// Compares a token of OPT-6.7B on Cambricon-LLM-S and -L with the hand calculation of
// docs/cambricon.md. No number here comes from the simulator.
#include "test/system/program.hpp"

#include <cmath>
#include <string>

using levee::test::Workplace;

namespace {

/// Parameters of Cambricon-LLM's machines (table II), and further settings that the scenarios make.
/// Times are in us; a byte takes 1 ns on a channel.
struct Machine {
    double channels, cores; ///< `cores`: cores of a channel.
    double sense = 30, page = 16384, slice = 2048;
};

struct Product {
    double rows, columns;
};

double power_of_two(double limit, double needed)
{
    double power = 1;
    while (power < needed && 2 * power <= limit)
        power *= 2;
    return power;
}

/// Returns the time of a product in us. Tiles follow one another without a gap. Then come the
/// computation and the results of the last tile. While pages are read, an input waits for half of a
/// page's slice. Without reads, it waits for the results of the tile's other cores.
double product_us(const Machine& machine, const Product& product)
{
    const double columns =
        power_of_two(std::sqrt(machine.cores * machine.page), product.columns / machine.channels);
    const double core_rows = machine.page / columns, height = machine.cores * core_rows;
    const double input = columns * 1e-3, result = core_rows * 1e-3;
    const double vectors = input + machine.cores * result;
    const double read = machine.page * 1e-3 * machine.sense / (machine.sense - vectors);
    const double alpha = machine.cores * read / (machine.cores * read + machine.sense + input);
    const double tile_rows = std::ceil(alpha * product.rows / height);
    const double tiles = tile_rows * std::ceil(product.columns / (machine.channels * columns));
    const double left = std::max(0.0, product.rows - tile_rows * height);
    const double pages =
        std::ceil(std::ceil(left * product.columns / machine.page) / machine.channels);
    const double alone = tiles * (machine.sense + input) + machine.sense + machine.cores * result;
    if (pages == 0) {
        const double waits = machine.cores * result > input ? (machine.cores - 1) * result : 0;
        return alone + std::floor((tiles - 2) / 2) * waits;
    }
    // For this share of the time, the bus is transferring a slice. On average, half of the slice
    // remains.
    const double busy = pages * machine.page * 1e-3 / alone;
    return alone + tiles * busy * machine.slice * 1e-3 / 2;
}

/// Returns the time of a layer's other work in us. This is the function unit with 16 lanes at 1
/// GHz, the array with keys and values, and descriptors.
double others_us()
{
    const double vector = 4096 / 16.0 * 1e-3;
    const double norms = 2 * 3.5 * vector, adds = 2 * 1.5 * vector, quantised = 3 * 2 * vector;
    const double activation = 16384 / 16.0 * 1e-3 * 2;
    const double attention = 2 * 1.1;
    return norms + adds + quantised + activation + attention;
}

/// Returns the seconds of 32 layers.
double token_by_hand(const Machine& machine)
{
    const Product products[] = {{12288, 4096}, {4096, 4096}, {16384, 4096}, {4096, 16384}};
    double layer = others_us();
    for (const Product& product : products)
        layer += product_us(machine, product);
    return 32 * layer * 1e-6;
}

const std::string paper_tile = "system.memories.flash.placing.tile=least_transfer";

double token_by_run(const std::string& system,
                    const std::vector<std::string>& settings = {paper_tile})
{
    const Workplace place;
    std::vector<std::string> arguments{
        "run",   "cambricon/decode",
        "--out", "out",
        "--set", "system={extends: cambricon/systems/" + system + ".yaml}"};
    for (const std::string& setting : settings)
        arguments.insert(arguments.end(), {"--set", setting});
    REQUIRE(place.levee(arguments).code == 0);
    return place.results("out").at("metrics").at("decode.seconds").get<double>();
}

} // namespace

TEST_CASE("a token of OPT-6.7B on Cambricon-LLM-S takes the time calculated by hand")
{
    CHECK(token_by_run("s") == Approx(token_by_hand({8, 4})).epsilon(0.01));
}

TEST_CASE("a token of OPT-6.7B on Cambricon-LLM-L takes the time calculated by hand")
{
    CHECK(token_by_run("l") == Approx(token_by_hand({32, 16})).epsilon(0.01));
}

TEST_CASE("speeds printed in figure 9: S within 8 %, M and L within 18 %")
{
    CHECK(1 / token_by_run("s") == Approx(3.56).epsilon(0.08));
    CHECK(1 / token_by_run("m") == Approx(10.96).epsilon(0.18));
    CHECK(1 / token_by_run("l") == Approx(36.34).epsilon(0.18));
}

TEST_CASE("figures 12 and 14: the gains of slice control and of the NPU's share on S")
{
    const double all = token_by_run("s");
    const double whole_pages = token_by_run("s", {paper_tile, "system.memories.flash.slice=0 B",
                                                  "system.memories.flash.arbitration=first_come"});
    const double flash_alone =
        token_by_run("s", {paper_tile, "system.memories.flash.placing.alpha=1"});
    CHECK(whole_pages / all > 1.5); // Published: 1.6 to 1.8 over all models.
    CHECK(whole_pages / all < 1.9);
    CHECK(flash_alone / all > 1.25); // Published: 1.3 to 1.4.
    CHECK(flash_alone / all < 1.45);
}

TEST_CASE("figure 13: with a tile of 4096 x 128, a core senses one page while it computes another")
{
    // Published: 24.7 % over all models. With buffers reserved for a result from the arrival of its
    // input, this would be 134 %.
    const double tall = token_by_run("s", {"system.memories.flash.placing.core_columns=16"});
    CHECK(tall / token_by_run("s") > 1.25);
    CHECK(tall / token_by_run("s") < 1.35);
}

TEST_CASE("with widths that are no power of two, the choice by time beats any fixed tile width")
{
    const auto speed = [](const char* system, const std::string& model, const std::string& tile) {
        std::vector<std::string> settings{"model.shape=models/" + model + ".yaml"};
        if (!tile.empty())
            settings.push_back("system.memories.flash.placing." + tile);
        return 1 / token_by_run(system, settings);
    };
    CHECK(speed("s", "opt-13b", "core_columns=128") == Approx(1.884).epsilon(0.001));
    CHECK(speed("s", "opt-13b", "") == Approx(1.91).epsilon(0.005));
    CHECK(speed("m", "llama2-13b", "core_columns=64") == Approx(5.125).epsilon(0.001));
    CHECK(speed("m", "llama2-13b", "") == Approx(6.07).epsilon(0.005));
    CHECK(speed("m", "llama2-13b", "tile=least_transfer") == Approx(4.47).epsilon(0.005));
}

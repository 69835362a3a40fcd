// SPDX-License-Identifier: Apache-2.0
// Tests products on VEDA's PE arrays, issued by firmware on whole systems.
#include "core/abi/model_image.h"
#include "platform/input/model/image_writer.hpp"
#include "platform/input/model/model_image.hpp"
#include "test/system/program.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

using namespace levee;
using levee::test::Outcome;
using levee::test::Workplace;

namespace {

/// Writes the embedded model with FP16 weights.
std::string embedded_fp16()
{
    const ModelImage image =
        ModelImage::open(std::string(LEVEE_SOURCE) + "/models/embedded/stories.levee");
    const auto phases = image.tensor(LEVEE_TENSOR_ROPE_PHASE).words();
    const std::vector<std::uint8_t> bytes = image_in_memory(
        {.shape = image.shape(),
         .name = image.name(),
         .tokenizer = image.tokenizer(),
         .phases = {phases.begin(), phases.end()},
         .rows =
             [&](const TensorSpec& spec, std::uint32_t first, std::span<float> out) {
                 const auto values = image.values(spec.kind, spec.layer);
                 std::copy_n(values.begin() + std::ptrdiff_t{first} * spec.cols, out.size(),
                             out.begin());
             }},
        LEVEE_TYPE_FP16);
    return {bytes.begin(), bytes.end()};
}

} // namespace

TEST_CASE("a matrix of the embedded model on the PE arrays, inner and outer, bit for bit")
{
    const Workplace place;
    place.write("half.levee", embedded_fp16());
    const Outcome run = place.levee({"run", "veda_gemv", "--set", "model.image=half.levee"});
    CHECK(run.code == 0);
    const auto results = place.results("out/veda_gemv");
    CHECK(
        results["text"].get<std::string>().starts_with("Wq is 64 x 64; 128 of 128 results right"));
    // One product takes 64 beats and a fill of 9, the other 64 and a fill of 2.
    CHECK(results["metrics"]["veda.cycles"] == 64 + 9 + 64 + 2);
    CHECK(results["metrics"]["veda.macs"] == 2 * 64 * 64);
    CHECK(results["metrics"]["veda.operations"] == 2);
}

TEST_CASE("the Verilated arrays, alone and in lockstep, give the same run")
{
    const Workplace place;
    place.write("half.levee", embedded_fp16());
    const auto figures = [&](const std::string& implementation) {
        const Outcome run =
            place.levee({"run", "veda_gemv", "--set", "model.image=half.levee", "--set",
                         "system.blocks.veda.impl=" + implementation, "--out", implementation});
        CHECK(run.code == 0);
        const auto results = place.results(implementation);
        nlohmann::json own;
        for (const auto& [name, value] : results["metrics"].items())
            if (!name.starts_with("host.") && name.find("rtl") == std::string::npos &&
                name.find("lockstep") == std::string::npos)
                own[name] = value;
        return own;
    };
    const auto tlm = figures("tlm");
    CHECK(figures("rtl") == tlm);
    CHECK(figures("lockstep") == tlm);
}

TEST_CASE("a size that no RTL has is refused with the existing sizes")
{
    const Workplace place;
    const Outcome run = place.levee({"run", "veda_gemv", "--set", "system.blocks.veda.impl=rtl",
                                     "--set", "system.blocks.veda.rows=4"});
    CHECK(run.code == 2);
    CHECK(run.text.find("2 arrays of 8 x 8") != std::string::npos);
}

TEST_CASE("cosim of the arrays finds no difference and reaches every cover point")
{
    const Workplace place;
    const Outcome small = place.levee({"cosim", "veda_4x4"});
    CHECK(small.code == 0);
    CHECK(small.text.find("equal, in values and cycles") != std::string::npos);
    CHECK(small.text.find("NEVER") == std::string::npos);
    CHECK(place.levee({"cosim", "veda_8x8", "--ops", "300", "--seed", "5"}).code == 0);
    for (const char* design : {"veda_4x4_deep", "veda_4x4_partial"}) {
        const Outcome deep = place.levee({"cosim", design, "--ops", "700"});
        CHECK(deep.code == 0);
        CHECK(deep.text.find("NEVER") == std::string::npos);
    }
}

TEST_CASE("arrays of other sizes sum in another order, with correct results")
{
    const Workplace place;
    place.write("half.levee", embedded_fp16());
    for (const char* arrays : {"1", "4"}) {
        const Outcome run = place.levee({"run", "veda_gemv", "--set", "model.image=half.levee",
                                         "--set", "system.blocks.veda.rows=2", "--set",
                                         std::string("system.blocks.veda.arrays=") + arrays});
        CHECK(run.code == 0);
        CHECK(run.text.find("128 of 128 results right") != std::string::npos);
    }
}

TEST_CASE("an integer model, and arrays with an impossible tree, are refused with the reason")
{
    const Workplace place;
    const Outcome integers = place.levee({"run", "veda_gemv"});
    CHECK(integers.code != 0);
    CHECK(integers.text.find("are not FP16") != std::string::npos);
    const Outcome rows = place.levee({"run", "veda_gemv", "--set", "system.blocks.veda.rows=6"});
    CHECK(rows.code == 2);
    CHECK(rows.text.find("not a power of two") != std::string::npos);
}

TEST_CASE("a scenario's pipeline depth and partial sums change the fill, in TLM and in RTL")
{
    const Workplace place;
    place.write("half.levee", embedded_fp16());
    for (const char* implementation : {"tlm", "lockstep"}) {
        std::vector<std::string> arguments{"run", "veda_gemv"};
        for (const char* setting :
             {"rows=4", "columns=4", "multiplier_stages=3", "tree_stages=2", "rounding_stages=2"})
            arguments.insert(arguments.end(),
                             {"--set", std::string("system.blocks.veda.") + setting});
        arguments.insert(arguments.end(),
                         {"--set", "model.image=half.levee", "--set",
                          std::string("system.blocks.veda.impl=") + implementation});
        const Outcome run = place.levee(arguments);
        CHECK(run.code == 0);
        // With 32 lanes, a product takes 64 x 2 cycles. The fill is 3 + 6 x 2 + 2 for the inner
        // product and 3 + 1 + 2 for the outer one (ip/veda/README.md).
        CHECK(place.results("out/veda_gemv")["metrics"]["veda.cycles"] == 128 + 17 + 128 + 6);
        arguments.insert(arguments.end(), {"--set", "system.blocks.veda.partial_sums=2"});
        // The program computes sums in one order only.
        CHECK(place.levee(arguments).text.find("of 128 results right") != std::string::npos);
        // Each of 64 sums of 2, and each of 2 sums of 64, takes two more cycles. The fills grow to
        // 3 + 6 x 3 + 2 and 3 + 2 + 2.
        CHECK(place.results("out/veda_gemv")["metrics"]["veda.cycles"] ==
              (128 + 2 * 64 + 23) + (128 + 2 * 2 + 7));
    }
    const Outcome bad =
        place.levee({"run", "veda_gemv", "--set", "system.blocks.veda.partial_sums=3"});
    CHECK(bad.code == 2);
    CHECK(bad.text.find("partial_sums") != std::string::npos);
}

TEST_CASE("an adder tree computes everything in inner mode, also in RTL, and its pass is counted")
{
    const Workplace place;
    place.write("half.levee", embedded_fp16());
    for (const char* implementation : {"tlm", "lockstep"}) {
        const Outcome run = place.levee({"run", "veda_gemv", "--set", "model.image=half.levee",
                                         "--set", "system.blocks.veda.dataflow=adder_tree", "--set",
                                         std::string("system.blocks.veda.impl=") + implementation});
        // The program expects the second product's sums in the order of outer mode, but an adder
        // tree sums as in inner mode. So the first product's 64 results are right, and only some
        // of the second's.
        CHECK(run.code == 1);
        CHECK(run.text.find("of 128 results right") != std::string::npos);
        const auto results = place.results("out/veda_gemv");
        // The second of two products of 64 x 64 uses the first one's result as B, stored [k][n].
        CHECK(results["metrics"]["veda.cycles"] == 64 + 9 + (64 + 64 + 9));
        CHECK(results["metrics"]["veda.transposed_bytes"] == 64 * 64 * 2);
    }
    const Outcome without =
        place.levee({"run", "veda_gemv", "--set", "system.blocks.veda.transpose=false"});
    CHECK(without.code == 2);
    CHECK(without.text.find("dataflow: adder_tree") != std::string::npos);
}

TEST_CASE("describe shows the arrays")
{
    const Workplace place;
    const Outcome text = place.levee({"describe", "veda_gemv"});
    CHECK(text.code == 0);
    for (const char* word : {"veda", "arrays", "buffer", "256 KiB", "COLUMNS", "flexible"})
        CHECK(text.text.find(word) != std::string::npos);
}

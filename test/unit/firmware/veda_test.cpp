// SPDX-License-Identifier: Apache-2.0
// Tests fused operations: which operations of a layer remain, in which order, and how many groups
// execute them. Each column and head is computed once.
#include "firmware/llm/operation.h"
#include "ip/element_serial/regs.h"
#include "ip/veda/regs.h"
#include "test/unit/firmware/jobs.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <vector>

using namespace levee::test;

namespace {

fake_job veda_job(std::uint32_t groups)
{
    fake_job job = llama();
    job.scheduler = "veda";
    job.shape.weight_type = LEVEE_TYPE_FP16;
    job.groups = groups;
    return job;
}

int kind_of(const fake_executed& executed)
{
    return static_cast<int>(executed.descriptor.tag & 0xFF);
}

/// Returns the kinds of operations in one layer of a step, in the order of execution, once per
/// executing unit. The scores and the storing of V may come in either order.
std::vector<int> kinds_of(const fake_outcome& outcome, std::int32_t step, std::uint32_t layer)
{
    std::vector<int> kinds;
    for (std::uint32_t i = 0; i < outcome.executed_count; ++i) {
        const fake_executed& executed = outcome.executed[i];
        if (executed.step == step && layer_of(executed.descriptor) == layer &&
            kind_of(executed) != OPERATION_STORE_VALUE)
            kinds.push_back(kind_of(executed));
    }
    return kinds;
}

using Kinds = std::vector<int>;

Kinds operator+(Kinds first, const Kinds& second)
{
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

const Kinds step_layer{OPERATION_LINEAR, OPERATION_LINEAR, // x is normalised while it is read.
                       OPERATION_QUERY,  OPERATION_STORE_KEY, OPERATION_SCORES,   OPERATION_SCORES,
                       OPERATION_MIX,    OPERATION_MIX,       OPERATION_LINEAR,   OPERATION_LINEAR,
                       OPERATION_LINEAR, OPERATION_LINEAR,    OPERATION_ACTIVATE, OPERATION_LINEAR,
                       OPERATION_LINEAR};

/// Returns the GEMVs with weights in a step.
std::vector<levee_veda_operation> products_of(const fake_outcome& outcome, std::int32_t step)
{
    std::vector<levee_veda_operation> found;
    for (std::uint32_t i = 0; i < outcome.executed_count; ++i) {
        const fake_executed& executed = outcome.executed[i];
        const bool arrays = executed.unit == FAKE_VEDA || executed.unit == FAKE_VEDA + 1;
        if (executed.step == step && kind_of(executed) == OPERATION_LINEAR && arrays)
            found.push_back(operation_of<levee_veda_operation>(executed.descriptor));
    }
    return found;
}

constexpr std::uint64_t edram_base = 0x30000000;

/// Returns the first addresses of the heads' keys or values that arrays read in a layer, each head
/// once.
std::set<std::uint64_t> slices_read(const fake_outcome& outcome, int kind, std::int32_t step,
                                    std::uint32_t layer)
{
    std::set<std::uint64_t> slices;
    for (std::uint32_t i = 0; i < outcome.executed_count; ++i) {
        const fake_executed& executed = outcome.executed[i];
        if (executed.step != step || layer_of(executed.descriptor) != layer ||
            kind_of(executed) != kind ||
            (executed.unit != FAKE_VEDA && executed.unit != FAKE_VEDA + 1))
            continue;
        const auto product = operation_of<levee_veda_operation>(executed.descriptor);
        for (std::uint32_t head = 0; head < product.outer[1]; ++head)
            CHECK(slices.insert(product.b + head * static_cast<std::uint64_t>(product.b_stride[1]))
                      .second);
    }
    return slices;
}

} // namespace

TEST_CASE(
    "a decode step on VEDA has no separate pass for norms, softmax and sums, and keeps its order")
{
    for (const std::uint32_t rsa_first : {0u, 1u}) {
        fake_job job = veda_job(1);
        job.rsa_first = rsa_first;
        const auto outcome = run(job);
        INFO(outcome->message);
        REQUIRE(outcome->exit_code == 0);
        for (std::int32_t step = 0; step < static_cast<std::int32_t>(job.steps); ++step) {
            CHECK(kinds_of(*outcome, step, 0) == Kinds{OPERATION_NORM} + step_layer);
            for (std::uint32_t layer = 1; layer < job.shape.layers; ++layer)
                CHECK(kinds_of(*outcome, step, layer) == step_layer);
        }
    }
}

TEST_CASE("a prefill on VEDA writes normalised vectors and probabilities to memory")
{
    const auto outcome = run(veda_job(1));
    REQUIRE(outcome->exit_code == 0);
    const Kinds prefill{OPERATION_NORM,      OPERATION_LINEAR, OPERATION_QUERY,
                        OPERATION_STORE_KEY, OPERATION_SCORES, OPERATION_SCORES,
                        OPERATION_SOFTMAX,   OPERATION_MIX,    OPERATION_LINEAR,
                        OPERATION_LINEAR,    OPERATION_NORM,   OPERATION_LINEAR,
                        OPERATION_ACTIVATE,  OPERATION_LINEAR, OPERATION_LINEAR};
    // The statistics of X come first.
    CHECK(kinds_of(*outcome, -1, 0) == Kinds{OPERATION_NORM} + prefill);
    CHECK(kinds_of(*outcome, -1, 1) == prefill);
}

TEST_CASE("groups share every product with weights, each column once, on separate ports")
{
    fake_job job = veda_job(2);
    job.shape.hidden = 300; // Gate and up have 600 columns, five pieces of at most 128.
    const auto outcome = run(job);
    INFO(outcome->message);
    REQUIRE(outcome->exit_code == 0);
    const auto alone = run([&] {
        fake_job one = job;
        one.groups = 1;
        return one;
    }());
    REQUIRE(alone->exit_code == 0);
    const auto columns = [](const std::vector<levee_veda_operation>& products) {
        std::map<std::uint64_t, int> read; // First weight of each column, and how often it is read.
        for (const levee_veda_operation& product : products)
            for (std::uint32_t n = 0; n < product.n; ++n)
                ++read[product.b +
                       std::uint64_t{n} * static_cast<std::uint32_t>(product.b_stride[2])];
        std::vector<int> times;
        for (const auto& [address, count] : read)
            times.push_back(count);
        return times;
    };
    const auto shared = products_of(*outcome, 1), whole = products_of(*alone, 1);
    CHECK(shared.size() > whole.size());
    CHECK(columns(shared) == columns(whole));
    bool second_ports = false;
    for (const levee_veda_operation& product : shared)
        second_ports |= product.a == LEVEE_STREAM(4); // Group 1 has the ports 3, 4 and 5.
    CHECK(second_ports);
    // No unit has processed all of X, so the statistics of X are computed when they are needed.
    CHECK(kinds_of(*outcome, 1, 1).front() == OPERATION_NORM);
}

TEST_CASE("groups share the heads of each part of a cache, each head once")
{
    fake_job job = veda_job(2);
    job.shape.kv_heads = job.shape.heads;
    // These eDRAMs hold 1, 2, 3 and 5 of 8 heads.
    for (const std::uint64_t edram : {4096u, 8192u, 12288u, 20480u}) {
        job.kv_edram_bytes = edram;
        const auto outcome = run(job);
        INFO("eDRAM of " << edram << ": " << outcome->message);
        REQUIRE(outcome->exit_code == 0);
        for (const int kind : {OPERATION_SCORES, OPERATION_MIX})
            for (std::int32_t step = -1; step < 2; ++step) {
                const std::set<std::uint64_t> slices = slices_read(*outcome, kind, step, 0);
                CHECK(slices.size() == job.shape.heads);
                // There are 128 slots of 16 bytes, with keys in the lower half and values in the
                // upper.
                const std::uint64_t base = edram_base + (kind == OPERATION_MIX ? edram / 2 : 0);
                std::uint64_t resident = 0;
                for (const std::uint64_t slice : slices)
                    resident += slice - base < edram / 2;
                CHECK(resident == edram / 2 / 2048);
                CHECK(slices.upper_bound(base + edram / 2 - 1) ==
                      slices.lower_bound(edram_base + 65536));
            }
    }
}

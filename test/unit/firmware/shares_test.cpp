// SPDX-License-Identifier: Apache-2.0
// Tests products that several arrays share. Every column and head is computed once, and nothing
// starts before its inputs are written. Fences carry the waits that do not fit into a descriptor.
#include "core/abi/descriptor.h"
#include "firmware/target/operations.h"
#include "ip/rsa/regs.h"
#include "test/unit/firmware/jobs.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

using namespace levee::test;

namespace {

constexpr std::uint32_t columns = 32; // Columns of the fake platform's arrays.

fake_job with_arrays(std::uint32_t arrays)
{
    fake_job job = llama();
    job.arrays = arrays;
    return job;
}

int kind_of(const fake_executed& executed)
{
    return static_cast<int>(executed.descriptor.tag & 0xFF);
}

bool is_array(std::uint32_t unit)
{
    return unit == FAKE_RSA || unit == FAKE_RSA_KV || unit >= FAKE_MORE_ARRAYS;
}

/// Returns the shares of every product. The map's key has the step, the layer with its operation,
/// and the widths of operand and result.
using Product = std::tuple<std::int32_t, std::uint32_t, std::uint64_t>;
std::map<Product, std::vector<levee_rsa_operation>> products(const fake_outcome& outcome, int kind)
{
    std::map<Product, std::vector<levee_rsa_operation>> found;
    for (std::uint32_t i = 0; i < outcome.executed_count; ++i) {
        const fake_executed& executed = outcome.executed[i];
        if (kind_of(executed) != kind || !is_array(executed.unit) ||
            executed.descriptor.opcode != LEVEE_RSA_GEMM)
            continue;
        const auto share = operation_of<levee_rsa_operation>(executed.descriptor);
        found[{executed.step, executed.descriptor.tag,
               static_cast<std::uint64_t>(share.out_stride[2]) << 32 | share.k}]
            .push_back(share);
    }
    return found;
}

/// Counts how often each product writes each column, by address.
std::map<std::uint64_t, int> columns_written(const std::vector<levee_rsa_operation>& shares)
{
    std::map<std::uint64_t, int> written;
    for (const levee_rsa_operation& share : shares)
        for (std::uint32_t n = 0; n < share.n; ++n)
            ++written[share.out + 4ull * n];
    return written;
}

} // namespace

TEST_CASE("arrays share every product with weights: whole folds each, and every column once")
{
    const auto alone = run(with_arrays(1));
    REQUIRE(alone->exit_code == 0);
    const auto whole = products(*alone, OPERATION_LINEAR);
    for (const std::uint32_t arrays : {2u, 3u, 7u}) {
        const auto outcome = run(with_arrays(arrays));
        INFO(arrays << " arrays: " << outcome->message);
        REQUIRE(outcome->exit_code == 0);
        const auto shared = products(*outcome, OPERATION_LINEAR);
        std::size_t most = 0;
        for (const auto& [product, shares] : shared) {
            const auto written = columns_written(shares);
            CHECK(std::all_of(written.begin(), written.end(),
                              [](const auto& column) { return column.second == 1; }));
            most = std::max(most, shares.size());
            std::set<std::uint64_t> weights;
            for (const levee_rsa_operation& share : shares) {
                weights.insert(share.b);
                const bool last = share.out + 4ull * share.n == written.rbegin()->first + 4;
                CHECK((last || share.n % columns == 0));
            }
            CHECK(weights.size() == shares.size());
        }
        CHECK(most == arrays);
        REQUIRE(shared.size() == whole.size());
        auto one = whole.begin();
        for (const auto& [product, shares] : shared) {
            CHECK(columns_written(shares).size() == columns_written(one->second).size());
            ++one;
        }
    }
}

TEST_CASE("arrays share the products with keys and values by heads, or by entries of a batch")
{
    for (const std::uint32_t arrays : {2u, 3u, 7u})
        for (const std::uint32_t batch : {1u, 5u}) {
            fake_job job = with_arrays(arrays);
            set_batch(job, batch);
            const auto outcome = run(job);
            INFO(arrays << " arrays, batch " << batch << ": " << outcome->message);
            REQUIRE(outcome->exit_code == 0);
            for (const int kind : {OPERATION_SCORES, OPERATION_MIX}) {
                std::map<std::pair<std::int32_t, std::uint32_t>, std::multiset<std::uint64_t>> out;
                for (const auto& [product, shares] : products(*outcome, kind))
                    for (const levee_rsa_operation& share : shares)
                        for (std::uint32_t o0 = 0; o0 < share.outer[0]; ++o0)
                            for (std::uint32_t o1 = 0; o1 < share.outer[1]; ++o1)
                                out[{std::get<0>(product), std::get<1>(product)}].insert(
                                    share.out +
                                    o0 * static_cast<std::uint64_t>(share.out_stride[0]) +
                                    o1 * static_cast<std::uint64_t>(share.out_stride[1]));
                for (const auto& [layer, heads] : out) {
                    if (layer.first < 0)
                        continue;
                    CHECK(heads.size() == batch * job.shape.kv_heads);
                    CHECK(std::set<std::uint64_t>(heads.begin(), heads.end()).size() ==
                          heads.size());
                }
            }
        }
}

TEST_CASE("scores that go to a stream port stay on one array")
{
    fake_job job = opt();
    job.arrays = 2;
    job.kv.kind = LEVEE_KV_AEP;
    job.kv.budget = 12;
    job.kv.window = 4;
    job.kv.view_bits = 4;
    job.kv.score = LEVEE_KV_SCORE_LOGIT;
    const auto outcome = run(job);
    INFO(outcome->message);
    REQUIRE(outcome->exit_code == 0);
    std::uint32_t tapped = 0;
    for (std::uint32_t i = 0; i < outcome->executed_count; ++i) {
        const fake_executed& executed = outcome->executed[i];
        if (kind_of(executed) != OPERATION_SCORES)
            continue;
        const auto scores = operation_of<levee_rsa_operation>(executed.descriptor);
        if (scores.tap == 0)
            continue;
        ++tapped;
        CHECK(executed.unit == FAKE_RSA);
        CHECK(scores.outer[1] == job.shape.kv_heads);
    }
    // The count includes the scores of the prefill.
    CHECK(tapped == (1 + job.steps) * job.shape.layers);
}

TEST_CASE("fences carry the waits that exceed a descriptor's places")
{
    fake_job job = with_arrays(7);
    for (const std::uint32_t rsa_first : {0u, 1u}) {
        job.rsa_first = rsa_first;
        const auto outcome = run(job);
        INFO(outcome->message);
        REQUIRE(outcome->exit_code == 0);
        std::set<std::uint8_t> waited;
        std::uint32_t fences = 0, adds = 0;
        for (std::uint32_t i = 0; i < outcome->executed_count; ++i) {
            const fake_executed& executed = outcome->executed[i];
            if (executed.unit != FAKE_SFU || kind_of(executed) != OPERATION_ADD)
                continue;
            for (const std::uint8_t counter : executed.descriptor.wait_counter)
                if (counter != LEVEE_NO_COUNTER)
                    waited.insert(counter);
            if (executed.descriptor.opcode == LEVEE_OPCODE_FENCE) {
                ++fences;
                continue;
            }
            ++adds;
            // PROJECTED is 64 wide, which is two folds of 32 columns, on two of the arrays.
            CHECK(waited.count(FAKE_RSA) == 1);
            CHECK(waited.count(FAKE_MORE_ARRAYS) == 1);
            waited.clear();
        }
        CHECK(adds == (job.steps + 1) * 2 * job.shape.layers);
        // The gate and up product is 344 wide, which is eleven folds, on all seven arrays.
        std::uint32_t of_activate = 0;
        for (std::uint32_t i = 0; i < outcome->executed_count; ++i)
            of_activate += kind_of(outcome->executed[i]) == OPERATION_ACTIVATE &&
                           outcome->executed[i].descriptor.opcode == LEVEE_OPCODE_FENCE;
        CHECK(of_activate == (job.steps + 1) * job.shape.layers);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Tests retrieval attention on the host: the waits of its operations, and errors for missing
// components.
#include "ip/cam/regs.h"
#include "ip/rsa/regs.h"
#include "ip/sfu/regs.h"
#include "test/unit/firmware/jobs.hpp"
#include "test/unit/firmware/limited.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <iterator>
#include <string>

using namespace levee::test;

namespace {

bool waits_for(const levee_descriptor& descriptor, std::uint8_t counter)
{
    return std::find(std::begin(descriptor.wait_counter), std::end(descriptor.wait_counter),
                     counter) != std::end(descriptor.wait_counter);
}

fake_job retrieving()
{
    fake_job job = limited(LEVEE_KV_RETRIEVAL);
    job.retrieval = {4, LEVEE_CAM_L2_PRODUCT, LEVEE_CAM_SUM, 0, 6, 0};
    job.cam_rows = 1u << 20;
    return job;
}

} // namespace

TEST_CASE("attention waits for the search, and the search for the query and for all proxies")
{
    for (const char* scheduler : {"baseline", "kelle"})
        for (const std::uint64_t edram : {0u, 16384u}) // The second size splits the cache.
            for (const std::uint32_t rsa_first : {0u, 1u}) {
                INFO(scheduler << ", eDRAM of " << edram);
                fake_job job = retrieving();
                job.scheduler = scheduler;
                job.kv_edram_bytes = edram;
                job.rsa_first = rsa_first;
                const auto outcome = run(job);
                INFO(outcome->message);
                REQUIRE(outcome->exit_code == 0);
                CHECK(of_kind(of_layer(*outcome, 1, -1), OPERATION_SEARCH).empty());
                CHECK_FALSE(of_kind(of_layer(*outcome, 1, -1), OPERATION_WRITE_PROXIES).empty());
                const auto layer = of_layer(*outcome, 1, 1);
                const auto searches = of_kind(layer, OPERATION_SEARCH);
                const auto scores = of_kind(layer, OPERATION_SCORES);
                REQUIRE(searches.size() == scores.size());
                CHECK(of_kind(layer, OPERATION_WRITE_PROXIES).size() == searches.size());
                const auto search = operation_of<levee_cam_operation>(searches[0].descriptor);
                // The search waits for the query.
                CHECK(waits_for(searches[0].descriptor, FAKE_SFU));
                CHECK(search.width == 6);
                for (const fake_executed& score : scores) {
                    const auto product = operation_of<levee_rsa_operation>(score.descriptor);
                    // The product waits for the scales in the list, and so for the search.
                    CHECK(waits_for(score.descriptor, FAKE_DMA));
                    CHECK(product.redirect != 0);
                    CHECK(product.lengths == search.counts);
                }
                for (const fake_executed& softmax : of_kind(layer, OPERATION_SOFTMAX))
                    CHECK(operation_of<levee_sfu_operation>(softmax.descriptor).n == 6);
            }
}

TEST_CASE("a block that retrieval needs and the machine lacks is named")
{
    const auto refused = [](const fake_job& job) {
        const auto outcome = run(job);
        CHECK(outcome->exit_code == 1);
        return std::string(outcome->message);
    };
    fake_job job = retrieving();
    job.cam_rows = 0;
    CHECK_THAT(refused(job), Catch::Contains("no content-addressable memory"));
    job.cam_rows = 64;
    CHECK_THAT(refused(job), Catch::Contains("has 64 rows"));
    job = retrieving();
    job.scheduler = "kelle_baseline";
    CHECK_THAT(refused(job), Catch::Contains("kelle_baseline stages"));
}

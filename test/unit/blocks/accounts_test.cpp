// SPDX-License-Identifier: Apache-2.0
// Tests which resources on an access's path count its bytes.
#include "core/flow/bulk.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace {

using namespace levee;

class Flat : public FlowResource {
public:
    using FlowResource::FlowResource;
    void price(std::span<const FlowUse* const> mix, std::span<const StreamDemand>,
               std::span<double> ps_per_byte) override
    {
        std::fill_n(ps_per_byte.begin(), mix.size(), 1.0);
    }
};

std::vector<bool> accounted(const std::vector<FlowUse>& uses)
{
    std::vector<bool> all;
    for (const FlowUse& use : uses)
        all.push_back(use.accounted);
    return all;
}

} // namespace

TEST_CASE("of several resources in series with one account, only one counts the bytes")
{
    Flat link({FlowAccount::Kind::Link, "bus", "flash"});
    Flat port({FlowAccount::Kind::Storage, "flash"}, "flash.port");
    Flat planes({FlowAccount::Kind::Storage, "flash"}, "flash.planes");
    // The accounts are different; the names only share a prefix.
    Flat others({FlowAccount::Kind::Storage, "flash.planes"});
    std::vector<FlowUse> uses;
    BulkExtension access;
    access.phase = BulkExtension::Phase::Open;
    access.bytes = 100;
    access.uses = &uses;
    for (Flat* hop : {&link, &port, &planes, &others})
        access.pass_through(*hop, 10);
    CHECK(access.latency == 40);
    CHECK(accounted(uses) == std::vector<bool>{true, true, false, true});

    access.first_use = uses.size(); // The same operation makes a second access.
    access.pass_through(port, 10);
    CHECK(uses.back().accounted);
}

TEST_CASE("resources that divide an access each count their part")
{
    Flat one({FlowAccount::Kind::Storage, "edram"}), other({FlowAccount::Kind::Storage, "edram"});
    std::vector<FlowUse> uses;
    BulkExtension access;
    access.bytes = 100;
    access.uses = &uses;
    access.pass_in_part(one, 60);
    access.pass_in_part(other, 40);
    CHECK(accounted(uses) == std::vector<bool>{true, true});
    CHECK(uses[0].bytes + uses[1].bytes == access.bytes);
}

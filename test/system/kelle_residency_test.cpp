// SPDX-License-Identifier: Apache-2.0
// Checks which slices of the cache are in eDRAM, and the DRAM traffic that they save (Kelle,
// section 5.1).
#include "test/system/kelle_case.hpp"

#include <algorithm>

using namespace levee;
using namespace levee::test;

namespace fs = std::filesystem;

namespace {

const fs::path embedded = fs::path(LEVEE_SOURCE) / "models/embedded/stories.levee";
// Layers x heads; bytes of INT16 x head_dim.
constexpr std::uint64_t slices = 5 * 4, row_bytes = 2 * 16;
constexpr std::uint64_t budget = 40, prompt = 60, new_tokens = 20;

KelleRun run_with(const Workplace& place, const std::string& edram, std::uint32_t staging = 0)
{
    KelleCase kelle;
    kelle.system.edram = edram;
    kelle.image = embedded;
    kelle.prompts = {drawn_ids(3, prompt, 256)};
    kelle.new_tokens = new_tokens;
    kelle.policy = kv_policy(LEVEE_KV_AEP, budget, 16, 4);
    kelle.policy.staging_bytes = staging;
    return run_case(place, kelle);
}

// The keys and values of one slice: the bytes that are stored, and the bytes that all decode steps
// read.
constexpr std::uint64_t steps = new_tokens - 1;
constexpr std::uint64_t read_bytes = steps * (budget + 1) * 2 * row_bytes;
constexpr std::uint64_t stored_bytes = (budget + steps) * 2 * row_bytes;

} // namespace

TEST_CASE("kelle residency: slices fill the eDRAM less its staging, the rest is in DRAM")
{
    const Workplace place;
    const std::uint64_t slice = (budget + 1) * row_bytes; // bytes in each half
    for (const std::uint32_t staging : {0u, 8192u, 20000u}) {
        const KelleRun seen = run_with(place, "32 KiB", staging);
        const std::uint64_t fit = (16384 - (staging + 1) / 2) / slice;
        CHECK(seen.count("kv.slices") == slices);
        CHECK(seen.count("kv.resident_slices") == std::min(fit, slices));
    }
    CHECK(run_with(place, "128 KiB").count("kv.resident_slices") == slices);
}

TEST_CASE("kelle residency: DRAM moves the keys and values of the slices that are not resident")
{
    const Workplace place;
    const KelleRun none = run_with(place, "");
    for (const char* edram : {"16 KiB", "32 KiB", "128 KiB"}) {
        const KelleRun some = run_with(place, edram);
        const std::uint64_t resident = some.count("kv.resident_slices");
        // Two operations rotate the keys of a layer in two parts, and both read the phases.
        const std::uint64_t phases = resident % 4 != 0 ? steps * 8 * sizeof(std::uint32_t) : 0;
        INFO(edram << ", " << resident << " of " << slices << " slices");
        CHECK(some.count("kv_edram.read_bytes") == resident * read_bytes);
        CHECK(none.count("dram.read_bytes") - some.count("dram.read_bytes") ==
              resident * read_bytes - phases);
        CHECK(none.count("dram.write_bytes") - some.count("dram.write_bytes") ==
              resident * stored_bytes);
    }
}

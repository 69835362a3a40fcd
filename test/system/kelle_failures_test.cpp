// SPDX-License-Identifier: Apache-2.0
// Tests retention failures in a whole run. The reference replays the run's log of row ages and must
// produce the same logits bit for bit. The flipped bits follow from the seed, the cell and the
// row's age.
#include "platform/input/import/synthetic.hpp"
#include "test/reference/retention_replay.hpp"
#include "test/system/kelle_case.hpp"

#include <map>

using namespace levee;
using namespace levee::test;

namespace fs = std::filesystem;

namespace {

const fs::path embedded = fs::path(LEVEE_SOURCE) / "models/embedded/stories.levee";
constexpr std::uint64_t edram_bytes = 256 << 10;

/// The curve is far worse than any real memory, so that bits fail within a short run.
const std::string curve_text = "[[1 us, 1e-6], [100 us, 1e-3], [1 ms, 0.01], [100 ms, 0.2]]";
const edram::RetentionCurve
    curve({{1'000'000, 1e-6}, {100'000'000, 1e-3}, {1'000'000'000, 0.01}, {100'000'000'000, 0.2}});

KelleCase failing(const levee_kv_policy& policy, const std::string& more = "")
{
    KelleCase kelle;
    kelle.system.edram = "256 KiB";
    kelle.system.interval = "200 us";
    kelle.system.retention = "{curve: " + curve_text + ", time_scale: 20" + more + "}";
    kelle.image = embedded;
    kelle.prompts = {drawn_ids(2, 9, 256), drawn_ids(3, 40, 256), drawn_ids(4, 25, 256)};
    kelle.new_tokens = 30;
    kelle.policy = policy;
    kelle.observe = ", retention_log: retention.csv";
    kelle.seed = 5;
    // The whole prompt is one chunk, because decay between chunks could not be attributed.
    kelle.workload = ", context: 96, prefill_chunk: 64";
    return kelle;
}

/// Returns the contents of the eDRAM (firmware/cache/residency.c). Slices come first, in the order
/// of layer, sequence and head. Keys are in the lower half, and values at the same offset in the
/// upper half. Stored layer inputs follow, alternating between the halves. In an undivided memory,
/// the values come after all keys.
std::vector<StoredRows> places(const KelleCase& kelle, const KelleRun& seen)
{
    const ModelImage image = ModelImage::open(kelle.image);
    const levee_model_header& shape = image.header();
    const bool evicts = kelle.policy.kind != LEVEE_KV_FULL;
    const std::uint32_t rows = evicts ? kelle.policy.budget + 1 : 96;
    const auto batch = static_cast<std::uint32_t>(kelle.prompts.size());
    const auto aligned = [](std::uint64_t bytes) { return (bytes + 63) / 64 * 64; };
    const std::uint64_t slice = std::uint64_t{rows} * shape.head_dim * kelle.kv_bits / 8;
    const std::uint64_t resident = seen.count("kv.resident_slices");
    const bool divided = kelle.system.layout == "kv";
    const std::uint64_t values = divided ? edram_bytes / 2 : aligned(resident * slice);
    std::vector<StoredRows> result;
    for (std::uint64_t i = 0; i < resident; ++i) {
        const auto layer = static_cast<std::uint32_t>(i / shape.kv_heads / batch);
        const auto entry = static_cast<std::uint32_t>(i / shape.kv_heads % batch);
        const auto head = static_cast<std::uint32_t>(i % shape.kv_heads);
        for (const auto what : {Stored::Keys, Stored::Values})
            result.push_back({what, layer, entry, 1, head, 1, rows, shape.head_dim,
                              i * slice + (what == Stored::Values ? values : 0), kelle.kv_bits});
    }
    if (!seen.has("kv.x_rows") || seen.count("kv.x_rows") == 0)
        return result;
    const auto input_rows = static_cast<std::uint32_t>(seen.count("kv.x_rows"));
    const std::uint64_t inputs = aligned(2ull * batch * input_rows * shape.dim);
    const std::uint64_t whole = batch * shape.kv_heads * slice;
    for (std::uint32_t layer = 0;
         (layer + 1) * whole + (layer + 2) / 2 * inputs <= values && layer < shape.layers; ++layer)
        result.push_back(
            {Stored::Inputs, layer, 0, batch, 0, 1, input_rows, shape.dim,
             aligned(resident * slice) + layer / 2 * inputs + (layer % 2 != 0 ? values : 0)});
    return result;
}

struct Replayed {
    std::uint64_t flipped = 0;                    // number of flipped bits
    std::size_t keys = 0, values = 0, inputs = 0; // numbers of failures
};

/// Runs the case and compares all bits. Requires that every logged failure affects data of the
/// model.
Replayed check_replayed(const Workplace& place, const KelleCase& kelle)
{
    const KelleRun seen = run_case(place, kelle);
    const auto log = parse_retention_log(place.read("out/retention.csv"));
    RetentionReplay replay(log, "kv_edram", kelle.seed, places(kelle, seen));
    check_bits(kelle, seen,
               [&](std::uint32_t pass, std::uint32_t layer, std::uint32_t entry,
                   LayerCache& cache) { replay.apply(pass, layer, entry, cache); });
    CHECK(replay.size() == log.size());
    CHECK(replay.applied() == replay.size());
    CHECK(replay.flipped() == seen.count("kv_edram.flipped_bits"));
    return {replay.flipped(), replay.applied(Stored::Keys), replay.applied(Stored::Values),
            replay.applied(Stored::Inputs)};
}

Replayed check_replayed(const KelleCase& kelle)
{
    const Workplace place;
    return check_replayed(place, kelle);
}

} // namespace

TEST_CASE("kelle failures: a full cache, replayed")
{
    const Replayed replayed = check_replayed(failing(kv_policy(LEVEE_KV_FULL, 0, 0, 0)));
    CHECK(replayed.flipped > 1000);
    CHECK(replayed.keys > 100);
    CHECK(replayed.values > 100);
}

TEST_CASE("kelle failures: every evicting policy, replayed")
{
    for (const auto kind : {LEVEE_KV_STREAMING, LEVEE_KV_H2O, LEVEE_KV_RANDOM, LEVEE_KV_AEP}) {
        INFO("policy " << kind);
        const Replayed replayed = check_replayed(failing(kv_policy(kind, 24, 8, 4)));
        CHECK(replayed.keys > 100);
        CHECK(replayed.values > 100);
        CHECK(replayed.inputs == 0);
    }
}

TEST_CASE("kelle failures: recomputation from inputs that decay, replayed")
{
    for (const char* scheduler : {"baseline", "kelle", "kelle_baseline"}) {
        INFO(scheduler);
        KelleCase kelle = failing(kv_policy(LEVEE_KV_AERP, 24, 8, 4));
        kelle.policy.recompute = LEVEE_KV_RECOMPUTE_ALL;
        kelle.workload += std::string(", scheduler: ") + scheduler;
        CHECK(check_replayed(kelle).inputs > 20);
    }
}

TEST_CASE("kelle failures: logits as scores, replayed")
{
    for (const auto kind : {LEVEE_KV_AEP, LEVEE_KV_AERP})
        for (const char* scheduler : {"baseline", "kelle", "kelle_baseline"}) {
            INFO(scheduler << ", policy " << kind);
            KelleCase kelle = failing(kv_policy(kind, 24, 8, 4));
            kelle.policy.score = LEVEE_SE_LOGIT;
            kelle.policy.recompute = LEVEE_KV_RECOMPUTE_ALL;
            kelle.workload += std::string(", scheduler: ") + scheduler;
            const Replayed replayed = check_replayed(kelle);
            CHECK(replayed.flipped > 1000);
            CHECK((replayed.inputs > 20) == (kind == LEVEE_KV_AERP));
        }
}

TEST_CASE("kelle failures: keys and values of 8 and 4 bits, half of them in either bank, replayed")
{
    // Heads have 64 elements, so that no two vectors share an access.
    const Workplace place;
    const auto bytes = import_synthetic(llama_shape(128, 172, 3, 2, 2, 256, 128), {});
    place.write("model.levee", std::string(bytes.begin(), bytes.end()));
    for (const std::uint32_t bits : {8u, 4u})
        for (const auto kind : {LEVEE_KV_FULL, LEVEE_KV_AEP})
            for (const char* scheduler : {"baseline", "kelle_baseline"}) {
                INFO(bits << " bits, policy " << kind << ", " << scheduler);
                KelleCase kelle = failing(kv_policy(kind, 24, 8, 4));
                kelle.kv_bits = bits;
                kelle.image = place.path("model.levee");
                kelle.workload += std::string(", scheduler: ") + scheduler;
                const Replayed replayed = check_replayed(place, kelle);
                CHECK(replayed.keys > 50);
                CHECK(replayed.values > 50);
            }
}

TEST_CASE("kelle failures: codes of any width in a memory that is not divided, replayed")
{
    const Workplace place;
    const auto bytes = import_synthetic(llama_shape(128, 172, 3, 2, 2, 256, 128), {});
    place.write("model.levee", std::string(bytes.begin(), bytes.end()));
    for (const std::uint32_t bits : {16u, 8u, 4u})
        for (const auto kind : {LEVEE_KV_FULL, LEVEE_KV_AEP}) {
            INFO(bits << " bits, policy " << kind);
            KelleCase kelle = failing(kv_policy(kind, 24, 8, 4));
            kelle.system.layout = "plain";
            kelle.kv_bits = bits;
            kelle.image = place.path("model.levee");
            const Replayed replayed = check_replayed(place, kelle);
            CHECK(replayed.keys > 50);
            CHECK(replayed.values > 50);
        }
}

TEST_CASE("kelle failures: drawn anew in every interval, replayed")
{
    const KelleCase kelle = failing(kv_policy(LEVEE_KV_AEP, 24, 8, 4), ", failures: iid");
    CHECK(check_replayed(kelle).flipped > 100);
}

TEST_CASE("kelle failures: they change what the model says")
{
    const Workplace place;
    KelleCase kelle = failing(kv_policy(LEVEE_KV_AEP, 24, 8, 4));
    const KelleRun decayed = run_case(place, kelle);
    kelle.system.retention.clear();
    kelle.observe.clear();
    CHECK(run_case(place, kelle).logits != decayed.logits);
}

TEST_CASE("kelle failures: the log says of every row what the curve makes of its ages")
{
    const Workplace place;
    const KelleRun seen = run_case(place, failing(kv_policy(LEVEE_KV_AEP, 24, 8, 4)));
    std::map<std::pair<std::uint64_t, edram::Half>, edram::Time> oldest;
    std::uint32_t last_pass = 0, rewritten = 0;
    for (const LoggedFailure& entry : parse_retention_log(place.read("out/retention.csv"))) {
        CHECK(entry.row.offset % edram::unit_bytes == 0);
        CHECK(entry.pass >= last_pass);
        last_pass = entry.pass;
        CHECK(entry.row.age_before < entry.row.age_after);
        CHECK(entry.row.before == curve.share(entry.row.age_before));
        CHECK(entry.row.after == curve.share(entry.row.age_after));
        // A row's failures continue from its last age, unless the row has been written since.
        edram::Time& before = oldest[{entry.row.offset, entry.row.half}];
        rewritten += entry.row.age_before < before;
        before = entry.row.age_after;
    }
    CHECK(rewritten > 0);
    CHECK(last_pass <= 3 * 30);
}

TEST_CASE("kelle failures: only in the groups asked for, more with every interval")
{
    const Workplace place;
    std::uint64_t flipped[2];
    for (const bool low : {false, true}) {
        const KelleRun seen =
            run_case(place, failing(kv_policy(LEVEE_KV_AEP, 24, 8, 4),
                                    low ? ", groups: [low_lsb]" : ", groups: [high_msb]"));
        for (const LoggedFailure& entry : parse_retention_log(place.read("out/retention.csv")))
            REQUIRE((entry.row.half == edram::Half::Lsb) == low);
        flipped[low] = seen.count("kv_edram.flipped_bits");
        CHECK(flipped[low] > 10);
    }
}

TEST_CASE("kelle failures: the same for every quantum")
{
    const Workplace place;
    KelleCase kelle = failing(kv_policy(LEVEE_KV_AERP, 24, 8, 4));
    const KelleRun first = run_case(place, kelle);
    const std::string log = place.read("out/retention.csv");
    for (const std::uint32_t quantum : {1u, 1'000'000u}) {
        kelle.system.quantum = quantum;
        CHECK(run_case(place, kelle).logits == first.logits);
        CHECK(place.read("out/retention.csv") == log);
    }
}

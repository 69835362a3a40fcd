// SPDX-License-Identifier: Apache-2.0
// Tests what waveforms of the evictor's RTL show: simulated time, the transaction, expected
// outputs, and the cause of a fault in its state.
#include "core/rtl/fst_file.hpp"
#include "ip/systolic_evictor/pins.hpp"
#include "ip/systolic_evictor/rtl.hpp"
#include "test/rtl/pins_decorator.hpp"
#include "test/rtl/systolic_evictor/waveform.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::systolic_evictor {

extern const RtlModel<Ports> worn;

namespace {

using test::Waveform;

constexpr std::uint64_t period_ps = 800; // The clock has 1.25 GHz.

/// An engine whose operations advance simulated time by the evictor's cycles, with some time
/// between operations.
class Bed {
public:
    explicit Bed(MakePins make, RtlMode mode = RtlMode::Lockstep)
        : engine("system.evictor", make, mode), importance_(70), is_protected_(70), scores_(70, 3)
    {
        engine.set_clock({1'250'000'000});
    }

    void attach(const std::filesystem::path& fst, std::uint64_t from_ps, std::uint64_t to_ps)
    {
        engine.attach(
            {[this] { return now_ps_; }, {"none", "ACCUMULATE", "EVICT"}, fst, from_ps, to_ps});
    }
    /// Runs EVICT on heads of 70 tokens; returns the difference, if there is one.
    std::optional<LockstepDifference> evict(std::uint32_t heads, levee_se_score format)
    {
        now_ps_ += 100'000;
        engine.begin_operation({operations++, 2, 500 + static_cast<std::uint32_t>(operations)});
        begun_ps = now_ps_;
        try {
            for (std::uint32_t head = 0; head < heads; ++head)
                (void)engine.pass({format, importance_, is_protected_, scores_, {0, head}});
        } catch (const LockstepDifference& difference) {
            return difference;
        }
        now_ps_ += 200 * heads * period_ps;
        return std::nullopt;
    }

    RtlEngine engine;
    std::uint64_t operations = 0, begun_ps = 0;

private:
    std::uint64_t now_ps_ = 0;
    std::vector<std::uint16_t> importance_;
    std::vector<std::uint8_t> is_protected_;
    std::vector<std::uint16_t> scores_;
};

} // namespace

TEST_CASE("waves of a window are in simulated time, with the transaction and the expected outputs")
{
    test::Folder folder;
    const auto mode = GENERATE(RtlMode::Rtl, RtlMode::Lockstep);
    Bed bed(designs()[0].make, mode);
    bed.attach(folder.path("evictor.fst"), 1'000'000, 3'000'000);
    std::uint64_t in_window = 0;
    while (bed.operations < 20) {
        REQUIRE_FALSE(bed.evict(4, LEVEE_SE_SOFTMAX));
        if (in_window == 0 && bed.begun_ps >= 1'000'000)
            in_window = bed.begun_ps;
    }
    REQUIRE(bed.engine.finish_waves());

    const Waveform waves(folder.path("evictor.fst"), folder.path("evictor.vcd"));
    CHECK(waves.first_ps() >= 1'000'000);
    CHECK(waves.last_ps() <= 3'000'000 + period_ps);
    CHECK(waves.last_ps() > 2'000'000);
    // The clock falls in the middle of each cycle and rises at its end.
    const auto clock = waves.changes("TOP.clk_i");
    CHECK(clock[2].ps - clock[0].ps == period_ps);
    // The waveform window begins when its first operation begins, so all heads of that operation
    // are present.
    const auto head = waves.changes("transaction.head"), tag = waves.changes("transaction.tag");
    bool has_begun = false;
    for (const auto& change : head)
        has_begun = has_begun || (change.ps == in_window + period_ps / 2 && change.value == 0);
    CHECK(has_begun);
    CHECK(tag.size() > 2);
    CHECK(waves.changes("transaction.tile").size() > 20);
    // The window ends between two operations.
    CHECK(waves.changes("transaction.opcode").back().value == 0xFFFF'FFFF);
    // In the second half of each cycle, every output has its expected value.
    for (const char* port : {"result_valid_o", "update_valid_o", "score_ready_o", "update_score_o",
                             "result_min_o", "result_index_o"})
        for (const auto& change : waves.changes(std::string("TOP.expected_") + port))
            if (change.value != 0)
                CHECK(waves.at(std::string("TOP.") + port, change.ps) == change.value);
}

TEST_CASE("outside of the window nothing is recorded")
{
    test::Folder folder;
    Bed bed(designs()[0].make);
    bed.attach(folder.path("evictor.fst"), 1'000'000'000, 2'000'000'000);
    REQUIRE_FALSE(bed.evict(4, LEVEE_SE_SOFTMAX));
    CHECK_FALSE(bed.engine.finish_waves());
    CHECK_FALSE(std::filesystem::exists(folder.path("evictor.fst")));
}

TEST_CASE("waves of a design that was built without them are refused before it is clocked")
{
    class Untraced final : public test::PinsDecorator<Ports> {
    public:
        explicit Untraced(const RtlPinsOptions& options) : PinsDecorator(designs()[0].make(options))
        {
        }
        bool can_trace() const override { return false; }
        Outputs settle(const Inputs& in) override { return pins().settle(in); }
    };
    test::Folder folder;
    Bed bed([](const RtlPinsOptions& options) -> std::unique_ptr<Pins> {
        return std::make_unique<Untraced>(options);
    });
    CHECK_THROWS_WITH(bed.attach(folder.path("evictor.fst"), 0, 1),
                      Catch::Contains("LEVEE_RTL_TRACE=OFF"));
    bed.attach({}, 0, 0);
    CHECK_FALSE(bed.evict(1, LEVEE_SE_SOFTMAX));
}

TEST_CASE("a fault after 40,000 commands is in the waves with the bit of state that causes it")
{
    test::Folder folder;
    Bed bed(worn.make);
    bed.attach({}, 0, 0);
    constexpr std::uint64_t tiles = 18, heads = 4; // A head of 70 tokens has several tiles.
    constexpr std::uint64_t wears_out = 40'000 / (tiles * heads);
    std::uint64_t worn_ps = 0;
    while (bed.operations < wears_out + 60) {
        REQUIRE_FALSE(bed.evict(heads, LEVEE_SE_SOFTMAX));
        if (bed.operations == wears_out + 1)
            worn_ps = bed.begun_ps;
    }
    // The worn bit affects only signed tiles, so the first operation on logits shows it.
    const auto failure = bed.evict(heads, LEVEE_SE_LOGIT);
    REQUIRE(failure);
    CHECK(failure->difference.signal == "update_score_o");
    CHECK(failure->difference.place.head == 0);
    CHECK(failure->difference.place.tile == 0);

    const RtlEvidence evidence = failure->waves(folder.path("worn.fst"));
    CHECK(evidence.recurs);
    INFO(evidence.cause);
    CHECK(evidence.cause.find("worn_evictor.worn_q = 1, in the copy 0, since descriptor " +
                              std::to_string(wears_out)) != std::string::npos);
    CHECK(evidence.cause.find("commands_q") != std::string::npos);
    CHECK(evidence.from_ps >= worn_ps);
    const Waveform waves(folder.path("worn.fst"), folder.path("worn.vcd"));
    const auto bit = waves.changes("TOP.worn_evictor.worn_q");
    REQUIRE(bit.size() == 2);
    CHECK(bit[0].value == 0);
    CHECK(bit[1].value == 1);
    CHECK(bit[1].ps > evidence.from_ps);
    CHECK(waves.at("transaction.descriptor", bit[1].ps) == wears_out);
    CHECK(waves.at("TOP.update_score_o", waves.last_ps()) !=
          waves.at("TOP.expected_update_score_o", waves.last_ps()));
    CHECK(waves.at("TOP.update_valid_o", waves.last_ps()) == 1);
}

} // namespace levee::systolic_evictor

// SPDX-License-Identifier: Apache-2.0
// Tests the error correction unit's RTL in place of its reference: pages with bit errors, their
// times, and reports of differences.
#include "ip/flash/ecu/rtl.hpp"
#include "test/rtl/cosim.hpp"
#include "test/rtl/flash_ecu/faulty.hpp"
#include "test/unit/flash/flash_bench.hpp"

#include <numeric>
#include <random>

namespace {

using namespace levee;
using namespace levee::test;
using flash::ecu::RtlDecoder;
using Bytes = std::vector<std::uint8_t>;

/// Returns random values with a few large ones, like weights.
Bytes weights(flash::test::Random& random, std::uint32_t count)
{
    Bytes page(count);
    for (std::uint8_t& value : page)
        value = static_cast<std::uint8_t>(random.below(50) == 0 ? random.below(256)
                                                                : random.below(32) - 16);
    return page;
}

/// Decodes pages at one rate of bit errors, by the RTL and by the reference.
void check_pages(RtlDecoder& decoder, const flash::CodeFormat& format, double rate, int pages)
{
    flash::test::Random random(static_cast<std::uint64_t>(rate * 1e6) + format.value_bits);
    flash::DecodeCounts expected, got;
    for (int i = 0; i < pages; ++i) {
        Bytes read = weights(random, format.page_bytes), code = encode_page(format, read);
        if (rate > 0) {
            random.flip(read, rate);
            random.flip(code, rate);
        }
        Bytes decoded = read;
        expected.add(decode_page(format, decoded, code));
        got.add(decoder.decode(read, code));
        REQUIRE((read == decoded)); // The extra parentheses keep Catch2 from printing both pages.
    }
    CHECK(got == expected);
    CHECK((rate < 1e-3 || got.corrected_addresses > 0));
    CHECK((rate < 1e-3 || got.corrected_values > 0));
}

/// Decodes pages until the decoder throws.
LockstepDifference provoke(flash::ecu::MakePins make, RtlMode mode)
{
    RtlDecoder decoder("system.flash", make, mode);
    const flash::CodeFormat format = ecu_design("flash_ecu_1k").size.format;
    flash::test::Random random(5);
    for (int i = 0; i < 10; ++i) {
        Bytes page = weights(random, format.page_bytes);
        const Bytes code = encode_page(format, page);
        try {
            (void)decoder.decode(page, code);
        } catch (const LockstepDifference& difference) {
            CHECK(decoder.failure());
            return difference;
        }
    }
    throw std::logic_error("the decoder found no difference");
}

/// Returns a flash with pages of 1 KiB and 2 channels of 2 dies, which reads many bit errors.
flash::Config flash_of_1k()
{
    flash::Config config = small_flash();
    config.cells.geometry.page_bytes = 1024;
    config.cells.code = ecu_design("flash_ecu_1k").size.format;
    config.cells.errors = flash::ErrorCurve{{{0, 0.004}}, {}, 0};
    return config;
}

/// An operation's results and pages, and the reported figures.
struct Ran {
    Bytes memory;
    std::uint64_t corrected, clamped, dropped, misplaced;
    Picoseconds took;
    bool operator==(const Ran&) const = default;
};

/// Multiplies by a flash of the bench.
Ran multiply(FlashBench& bench, unsigned block)
{
    Ran ran{};
    levee_flash_operation op{};
    op.rows = 200;
    op.columns = 200;
    op.core_rows = op.core_columns = 32;
    op.weight_bits = 8;
    op.input_bytes = 1;
    op.result_bytes = 4;
    const PlacedMatrix placed = place_matrix(bench, op, 3, block);
    CHECK(bench.timed(block, LEVEE_FLASH_COMPUTE, placed.op, ran.took) == LEVEE_ERROR_NONE);
    ran.memory = bench.get<std::uint8_t>(placed.op.result, std::size_t{op.rows} * 4);
    ran.corrected = bench.count("corrected_values", block);
    ran.clamped = bench.count("clamped_values", block);
    ran.dropped = bench.count("dropped_records", block);
    ran.misplaced = bench.count("misplaced_records", block);
    return ran;
}

} // namespace

TEST_CASE("the RTL decodes pages like the reference in lockstep, at any rate of bit errors")
{
    const std::string name = GENERATE("flash_ecu", "flash_ecu_4bit", "flash_ecu_1k");
    const flash::ecu::Design& design = ecu_design(name);
    RtlDecoder decoder("system.flash", design.make, RtlMode::Lockstep);
    for (const double rate : {0.0, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2}) {
        INFO(name << " at " << rate);
        check_pages(decoder, design.size.format, rate, name == "flash_ecu_1k" ? 300 : 30);
    }
    check_agrees(decoder);
}

TEST_CASE(
    "a 16 KB page takes a cycle per beat and field, per stored record, and per misplaced record")
{
    // In cycles, by hand: the code takes 91 for its beats, 9 for the copies of the threshold and
    // 163 for the records. One more places the last record. The page takes 2048 for its beats and
    // 163 for the records, each of which delays a beat by one. The first output and the counts take
    // one each.
    constexpr std::uint64_t code = 91 + 9 + 163 + 1, page = 2048 + 163 + 1 + 1;
    const flash::ecu::Design& design = ecu_design("flash_ecu");
    const flash::CodeFormat& format = design.size.format;
    RtlDecoder decoder("system.flash", design.make, RtlMode::Lockstep);
    Bytes bytes(16384, 0);
    std::vector<flash::Record> records;
    for (std::uint32_t i = 0; i < 163; ++i)
        records.push_back({flash::Record::Address::Intact, 100 * i, {7, 7}});
    (void)decoder.decode(bytes, write_code(format, 7, records));
    CHECK(decoder.rtl_cycles() == code + page);
    CHECK(std::accumulate(bytes.begin(), bytes.end(), 0) == 163 * 7);
    // The first record belongs after all others, so each of the other 162 records is placed before
    // it, which takes a cycle. Meanwhile 88 of the 91 beats of code arrive; the first three come
    // before the second record.
    records.front().address = 16383;
    (void)decoder.decode(bytes, write_code(format, 7, records));
    CHECK(decoder.rtl_cycles() == 2 * (code + page) + 162 - 88);
    CHECK(bytes.back() == 7);
}

TEST_CASE("with the RTL in its place or in lockstep, a flash computes the same results")
{
    const flash::ecu::MakePins make = ecu_design("flash_ecu_1k").make;
    std::vector<std::unique_ptr<flash::Decoder>> decoders(1);
    std::vector<RtlDecoder*> rtl;
    for (const RtlMode mode : {RtlMode::Rtl, RtlMode::Lockstep}) {
        auto decoder = std::make_unique<RtlDecoder>("system.flash", make, mode);
        rtl.push_back(decoder.get());
        decoders.push_back(std::move(decoder));
    }
    const flash::Config config = flash_of_1k();
    FlashBench bench({config, config, config}, std::nullopt, {}, std::move(decoders));
    bench.run([&] {
        const Ran without = multiply(bench, 0);
        CHECK(without.corrected > 0);
        CHECK(without.clamped > 0);
        CHECK((multiply(bench, 1) == without));
        CHECK((multiply(bench, 2) == without));
    });
    CHECK(rtl[0]->comparisons() == 0);
    CHECK(rtl[0]->rtl_cycles() > 0);
    CHECK(rtl[1]->rtl_cycles() == rtl[0]->rtl_cycles());
    CHECK(rtl[1]->comparisons() > rtl[1]->rtl_cycles());
    CHECK_FALSE(rtl[1]->outstanding());
}

TEST_CASE("lockstep stops at the first wrong bit, names its place and writes waves that end there")
{
    const LockstepDifference found = provoke(faulty_ecu<spoil_data>, RtlMode::Lockstep);
    CHECK(found.block == "system.flash");
    CHECK(found.difference.kind == Difference::Kind::Value);
    CHECK(found.difference.signal == "out_data_o");
    CHECK(found.difference.where.find("beat ") == 0);
    const std::filesystem::path fst =
        std::filesystem::temp_directory_path() /
        ("levee_flash_ecu_" + std::to_string(std::random_device{}()) + ".fst");
    CHECK(found.waves(fst).recurs);
    CHECK(std::filesystem::file_size(fst) > 0);
    std::filesystem::remove(fst);
    CHECK(provoke(faulty_ecu<delay_beats>, RtlMode::Lockstep).difference.kind ==
          Difference::Kind::Cycle);
    CHECK(provoke(faulty_ecu<silence>, RtlMode::Rtl).difference.signal == "out_valid_o");
}

TEST_CASE("a page or a code of another size than the design's is refused")
{
    RtlDecoder decoder("system.flash", ecu_design("flash_ecu_1k").make, RtlMode::Rtl);
    // The code has 9 copies of 8 bits, and 10 records of 10 + 4 + 16 bits.
    Bytes page(1024), code(47);
    CHECK_NOTHROW(decoder.decode(page, code));
    code.pop_back();
    CHECK_THROWS_AS(decoder.decode(page, code), std::invalid_argument);
    code.resize(47);
    page.push_back(0);
    CHECK_THROWS_AS(decoder.decode(page, code), std::invalid_argument);
}

// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/ecu/driver.hpp"

#include <algorithm>
#include <utility>

namespace levee::flash::ecu {

namespace {

// Value of unused bytes in the code's last beat, and of the data port while no beat is offered.
constexpr std::uint8_t filler = 0xA5;

/// Copies up to `count` bytes, from byte `from` on, to a beat. Bytes past the end are
/// skipped.
void copy_part(std::span<const std::uint8_t> bytes, std::uint64_t from, std::uint32_t count,
               Beat& beat)
{
    const std::uint64_t end = std::min<std::uint64_t>(bytes.size(), from + count);
    for (std::uint64_t i = from; i < end; ++i)
        beat[i - from] = bytes[i];
}

std::string hex(std::span<const std::uint8_t> bytes)
{
    std::string text = "0x";
    for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte)
        text += levee::hex(*byte, 2).substr(2);
    return text;
}

std::string beat_of_page(std::uint64_t beat, std::size_t page)
{
    return "beat " + std::to_string(beat) + " of page " + std::to_string(page);
}

} // namespace

std::vector<Decoded> expected_of(const Shape& shape, std::span<const Page> pages)
{
    std::vector<Decoded> all;
    for (const Page& page : pages) {
        Decoded decoded{page.bytes, {}};
        decoded.counts = decode_page(shape.format, decoded.bytes, page.code);
        all.push_back(std::move(decoded));
    }
    return all;
}

struct Driver::Progress {
    std::span<const Page> pages;
    const Options& options;
    Shape shape;
    std::vector<Decoded> results{};
    std::size_t in_page = 0, out_page = 0, done_page = 0;
    std::uint64_t in_beat = 0; ///< Next beat of the page to offer; beats of the code come first.
    std::uint64_t out_beat = 0;
    bool offered = false;     ///< The beat was offered and must not change until it is taken.
    bool counts_left = false; ///< The last page's counts have been offered but not taken.

    [[nodiscard]] bool done() const { return counts_left || done_page == pages.size(); }
    [[nodiscard]] bool leaves_counts() const
    {
        return options.leaves_counts && done_page + 1 == pages.size();
    }
};

std::vector<Decoded> Driver::run(std::span<const Page> pages, const Options& options)
{
    Progress progress{pages, options, pins().size()};
    progress.results.resize(pages.size());
    drive(*this, progress, options);
    return std::move(progress.results);
}

/// Returns the page and the beat that are expected next; the member `tile` is the beat.
RtlPlace Driver::place() const
{
    RtlPlace place;
    if (progress_ != nullptr)
        place.tile = RtlPlace::index(progress_->out_beat);
    return place;
}

void Driver::expect(const Inputs&, Outputs& out) const
{
    if (progress_ == nullptr)
        return;
    const std::span<const Decoded> known = progress_->options.known();
    if (out.out_valid && progress_->out_page < known.size()) {
        const std::uint32_t bytes = progress_->shape.beat_bytes;
        copy_part(known[progress_->out_page].bytes, progress_->out_beat * bytes, bytes,
                  out.out_data);
        out.out_last = progress_->out_beat + 1 == progress_->shape.page_beats();
    }
    if (out.done_valid && progress_->done_page < known.size())
        out.counts = known[progress_->done_page].counts;
}

Inputs Driver::inputs(const Progress& progress)
{
    const unsigned gates = open_gates((1u << channels) - 1);
    Inputs in;
    in.in_valid =
        progress.in_page < progress.pages.size() && (progress.offered || (gates & 1u) != 0);
    if (in.in_valid)
        in.in_data = beat_of(progress);
    else
        in.in_data.fill(filler);
    in.out_ready = (gates & 2u) != 0;
    in.done_ready = (gates & 4u) != 0 && !progress.leaves_counts();
    return in;
}

Beat Driver::beat_of(const Progress& progress) const
{
    const Page& page = progress.pages[progress.in_page];
    const std::uint64_t code_beats = progress.shape.code_beats();
    const std::uint32_t bytes = progress.shape.beat_bytes;
    Beat beat;
    beat.fill(filler);
    if (progress.in_beat < code_beats)
        copy_part(page.code, progress.in_beat * bytes, bytes, beat);
    else
        copy_part(page.bytes, (progress.in_beat - code_beats) * bytes, bytes, beat);
    return beat;
}

/// Returns true if any channel transfers at the end of this cycle.
bool Driver::observe(Progress& progress, const Inputs& in, const Outputs& out)
{
    const Shape& shape = progress.shape;
    const bool takes = in.in_valid && out.in_ready, gives = out.out_valid && in.out_ready;
    const bool ends = out.done_valid && in.done_ready;
    progress.offered = in.in_valid && !takes;
    progress.counts_left = out.done_valid && progress.leaves_counts();
    if (takes && ++progress.in_beat == shape.code_beats() + shape.page_beats()) {
        progress.in_beat = 0;
        ++progress.in_page;
    }
    if (gives) {
        std::vector<std::uint8_t>& bytes = progress.results[progress.out_page].bytes;
        bytes.insert(bytes.end(), out.out_data.begin(), out.out_data.begin() + shape.beat_bytes);
        if (++progress.out_beat == shape.page_beats()) {
            progress.out_beat = 0;
            ++progress.out_page;
        }
    }
    if (ends)
        progress.results[progress.done_page++].counts = out.counts;
    return takes || gives || ends;
}

void Driver::compare_boundary(const Inputs&, const Outputs& want, const Outputs& got)
{
    const Progress& at = *progress_;
    compare_timing(want.out_valid, got.out_valid, "out_valid_o",
                   [&] { return beat_of_page(at.out_beat, at.out_page); });
    compare_timing(want.done_valid, got.done_valid, "done_valid_o",
                   [&] { return "page " + std::to_string(at.done_page); });
    compare_timing(want.in_ready, got.in_ready, "in_ready_o", [&] {
        const std::uint64_t code = at.shape.code_beats();
        return at.in_beat < code ? beat_of_page(at.in_beat, at.in_page) + "'s code"
                                 : beat_of_page(at.in_beat - code, at.in_page);
    });
}

/// Compares valid outputs in every cycle, even if they are not taken.
void Driver::compare_values(const Progress& progress, const Inputs&, const Outputs& out)
{
    if (out.out_valid && progress.out_page > progress.done_page)
        return differ_in_value("out_valid_o", "after page " + std::to_string(progress.done_page),
                               "0", "1");
    if (out.done_valid && progress.out_page == progress.done_page)
        return differ_in_value("done_valid_o",
                               "before " + beat_of_page(progress.out_beat, progress.out_page), "0",
                               "1");
    if (out.out_valid)
        compare_beat(progress, out);
    if (out.done_valid && !progress.options.expected.empty())
        compare_counts(progress, out.counts);
}

void Driver::compare_beat(const Progress& progress, const Outputs& out)
{
    const Shape& shape = progress.shape;
    const std::string where = beat_of_page(progress.out_beat, progress.out_page);
    const bool is_last = progress.out_beat + 1 == shape.page_beats();
    if (!compare_flag(is_last, out.out_last, "out_last_o", where) ||
        progress.options.expected.empty())
        return;
    count_comparison();
    const std::span<const std::uint8_t> want =
        std::span(progress.options.expected[progress.out_page].bytes)
            .subspan(progress.out_beat * shape.beat_bytes, shape.beat_bytes);
    const std::span<const std::uint8_t> got = std::span(out.out_data).first(shape.beat_bytes);
    if (!std::equal(want.begin(), want.end(), got.begin()))
        differ_in_value("out_data_o", where, hex(want), hex(got));
}

void Driver::compare_counts(const Progress& progress, const DecodeCounts& got)
{
    const DecodeCounts& want = progress.options.expected[progress.done_page].counts;
    const auto compare = [&](std::uint64_t DecodeCounts::*count, const char* signal) {
        count_comparison();
        if (want.*count != got.*count)
            differ_in_value(signal, "page " + std::to_string(progress.done_page),
                            std::to_string(want.*count), std::to_string(got.*count));
    };
    compare(&DecodeCounts::corrected_addresses, "corrected_addresses_o");
    compare(&DecodeCounts::dropped, "dropped_o");
    compare(&DecodeCounts::outside, "outside_o");
    compare(&DecodeCounts::duplicates, "duplicates_o");
    compare(&DecodeCounts::corrected_values, "corrected_values_o");
    compare(&DecodeCounts::clamped, "clamped_o");
}

void Driver::give_up(const Progress& progress)
{
    if (progress.out_page == progress.done_page)
        RtlDriver::give_up("out_valid_o", beat_of_page(progress.out_beat, progress.out_page));
    else
        RtlDriver::give_up("done_valid_o", "page " + std::to_string(progress.done_page));
}

const char* Driver::busy_signal(const Outputs& out) const
{
    return out.out_valid ? "out_valid_o" : out.done_valid ? "done_valid_o" : nullptr;
}

/// A beat stays in the design until the records of its values have been used; in the worst case,
/// these are all records of the page.
std::uint64_t Driver::pipeline_depth() const
{
    return pins().size().format.protected_values + std::uint64_t{1};
}

} // namespace levee::flash::ecu

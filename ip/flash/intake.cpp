// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/intake.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace levee::flash {

namespace {

std::string percent(double share)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g %%", 100 * share);
    return text.data();
}

double ratio(std::uint64_t part, std::uint64_t whole)
{
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

} // namespace

MatrixIntake::MatrixIntake(const Config& config)
    : config_(config), failures_(config.failed),
      touched_(config.cells.geometry.pages_in_all() / config.cells.geometry.pages)
{
}

void MatrixIntake::add_page(const PageAccess& page, std::uint64_t weights, std::uint32_t bits)
{
    const Geometry& g = config_.cells.geometry;
    if (page.is_lost()) {
        ++lost_pages_;
        return;
    }
    PagePlace place = page.place;
    place.die = *page.die;
    pages_.push_back(place);
    weights_ += weights;
    weight_bits_ += weights * bits;
    if (const auto& code = config_.cells.code)
        protected_ += std::min<std::uint64_t>(weights, std::uint64_t{code->protected_values} *
                                                           code->value_bits / bits);
    // Pages that moved to another die are in spare blocks of that die, under the same block number.
    PagePlace block = page.place;
    block.page /= g.pages;
    const std::uint64_t number = number_of(g, block);
    if (touched_[number])
        return;
    touched_[number] = true;
    place.page -= place.page % g.pages;
    blocks_.push_back(place);
}

void MatrixIntake::add(const levee_flash_kept& kept)
{
    const PageAccesses pages(config_.cells.geometry, failures_, kept, 0);
    pages.for_each_tile_page([&](const PageAccess& page) {
        add_page(page, std::uint64_t{page.part.rows} * page.part.columns, kept.weight_bits);
        ++core_pages_;
    });
    std::uint64_t rest = std::uint64_t{kept.rows - kept.flash_rows} * kept.row_bytes;
    for (std::uint32_t k = 0; k < pages.data_pages(); ++k) {
        const std::uint64_t bytes =
            std::min<std::uint64_t>(rest, config_.cells.geometry.page_bytes);
        add_page(pages.data_page(k), bytes * 8 / kept.weight_bits, kept.weight_bits);
        rest -= bytes;
    }
}

/// Returns the time to erase all blocks, or to program all pages.
Time MatrixIntake::run(RequestKind kind, ChannelCounts& counts) const
{
    const Geometry& g = config_.cells.geometry;
    const bool erases = kind == RequestKind::Erase;
    Time longest = 0;
    for (std::uint32_t i = 0; i < g.channels; ++i) {
        Channel channel(g, config_.channels[i]);
        for (const PagePlace& place : erases ? blocks_ : pages_)
            if (place.channel == i)
                channel.submit({kind, place.die, place.plane, place.page,
                                erases ? 0 : config_.sent_bytes(true), 0},
                               0);
        longest = std::max(longest, channel.run());
        counts.add(channel.counts());
    }
    return longest;
}

std::vector<std::pair<std::string, std::string>> MatrixIntake::facts() const
{
    const Geometry& g = config_.cells.geometry;
    const auto text = [](std::uint64_t value) { return std::to_string(value); };
    const std::uint64_t kept = pages_.size() + lost_pages_;
    std::vector<std::pair<std::string, std::string>> facts{
        {"pages", text(core_pages_) + " for cores, " + text(kept - core_pages_) + " for the NPU; " +
                      percent(ratio(kept, g.pages_in_all())) + " of all"},
        {"fill", percent(ratio(weight_bits_, pages_.size() * g.page_bytes * 8)) +
                     " of their bytes are weights"}};
    if (const auto& code = config_.cells.code)
        facts.emplace_back("protected",
                           percent(ratio(protected_, weights_)) + " of the weights, at most " +
                               text(code->protected_values) + " values a page; codes take " +
                               text(code->code_bytes()) + " of " + text(g.spare_bytes) +
                               " spare bytes");
    facts.emplace_back("blocks", text(blocks_.size()) + " erased, of " + text(touched_.size()));
    const std::uint64_t cycles = config_.cells.initial_cycles + 1, rated = config_.cells.endurance;
    facts.emplace_back("wear", text(cycles) + (cycles == 1 ? " cycle" : " cycles") +
                                   " of each erased block" +
                                   (rated == 0 ? "" : " (rated for " + text(rated) + ")"));
    if (lost_pages_ != 0)
        facts.emplace_back("lost", text(lost_pages_) + " pages: their dies have failed");
    return facts;
}

Intake MatrixIntake::result()
{
    ChannelCounts counts;
    Intake intake;
    intake.facts = facts();
    intake.times = {{"erase", run(RequestKind::Erase, counts)},
                    {"program", run(RequestKind::Program, counts)}};
    const std::uint64_t bytes = counts.data_in_bytes;
    intake.events = {{&erase_event, blocks_.size()},
                     {&program_event, pages_.size()},
                     {&channel_event, bytes},
                     {&link_event, bytes}};
    return intake;
}

void MatrixIntake::write_page(std::uint64_t number, std::span<const std::uint8_t> bytes,
                              const RawSink& sink) const
{
    std::array<std::uint8_t, 8> head{};
    for (std::size_t i = 0; i < head.size(); ++i)
        head[i] = static_cast<std::uint8_t>(number >> 8 * i);
    sink(head);
    sink(bytes);
    std::vector<std::uint8_t> spare;
    if (config_.cells.code)
        spare = encode_page(*config_.cells.code, bytes);
    spare.resize(config_.cells.geometry.spare_bytes, 0xFF);
    sink(spare);
}

} // namespace levee::flash

// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/cells/cells.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace levee::flash {

std::uint64_t number_of(const Geometry& geometry, const PagePlace& place)
{
    return ((std::uint64_t{place.page} * geometry.planes + place.plane) *
                geometry.dies_per_channel() +
            place.die) *
               geometry.channels +
           place.channel;
}

PagePlace place_of(const Geometry& geometry, std::uint64_t number)
{
    PagePlace place{};
    const auto take = [&](std::uint32_t count) {
        const auto digit = static_cast<std::uint32_t>(number % count);
        number /= count;
        return digit;
    };
    place.channel = take(geometry.channels);
    place.die = take(geometry.dies_per_channel());
    place.plane = take(geometry.planes);
    place.page = static_cast<std::uint32_t>(number);
    return place;
}

Cells::Cells(const CellsConfig& config, std::unique_ptr<Decoder> decoder)
    : config_(config), decoder_(std::move(decoder)),
      data_(config.geometry.pages_in_all() * config.geometry.page_bytes),
      codes_(config.code ? config.geometry.pages_in_all() * config.code->code_bytes() : 0),
      most_cycles_(config.initial_cycles)
{
    if (config.errors)
        if (const std::string fault = config.errors->fault(); !fault.empty())
            throw std::invalid_argument("flash: " + fault);
    if (!config.code)
        return;
    if (const std::string fault = config.code->fault(); !fault.empty())
        throw std::invalid_argument("flash: page code: " + fault);
    if (config.code->page_bytes != config.geometry.page_bytes)
        throw std::invalid_argument("flash: the code and the geometry state different page sizes");
    if (config.code->code_bytes() > config.geometry.spare_bytes)
        throw std::invalid_argument(
            "flash: the code of a page needs " + std::to_string(config.code->code_bytes()) +
            " bytes; bytes in the spare area: " + std::to_string(config.geometry.spare_bytes));
}

std::uint64_t Cells::block_of(std::uint64_t page) const
{
    PagePlace place = place_of(config_.geometry, page);
    place.page -= place.page % config_.geometry.pages;
    return number_of(config_.geometry, place); // Number of the block's first page.
}

std::span<std::uint8_t> Cells::data_of(std::uint64_t page)
{
    const std::uint32_t bytes = config_.geometry.page_bytes;
    return {data_.data() + page * bytes, bytes};
}

std::span<std::uint8_t> Cells::code_of(std::uint64_t page)
{
    const std::uint64_t bytes = config_.code->code_bytes();
    return {codes_.data() + page * bytes, bytes};
}

bool Cells::is_erased(std::uint64_t page) const
{
    return !pages_.contains(page);
}

void Cells::encode(std::uint64_t page)
{
    const std::vector<std::uint8_t> code = encode_page(*config_.code, data_of(page));
    std::copy(code.begin(), code.end(), code_of(page).begin());
    pages_[page].has_code = true;
}

void Cells::program(std::uint64_t page, std::span<const std::uint8_t> bytes, Time now)
{
    std::copy(bytes.begin(), bytes.end(), data_of(page).begin());
    pages_[page] = {now, false, false};
    ++counts_.programs;
}

void Cells::erase(std::uint64_t page)
{
    const std::uint64_t first = block_of(page);
    PagePlace place = place_of(config_.geometry, first);
    for (std::uint32_t i = 0; i < config_.geometry.pages; ++i, ++place.page) {
        const std::uint64_t number = number_of(config_.geometry, place);
        if (pages_.erase(number) != 0) // The page now reads as if it had never been written.
            std::ranges::fill(data_of(number), std::uint8_t{0});
    }
    Block& block = blocks_[first];
    block.reads = 0;
    const std::uint64_t cycles = config_.initial_cycles + ++block.erases;
    most_cycles_ = std::max(most_cycles_, cycles);
    counts_.worn_blocks += cycles == config_.endurance + 1 && config_.endurance != 0;
    ++counts_.erases;
}

void Cells::load(std::uint64_t offset, std::span<const std::uint8_t> bytes)
{
    if (!data_.holds(offset, bytes.size()))
        throw std::out_of_range("flash: " + std::to_string(bytes.size()) + " bytes at offset " +
                                std::to_string(offset) + " do not fit in " +
                                std::to_string(data_.size()));
    std::copy(bytes.begin(), bytes.end(), data_.data() + offset);
    const std::uint32_t size = config_.geometry.page_bytes;
    for (std::uint64_t page = offset / size; page * size < offset + bytes.size(); ++page) {
        counts_.loaded += is_erased(page);
        pages_[page] = {0, true, false};
    }
}

void Cells::note_read(std::uint64_t page)
{
    ++counts_.reads;
    if (config_.errors && config_.errors->disturb > 0)
        ++blocks_[block_of(page)].reads;
}

void Cells::read(std::uint64_t page, std::span<std::uint8_t> to, bool decode, Time now)
{
    const std::span<const std::uint8_t> data = data_of(page);
    std::copy(data.begin(), data.end(), to.begin());
    const auto found = pages_.find(page);
    const bool is_programmed = found != pages_.end();
    std::vector<std::uint8_t> code;
    if (is_programmed && decode && config_.code) {
        if (!found->second.has_code)
            encode(page);
        code.assign(code_of(page).begin(), code_of(page).end());
    }
    if (is_programmed && config_.errors) {
        const Block& block = blocks_[block_of(page)];
        const Page& its = found->second;
        const Time age = its.before_run ? now + config_.initial_age : now - its.programmed;
        const std::uint64_t cycles = config_.initial_cycles + block.erases;
        const double rate = config_.errors->rate(cycles, age, block.reads);
        const PageContent content{config_.seed, page, cycles};
        counts_.raw_bit_errors += flip_bits(to, content, 0, rate);
        counts_.raw_bit_errors += flip_bits(code, content, 1, rate);
    }
    if (!code.empty()) {
        counts_.decoding.add(decoder_ ? decoder_->decode(to, code)
                                      : decode_page(*config_.code, to, code));
        if (config_.errors)
            counts_.misplaced += compare_records(*config_.code, code_of(page), code).misplaced;
    }
    note_read(page);
}

} // namespace levee::flash

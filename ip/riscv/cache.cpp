// SPDX-License-Identifier: Apache-2.0
#include "ip/riscv/cache.hpp"

#include <algorithm>
#include <bit>

namespace levee::riscv {

Cache::Cache(const CacheConfig& config)
    : line_bytes_(config.line_bytes), ways_(config.ways),
      sets_(config.size_bytes / config.line_bytes / config.ways), data_(config.size_bytes),
      lines_(config.size_bytes / config.line_bytes), next_(sets_, 0)
{
    for (std::size_t i = 0; i < lines_.size(); ++i)
        lines_[i].data = data_.data() + i * line_bytes_;
}

Cache::Line* Cache::find(std::uint32_t address)
{
    const std::uint32_t wanted = line_address(address);
    Line* const set = &lines_[std::size_t{set_of(address)} * ways_];
    for (std::uint32_t way = 0; way < ways_; ++way)
        if (set[way].valid && set[way].address == wanted)
            return &set[way];
    return nullptr;
}

Cache::Line& Cache::replace(std::uint32_t address)
{
    const std::uint32_t number = set_of(address);
    Line* const set = &lines_[std::size_t{number} * ways_];
    for (std::uint32_t way = 0; way < ways_; ++way)
        if (!set[way].valid)
            return set[way];
    const std::uint32_t way = next_[number];
    next_[number] = (way + 1) % ways_;
    return set[way];
}

void Cache::filled(Line& line, std::uint32_t address)
{
    line.address = line_address(address);
    line.valid = true;
    line.outdated = false;
    set_dirty(line, false);
    if (!line.used)
        used_.push_back(&line);
    line.used = true;
}

void Cache::set_dirty(Line& line, bool dirty)
{
    if (dirty != line.dirty)
        dirty ? ++dirty_ : --dirty_;
    line.dirty = dirty;
}

void Cache::invalidate(Line& line)
{
    set_dirty(line, false);
    line.valid = false;
}

void Cache::invalidate_all()
{
    for (Line* line : used_) {
        invalidate(*line);
        line->used = false;
    }
    used_.clear();
    std::fill(next_.begin(), next_.end(), 0);
}

LineTable::LineTable(std::uint32_t line_bytes)
    : shift_(static_cast<std::uint32_t>(std::countr_zero(line_bytes))),
      offset_mask_(line_bytes - 1), entries_(size)
{
}

} // namespace levee::riscv

// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/page_reader.hpp"

#include "ip/flash/product.hpp"

#include <algorithm>

namespace levee::flash {

void PageReader::read(const PageAccess& page, std::span<std::uint8_t> to, bool decode)
{
    if (page.is_lost()) {
        ++lost_pages_;
        std::fill(to.begin(), to.end(), std::uint8_t{0});
    } else if (timing_only()) {
        cells_.note_read(page.number);
    } else {
        cells_.read(page.number, to, decode, now_ps());
    }
}

void PageReader::append_data(const PageAccesses& pages, std::vector<std::uint8_t>& bytes)
{
    const std::size_t size = timing_only() ? 0 : config_.cells.geometry.page_bytes;
    const std::size_t begin = bytes.size();
    bytes.resize(begin + pages.data_pages() * size);
    for (std::uint32_t k = 0; k < pages.data_pages(); ++k)
        read(pages.data_page(k), std::span(bytes).subspan(begin + k * size, size), config_.npu_ecc);
}

void PageReader::fetch_rows(const levee_flash_operation& op, const PageAccesses& pages,
                            std::vector<std::uint8_t>& bytes)
{
    bytes.resize(timing_only() ? 0 : std::size_t{op.rows} * op.row_bytes);
    std::vector<std::uint8_t> content(config_.cells.geometry.page_bytes);
    pages.for_each_tile_page([&](const PageAccess& page) {
        const levee_flash_part& part = page.part;
        read(page, content, config_.npu_ecc);
        for (std::uint32_t row = 0; row < part.rows && !bytes.empty(); ++row)
            copy_weights(
                op.weight_bits, content, std::size_t{row} * part.stride, part.columns,
                std::span(bytes).subspan(std::size_t{part.row + row} * op.row_bytes, op.row_bytes),
                part.column);
    });
}

void PageReader::read_bytes(std::uint64_t address, std::uint64_t bytes, std::uint8_t* to)
{
    const std::uint64_t size = config_.cells.geometry.page_bytes;
    std::vector<std::uint8_t> page(size);
    while (bytes > 0) {
        const std::uint64_t in_page = address % size, count = std::min(bytes, size - in_page);
        const Geometry& geometry = config_.cells.geometry;
        read(access_of(geometry, failures_, place_of(geometry, address / size), now_ps()), page,
             config_.npu_ecc);
        to = std::copy_n(page.begin() + static_cast<std::ptrdiff_t>(in_page), count, to);
        address += count;
        bytes -= count;
    }
}

} // namespace levee::flash

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/view.hpp"
#include "core/flow/sockets.hpp"
#include "ip/flash/cells/cells.hpp"
#include "ip/flash/declaration.hpp"
#include "ip/flash/hierarchy.hpp"
#include "ip/flash/inside.hpp"
#include "ip/flash/product.hpp"
#include "ip/flash/schedule.hpp"

#include <systemc>
#include <tlm>

#include <optional>

namespace levee::flash {

struct Config {
    CellsConfig cells;
    TimingConfig timing;                ///< of a channel, unless it differs
    std::vector<TimingConfig> channels; ///< of each
    bool die_ecc = true;                ///< cores compute with decoded pages
    bool npu_ecc = false; ///< pages to the NPU are decoded there; their codes pass the channel, too
    std::uint64_t link_bytes_per_second = 0; ///< between the dies' chiplet and the NPU's
    Picoseconds link_latency = 0;
    std::vector<FailedDie> failed;
    CommandQueueConfig queue;
    PartMakers parts{};

    /// Bytes of a page on the channel, alone or with its code.
    [[nodiscard]] std::uint32_t sent_bytes(bool with_code) const
    {
        const std::uint64_t code = with_code && cells.code ? cells.code->code_bytes() : 0;
        return cells.geometry.page_bytes + static_cast<std::uint32_t>(code);
    }
    /// Peak of reading pages: what arrays and channels allow, through the link; codes that pass
    /// these, too, are not counted.
    [[nodiscard]] std::uint64_t read_bytes_per_second() const;
    /// Bytes of pages with the share of their codes that passes channel and link, and back.
    [[nodiscard]] std::uint64_t with_codes(std::uint64_t bytes) const;
    [[nodiscard]] std::uint64_t without_codes(std::uint64_t bytes) const;
};

/// Flash whose dies compute (Cambricon-LLM, sections IV to VI). `port` serves its pages for
/// reading: what the NPU's side gets of them, errors included; nothing can be written there. The
/// queue computes, reads, programs and erases; the requests of an operation are simulated one by
/// one before it starts, and its time is theirs.
class Flash : public sc_core::sc_module, private Executor, private FlowResource {
public:
    /// `decoder`: the error correction unit of all dies; null: the reference.
    Flash(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
          std::unique_ptr<Decoder> decoder = nullptr);

    CommandQueue queue;
    TargetSocket port;

    /// Places bytes before the run, as if they had been programmed long ago.
    void load(std::uint64_t offset, std::span<const std::uint8_t> bytes);
    /// Every step of every request, for timelines; as if nothing outside held them up, neither the
    /// link nor who takes pages at a stream port.
    [[nodiscard]] InnerSpans inside();
    [[nodiscard]] Channels& channels() { return channels_; }
    [[nodiscard]] const Cells& cells() const { return cells_; }
    void report(Stats& stats) const;

private:
    /// The wires between the chiplets.
    struct Link : FlowResource {
        Link(std::string name, std::uint64_t rate);
        void price(std::span<const FlowUse* const> mix, std::span<const double> demand,
                   std::span<double> ps_per_byte) override;
        std::uint64_t bytes_per_second;
    };

    void end_of_elaboration() override;
    void describe_registers();
    void prepare(const levee_descriptor& descriptor, Operation& operation) override;
    void check(std::uint8_t opcode, const levee_flash_operation& op) const;
    void check_tiles(const levee_flash_operation& op) const;
    void check_product(const levee_flash_operation& op) const;
    void check_fetch(const levee_flash_operation& op) const;
    void check_pages(std::uint8_t opcode, const levee_flash_operation& op) const;
    void check_writable(std::uint8_t opcode, const PageAccesses& pages) const;
    void read_page(const PageAccess& page, std::span<std::uint8_t> to, bool decode);
    void add_streams(std::uint8_t opcode, const levee_flash_operation& op, Operation& operation);
    void take_time(std::uint8_t opcode, const levee_flash_operation& op, const PageAccesses& pages,
                   Operation& operation);
    void compute(std::uint8_t opcode, const levee_flash_operation& op, const PageAccesses& pages,
                 Operation& operation);
    [[nodiscard]] std::vector<std::uint8_t> results_of(const levee_flash_operation& op,
                                                       const PageAccesses& pages);
    void read_floats(std::uint64_t address, std::uint64_t count, std::uint32_t field,
                     std::vector<float>& to);
    void read_pages(const PageAccesses& pages, std::vector<std::uint8_t>& bytes);
    void fetch_rows(const levee_flash_operation& op, const PageAccesses& pages,
                    std::vector<std::uint8_t>& bytes);
    void program(const levee_flash_operation& op, const PageAccesses& pages, Operation& operation);
    void erase(const PageAccesses& pages, Operation& operation);
    void multiply(const levee_flash_operation& op, const PageAccesses& pages,
                  std::span<const std::uint8_t> input, std::vector<std::int64_t>& sums);
    void add_partial(const levee_flash_operation& op, std::uint32_t first,
                     std::span<const std::int64_t> partial, std::vector<std::int64_t>& sums);
    void count_idle(const PageAccesses& pages, std::uint64_t tile);

    void price(std::span<const FlowUse* const> mix, std::span<const double> demand,
               std::span<double> ps_per_byte) override;
    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void transport_bulk(tlm::tlm_generic_payload& payload, BulkExtension& access);
    unsigned transport_debug(tlm::tlm_generic_payload& payload);
    void read_bytes(std::uint64_t address, std::uint64_t bytes, std::uint8_t* to);

    Config config_;
    Failures failures_;
    Cells cells_;
    Channels channels_;
    std::optional<Schedule> schedule_; ///< from the end of elaboration on
    RequestView requests_;
    InnerSpanSink inside_; ///< null: not observed
    Link link_;
    std::uint64_t saturated_ = 0;
    std::uint64_t link_bytes_ = 0;
    std::uint64_t padding_weights_ = 0;
    std::uint64_t tiles_ = 0;         ///< that cores have computed
    std::uint64_t idle_channels_ = 0; ///< without a weight, over all of these
    std::uint64_t idle_cores_ = 0;    ///< likewise, those of such channels included
    std::uint64_t lost_pages_ = 0;    ///< not read: their die has failed
};

} // namespace levee::flash

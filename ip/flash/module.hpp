// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/view.hpp"
#include "core/flow/sockets.hpp"
#include "ip/flash/cells/cells.hpp"
#include "ip/flash/config.hpp"
#include "ip/flash/declaration.hpp"
#include "ip/flash/hierarchy.hpp"
#include "ip/flash/inside.hpp"
#include "ip/flash/page_reader.hpp"
#include "ip/flash/product.hpp"
#include "ip/flash/schedule.hpp"
#include "ip/flash/tile_products.hpp"

#include <systemc>
#include <tlm>

#include <optional>

namespace levee::flash {

/// Counts of reads by address, which are not simulated as page requests.
struct ReadsByAddress {
    std::uint64_t pages = 0;      ///< Pages sensed: bytes of streams divided by the page size.
    std::uint64_t sent_bytes = 0; ///< Bytes on channels and link, including codes.
};

/// Flash whose dies compute (Cambricon-LLM, sections IV to VI). `port` serves reads, with the bit
/// errors that the NPU receives; it refuses writes. Commands in the queue compute, read, program
/// and erase. An operation's requests are simulated one by one before it starts, which gives its
/// duration.
class Flash : public sc_core::sc_module, private Executor, private FlowResource {
public:
    /// `decoder` is the error correction unit of all dies; null selects the reference.
    Flash(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
          std::unique_ptr<Decoder> decoder = nullptr);

    CommandQueue queue;
    TargetSocket port;

    /// Stores bytes before the run. These bytes count as programmed `initial_age` before the run.
    void load(std::uint64_t offset, std::span<const std::uint8_t> bytes);
    /// Returns every step of every request, for timelines. Delays by the link, or by the consumer
    /// of a stream port, are not shown.
    [[nodiscard]] InnerSpans inside();
    [[nodiscard]] Channels& channels() { return channels_; }
    [[nodiscard]] const ReadsByAddress& by_address() const { return by_address_; }
    [[nodiscard]] const Cells& cells() const { return cells_; }
    void report(Stats& stats) const;

private:
    /// The link between the flash chiplet and the NPU.
    struct Link : FlowResource {
        Link(std::string name, std::uint64_t rate);
        void price(std::span<const FlowUse* const> mix, std::span<const StreamDemand> demand,
                   std::span<double> ps_per_byte) override;
        std::uint64_t bytes_per_second;
    };

    void end_of_elaboration() override;
    void describe_registers();
    void prepare(const levee_descriptor& descriptor, Operation& operation) override;
    void add_streams(std::uint8_t opcode, const levee_flash_operation& op, Operation& operation);
    void take_time(std::uint8_t opcode, const levee_flash_operation& op, const PageAccesses& pages,
                   Operation& operation);
    void compute(std::uint8_t opcode, const levee_flash_operation& op, const PageAccesses& pages,
                 Operation& operation);
    [[nodiscard]] std::vector<std::uint8_t> results_of(const levee_flash_operation& op,
                                                       const PageAccesses& pages);
    void read_floats(std::uint64_t address, std::uint64_t count, std::uint32_t field,
                     std::vector<float>& to);
    void program(const levee_flash_operation& op, const PageAccesses& pages, Operation& operation);
    void erase(const PageAccesses& pages, Operation& operation);

    void price(std::span<const FlowUse* const> mix, std::span<const StreamDemand> demand,
               std::span<double> ps_per_byte) override;
    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void transport_bulk(tlm::tlm_generic_payload& payload, BulkExtension& access);
    unsigned transport_debug(tlm::tlm_generic_payload& payload);

    Config config_;
    Failures failures_;
    Cells cells_;
    Channels channels_;
    PageReader reader_;
    TileProducts products_;
    std::optional<Schedule> schedule_; ///< Set at the end of elaboration.
    RequestView requests_;
    InnerSpanSink inside_; ///< Null: nobody observes the steps.
    Link link_;
    std::uint64_t link_bytes_ = 0;
    std::uint64_t read_bytes_ = 0; ///< Bytes read by address.
    ReadsByAddress by_address_;
};

} // namespace levee::flash

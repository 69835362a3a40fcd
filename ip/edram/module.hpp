// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/register_file.hpp"
#include "core/component/injectable.hpp"
#include "core/flow/bulk.hpp"
#include "core/flow/sockets.hpp"
#include "core/memory/storage.hpp"
#include "core/units/stats.hpp"
#include "ip/edram/array.hpp"
#include "ip/edram/bank_group.hpp"
#include "ip/edram/refresh_controller.hpp"

#include <systemc>
#include <tlm>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace levee::edram {

struct Config {
    ArrayConfig array;
    Picoseconds access = 0;  ///< Time to access `port_bytes` of one bank, above 0.
    Picoseconds latency = 0; ///< Latency that an initiator sees.
    std::uint32_t seed = 1;  ///< Seed of the cells' retention times.
    /// Creates the refresh controllers, as a module of this name. Null selects the standard ones.
    std::function<std::unique_ptr<RefreshController>(const char* name, const Geometry& geometry,
                                                     const RefreshConfig& refresh)>
        make_refresh{};
};

/// eDRAM with its refresh controllers and score register file (Kelle, section 5.1). It contains the
/// module `refresh` and, by layout, the bank groups `keys` and `values`, or `banks`. `port` serves
/// the data, followed by the register file; `registers` serves the controllers' registers.
class Edram : public sc_core::sc_module, private AccessTracker {
public:
    TargetSocket port;
    TargetSocket registers;

    /// Throws std::invalid_argument for an invalid configuration.
    Edram(const sc_core::sc_module_name& name, const Config& config);

    /// Bytes of the address range: data and register file.
    [[nodiscard]] static std::uint64_t mapped_bytes(const Geometry& geometry)
    {
        return geometry.size_bytes + Array::score_count(geometry);
    }

    /// Stores `bytes` at `offset` before the run. Throws std::out_of_range if they do not fit.
    void load(std::uint64_t offset, std::span<const std::uint8_t> bytes);
    [[nodiscard]] Storage& storage() { return storage_; }
    [[nodiscard]] const RegisterFile& register_file() const { return register_file_; }

    /// Returns the stored bits of all elements in the MSB or the LSB banks.
    [[nodiscard]] std::vector<StoredBits> bits_of(Half half) const;
    /// Flips a bit of the score register file. Refresh groups are updated as after a write.
    void flip_score(std::uint64_t bit);

    void observe_failures(FailureSink sink) { array_.observe_failures(std::move(sink)); }
    /// Lifetimes are reported in simulated time, in ps.
    void observe_lifetimes(LifetimeSink sink);

    /// Rows refreshed so far, by group.
    [[nodiscard]] GroupCounts refreshed_rows() const { return array_.refresh().refreshed(now()); }

    [[nodiscard]] RefreshController& refresh() { return *refresh_; }
    [[nodiscard]] BankGroup& group(unsigned side) { return groups_[side]; }
    /// Binds a signal to every output of the memory's modules and traces it. Call before the
    /// simulation starts.
    void trace_signals(sc_core::sc_trace_file& file);

    void report(Stats& stats);

private:
    struct Signals {
        sc_core::sc_signal<double> load{};
        sc_core::sc_signal<std::uint64_t> valid_rows{};
        std::deque<sc_core::sc_signal<unsigned>> streams{};
    };
    enum class Part { Data, Scores, None };

    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void transport_bulk(tlm::tlm_generic_payload& payload, BulkExtension& access);
    unsigned transport_debug(tlm::tlm_generic_payload& payload);
    void transport_registers(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_registers_debug(tlm::tlm_generic_payload& payload);

    [[nodiscard]] Part part_of(std::uint64_t first, std::uint64_t last) const;
    void open(BulkExtension& access);
    void accessed(Direction direction, const AccessPattern& pattern) override;
    void show(Part part, BulkExtension::Region& region);
    void touch(const AccessPattern& pattern, bool read);
    void move_data(tlm::tlm_generic_payload& payload, const AccessPattern& pattern, bool read);
    void move_scores(tlm::tlm_generic_payload& payload, const AccessPattern& pattern);
    void describe_registers();
    void describe_group(unsigned group);
    void describe_region(unsigned number);
    [[nodiscard]] Time now() const;
    void report_group(Stats& stats, unsigned group) const;

    Config config_;
    std::string name_;
    std::uint64_t size_bytes_;
    std::uint64_t time_scale_;
    Picoseconds latest_; ///< Latest time that this model can represent.
    Storage storage_;    ///< Data, followed by the register file.
    std::unique_ptr<RefreshController> refresh_;
    Array array_;
    std::deque<BankGroup> groups_;     // Bank groups by side.
    std::unique_ptr<Signals> signals_; ///< Null: outputs are not traced.
    RegisterFile register_file_;
    std::array<std::uint32_t, LEVEE_EDRAM_GROUPS> interval_low_{}; ///< Low words, held until the
                                                                   ///< high word is written.
    std::array<Region, LEVEE_EDRAM_REGIONS> next_region_{}; ///< Values written so far; they take
                                                            ///< effect when VECTORS is written.
    std::uint64_t read_bytes_ = 0;
    std::uint64_t written_bytes_ = 0;
};

} // namespace levee::edram

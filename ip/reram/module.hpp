// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/view.hpp"
#include "core/flow/bulk.hpp"
#include "core/flow/sockets.hpp"
#include "ip/reram/crossbars.hpp"
#include "ip/reram/declaration.hpp"
#include "ip/reram/inside.hpp"
#include "ip/reram/timing.hpp"

#include <systemc>
#include <tlm>

namespace levee::reram {

struct Config {
    ArrayConfig array;
    TimingConfig timing;
    std::uint32_t groups = 8; ///< of units, in timelines and figures
    CommandQueueConfig queue;
};

/// ReRAM crossbars that keep matrices and multiply by them (ReTransformer). `port` serves what they
/// store, for reading; columns are programmed by the queue.
class Reram : public sc_core::sc_module, private Executor {
public:
    Reram(const sc_core::sc_module_name& name, const Config& config, Fabric fabric);

    CommandQueue queue;
    TargetSocket port;

    /// Places bytes before the run, as if they had been programmed long ago.
    void load(std::uint64_t offset, std::span<const std::uint8_t> bytes);
    /// What groups of units do, operation by operation.
    [[nodiscard]] InnerSpans inside();
    void report(Stats& stats) const;

private:
    using Op = levee_reram_operation;
    using Stage = levee_reram_stage;

    // module.cpp
    void describe_registers();
    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_debug(tlm::tlm_generic_payload& payload);

    // checks.cpp: all throw CommandFault.
    void check(std::uint8_t opcode, const Op& op) const;
    void check_product(const Op& op) const;
    void check_write(const Op& op) const;
    void read_stages(const Op& op);
    void check_stage(const Op& op, std::size_t number) const;
    void check_chain(const Op& op) const;
    void read_lengths(const Op& op);

    // operations.cpp
    void prepare(const levee_descriptor& descriptor, Operation& operation) override;
    [[nodiscard]] std::optional<unsigned> operand_of(std::uint32_t field) const override;
    void product(const Op& op, Operation& operation);
    void take_time(const Op& op, Operation& operation);
    void take_write_time(const Op& op, Operation& operation);
    /// Sums over (o0, o1), for one vector of each.
    struct Lines {
        std::uint64_t crossings = 0;     ///< driven by sensed lines
        std::uint64_t driven_of_all = 0; ///< in all crossbars that the sensed ones lie in
        std::uint64_t sensed_of_all = 0; ///< likewise
    };
    [[nodiscard]] Lines lines_of(const Op& op, std::size_t number) const;
    void count_events(const Op& op, std::size_t number, Operation& operation);
    [[nodiscard]] std::uint32_t input_bits(const Op& op, std::size_t number) const;
    [[nodiscard]] std::uint64_t driven_lines(const Op& op, std::size_t number) const;
    [[nodiscard]] StageTime time_of_stage(const Op& op, std::size_t number) const;
    [[nodiscard]] MatrixPlace place_of(const Stage& stage, std::uint32_t o0,
                                       std::uint32_t o1) const;
    [[nodiscard]] std::vector<UnitRange> units_of(const Op& op, const Stage& stage) const;
    [[nodiscard]] Picoseconds start_of(const Operation& operation) const;
    [[nodiscard]] Picoseconds wait_for(const Op& op, std::size_t number, Picoseconds start) const;

    // data.cpp
    /// Vectors of one (o0, o1); empty in timing-only runs.
    struct Vectors {
        std::size_t width = 0;
        std::vector<std::int32_t> codes; ///< [vector][width]
        std::vector<float> scales;       ///< [vector], or none
        std::vector<float> b_scale, bias;
    };
    void open(const Op& op, Operation& operation);
    void open_operand(Operation& operation, Direction direction, std::uint64_t address,
                      std::span<const std::int32_t> strides, const Op& op, std::uint64_t run_bytes,
                      std::uint32_t field);
    [[nodiscard]] View part_of(std::uint64_t address, std::span<const std::int32_t> strides,
                               const Op& op, std::uint32_t o0, std::uint32_t o1,
                               std::uint64_t run_bytes, std::uint32_t field);
    void read_factors(const Op& op, std::uint32_t o0, std::uint32_t o1, std::uint64_t n,
                      std::uint64_t address, std::uint32_t field, std::vector<float>& to);
    void take_vectors(const Op& op, std::uint32_t o0, std::uint32_t o1, std::uint64_t k,
                      unsigned bits, Vectors& vectors);
    void multiply_vectors(const Op& op, std::uint32_t o0, std::uint32_t o1, std::uint64_t n,
                          const Vectors& vectors, std::vector<std::uint8_t>& results);
    float pass_stages(const Op& op, std::uint32_t o0, std::uint32_t o1, std::uint64_t n,
                      std::vector<std::int32_t> inputs, float scale, std::vector<double>& sums);
    void append_results(const Op& op, const Vectors& vectors, float scale,
                        std::span<const double> sums, std::vector<std::uint8_t>& results) const;
    void pass_stage(const Op& op, std::size_t number, std::uint32_t o0, std::uint32_t o1,
                    std::span<const std::int32_t> inputs, std::span<double> sums);
    void write_results(const Op& op, std::span<const std::uint8_t> results);
    // columns.cpp
    void write(const Op& op, Operation& operation);
    [[nodiscard]] std::uint32_t first_column(const Op& op, std::uint32_t o0,
                                             std::uint32_t o1) const;
    [[nodiscard]] View scales_of(const Op& op, std::uint32_t o0, std::uint32_t o1);
    [[nodiscard]] Op with_columns_of(const Op& op, std::uint32_t o0, std::uint32_t o1) const;
    void open_columns(const Op& op, Operation& operation);
    void write_columns(const Op& op, std::uint32_t o0, std::uint32_t o1, Vectors& vectors);

    Config config_;
    Crossbars crossbars_;
    GroupView view_;
    std::vector<Picoseconds> free_at_;    ///< by unit: until then it is programmed
    std::vector<Stage> stages_;           ///< of the operation
    std::vector<std::uint32_t> lengths_;  ///< of it, by o0 and o1; empty: it has none
    const Operation* upstream_ = nullptr; ///< the producer it takes vectors from
    std::uint64_t vectors_ = 0, conversions_ = 0, macs_ = 0;
    Picoseconds programming_ = 0, waited_ = 0;
};

} // namespace levee::reram

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/sockets.hpp"
#include "core/numerics/overflow.hpp"
#include "ip/cim/bookkeeping.hpp"
#include "ip/cim/cached_vectors.hpp"
#include "ip/cim/config.hpp"
#include "ip/cim/cores.hpp"
#include "ip/cim/packed_cache.hpp"
#include "ip/cim/pass.hpp"

#include <systemc>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace levee::cim {

/// Cores of compute-in-memory macros, with one decoder layer each (Titanus; ip/cim/README.md). The
/// storage holds the layers' weights from the start. Nothing reads or writes them by address.
class Cim : public sc_core::sc_module, private Executor {
public:
    /// `macro` multiplies with matrices; null selects the reference.
    Cim(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
        std::unique_ptr<cim_macro::Engine> macro = nullptr);

    CommandQueue queue;
    TargetSocket port;

    /// Stores weights before the run.
    void load(std::uint64_t offset, std::span<const std::uint8_t> bytes);
    void report(Stats& stats) const;
    /// Returns the activity of every core's stages, for timelines. Delays from outside the cores
    /// are not shown.
    [[nodiscard]] InnerSpans inside();

private:
    void prepare(const levee_descriptor& descriptor, Operation& operation) override;
    void run_layers(const Pass& pass, Operation& operation);
    void run_linear(const Pass& pass, Operation& operation);
    void run_compress(const Pass& pass, Operation& operation);
    [[nodiscard]] Stored run_layer(const Pass& pass, std::uint32_t layer, std::uint32_t entry,
                                   std::span<float> x, Operation& operation);
    [[nodiscard]] std::vector<float> take_input(const Pass& pass, std::uint32_t width,
                                                Operation& operation);
    void give_output(const Pass& pass, std::uint32_t width, std::vector<float> x,
                     std::vector<Stored> stored, Operation& operation);

    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_debug(tlm::tlm_generic_payload& payload);

    Config config_;
    std::unique_ptr<cim_macro::Engine> macro_;
    Cores cores_;
    CachedVectors cached_;
    PackedCache packed_;
    Bookkeeping books_;
    Overflows overflows_;
};

} // namespace levee::cim

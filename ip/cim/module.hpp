// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/view.hpp"
#include "core/flow/sockets.hpp"
#include "core/memory/storage.hpp"
#include "core/numerics/overflow.hpp"
#include "core/units/clock.hpp"
#include "ip/cim/activity.hpp"
#include "ip/cim/compressed.hpp"
#include "ip/cim/inside.hpp"
#include "ip/cim/layer.hpp"
#include "ip/cpq/records.hpp"

#include <systemc>

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace levee::cim {

/// What somebody has measured of compressed keys and values: stands for data in timing-only runs.
struct Statistics {
    Compression compression;
    /// Levels of quantisation of a sequence of up to so many tokens, ascending; the last for
    /// longer.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> levels;

    [[nodiscard]] std::uint32_t levels_of(std::uint64_t tokens) const;
};

struct Config {
    Clock clock;
    std::uint32_t cores = 1;
    Units units;
    Pipeline pipeline = Pipeline::None;
    Reading reading;
    std::optional<Statistics> statistics;  ///< none: sizes of keys and values are the actual ones
    std::optional<cpq::Expected> expected; ///< rows without payload, from statistics
    std::uint32_t input_bytes = 1;         ///< of an element that macros take
    CommandQueueConfig queue;

    /// Size of the storage: every core's weights.
    [[nodiscard]] std::uint64_t bytes() const;
    /// Where matrix `which` of a layer begins there.
    [[nodiscard]] std::uint64_t offset_of(std::uint32_t layer, levee_cim_matrix which) const;
};

/// Cores of compute-in-memory macros, a decoder layer each (Titanus; ip/cim/README.md). The storage
/// has the layers' weights, from before the run on; nothing reads or writes them by address.
class Cim : public sc_core::sc_module, private Executor {
public:
    /// `macro`: multiplies with matrices; null: the reference.
    Cim(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
        std::unique_ptr<cim_macro::Engine> macro = nullptr);

    CommandQueue queue;
    TargetSocket port;

    /// Places weights before the run.
    void load(std::uint64_t offset, std::span<const std::uint8_t> bytes);
    void report(Stats& stats) const;
    /// The stages of every core, for timelines; as if nothing outside held them up.
    [[nodiscard]] InnerSpans inside();

private:
    /// A checked descriptor and what it refers to.
    struct Pass {
        levee_cim_operation op;
        levee_cim_model model;
        Shape shape;
        std::vector<std::uint32_t> lengths; ///< by entry
        levee_cim_packed packed;            ///< if op.packed is not 0

        [[nodiscard]] Work work(std::uint32_t entry) const
        {
            return {op.rows, lengths[entry] - op.rows};
        }
        [[nodiscard]] std::uint64_t x_bytes(std::uint32_t width) const
        {
            return std::uint64_t{op.entries} * op.rows * width * sizeof(float);
        }
    };
    /// What a core has read of its layer.
    struct Core {
        std::optional<levee_cim_model> model; ///< whose it is; none: nothing yet
        Parameters parameters;
        std::map<std::uint32_t, std::uint32_t> levels;      ///< with scales written, by entry
        std::map<std::uint32_t, CompressedPair> compressed; ///< by entry of the batch
        bool loaded = false;                                ///< its weights have been accounted for
    };
    /// New keys and values of a layer and entry, to be written.
    struct Stored {
        std::uint32_t layer = 0, entry = 0;
        Cached keys{}, values{};
        std::array<std::vector<CompressedRows::Packed>, 2>
            packed{};                        ///< op.packed: instead of these
        std::size_t first_row = 0, rows = 0; ///< op.packed: the new ones
        Compression measured{};              ///< op.packed
        std::uint64_t moved = 0;             ///< op.packed: bytes read and written
    };

    void prepare(const levee_descriptor& descriptor, Operation& operation) override;
    [[nodiscard]] Pass read_pass(std::uint8_t opcode);
    void check(std::uint8_t opcode, const levee_cim_operation& op) const;
    void check_model(const levee_cim_model& model) const;
    void describe(Pass& pass, std::uint8_t opcode);

    void tell_core(const Pass& pass, std::uint32_t layer);
    void tell_matrix(const Pass& pass, std::uint32_t layer, std::uint32_t which,
                     const levee_cim_layer& record);
    void read_floats(std::uint64_t address, std::uint64_t count, std::vector<float>& to);

    [[nodiscard]] std::vector<float> take_input(const Pass& pass, std::uint32_t width,
                                                Operation& operation);
    void give_output(const Pass& pass, std::uint32_t width, std::vector<float> x,
                     std::vector<Stored> stored, Operation& operation);
    void run_layers(const Pass& pass, Operation& operation);
    void run_linear(const Pass& pass, Operation& operation);
    [[nodiscard]] Stored run_layer(const Pass& pass, std::uint32_t layer, std::uint32_t entry,
                                   std::span<float> x, Operation& operation);
    [[nodiscard]] AccessPattern rows_of(const Pass& pass, std::uint64_t address, bool scales,
                                        std::uint32_t layer, std::uint32_t entry,
                                        std::uint64_t first, std::uint64_t count) const;
    void move_cached(const Pass& pass, Operation& operation);
    void move_compressed(const Pass& pass, std::uint32_t layer, std::uint32_t entry,
                         Operation& operation);
    void fetch_cached(const Pass& pass, Stored& stored);
    void write_stored(const Pass& pass, const Stored& stored);

    [[nodiscard]] AccessPattern packed_rows(const Pass& pass, std::size_t kind, std::uint32_t layer,
                                            std::uint32_t entry, std::uint64_t first,
                                            std::uint64_t count, std::uint64_t bytes) const;
    [[nodiscard]] CompressedPair& pair_of(const Pass& pass, std::uint32_t layer,
                                          std::uint32_t entry)
    {
        return cores_[layer].compressed[pass.op.first_entry + entry];
    }
    [[nodiscard]] cpq::Settings settings_of(const Pass& pass, std::size_t kind,
                                            std::uint32_t layer);
    void fetch_packed(const Pass& pass, Stored& stored, Operation& operation);
    void compress_new(const Pass& pass, Stored& stored, Operation& operation);
    void write_packed(const Pass& pass, const Stored& stored);
    [[nodiscard]] AccessPattern record_place(const Pass& pass, std::size_t kind,
                                             std::uint32_t layer, std::uint32_t entry,
                                             std::size_t row) const;
    [[nodiscard]] levee_cpq_record next_record(const Pass& pass, std::size_t kind);
    void settle(const Pass& pass, const std::vector<Stored>& all);
    [[nodiscard]] bool packs() const;
    void count_compressed(const CompressedRows& rows, const cpq::Counts& before,
                          std::uint64_t values);
    void note_rows(const Pass& pass, std::size_t kind, CompressedRows& rows, std::size_t count);
    void run_compress(const Pass& pass, Operation& operation);
    void take_vectors(const Pass& pass, std::size_t kind, Stored& stored, Operation& operation);
    void compress_prompt(const Pass& pass, Stored& stored, Operation& operation);
    void account_prompt(const Pass& pass, const Stored& stored, Operation& operation);

    void account(const Pass& pass, const std::vector<Stored>& stored, Operation& operation);
    void account_one(const Pass& pass, std::uint32_t layer, std::uint32_t entry,
                     const Stored* stored, Operation& operation);
    void add_work(const Activity& activity, std::uint64_t off_chip, Operation& operation) const;
    void add_loading(const Accounts& accounts, std::uint32_t layer, Operation& operation);
    [[nodiscard]] const Compression* compression() const
    {
        return config_.statistics ? &config_.statistics->compression : nullptr;
    }
    [[nodiscard]] Picoseconds time_of(double cycles) const;

    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_debug(tlm::tlm_generic_payload& payload);

    Config config_;
    Storage storage_;
    std::unique_ptr<cim_macro::Engine> macro_;
    std::vector<Core> cores_;
    std::size_t next_record_ = 0; ///< timing-only: of the operation's recorded ones
    StageView view_;
    InnerSpanSink inside_; ///< null: not observed
    struct {
        std::uint64_t values = 0, survivors = 0, non_zeros = 0, clamped = 0, levels = 0;
    } compressed_; ///< so far, but for the most levels of a channel
    Overflows overflows_;
    std::uint64_t tokens_ = 0, layer_tokens_ = 0, kv_bytes_ = 0, input_bytes_ = 0,
                  loaded_bytes_ = 0, macs_ = 0;
};

} // namespace levee::cim

// SPDX-License-Identifier: Apache-2.0
// Computes the time of a pass of Llama2-7B by hand, section by section as in
// docs/hand_calculations.md. No number here comes from the simulator.
#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace levee::test {

/// The shape of Llama2-7B.
struct Shape {
    double dim = 4096, hidden = 11008, layers = 32, heads = 32, head = 128, vocab = 32000;
};

enum class Place { Dram, Sram, Activations };

/// The machine, and the values that it keeps in memories other than DRAM.
struct Machine {
    double side = 0;    ///< Rows, and also columns, of the array.
    double load = 0;    ///< Bytes of weights per cycle.
    bool kelle = false; ///< Keys and values pass through an eDRAM, and Q, K and V are three
                        ///< products.
    std::set<std::string> activations; ///< Values in the eDRAM for activations.
    std::set<std::string> sram;
};

/// The resources that an operation needs: cycles of its block, and bytes of each memory.
struct Work {
    double cycles = 0, dram_read = 0, dram_written = 0, sram = 0, activations = 0, kv = 0;
    bool far = false; ///< Whether some data come from DRAM.

    Work& operator+=(const Work& other)
    {
        cycles += other.cycles;
        dram_read += other.dram_read;
        dram_written += other.dram_written;
        sram += other.sram;
        activations += other.activations;
        kv += other.kv;
        far = far || other.far;
        return *this;
    }
};

/// Returns `work` plus the bytes of a shorter operation that uses the memories at the same time.
inline Work shared(Work work, Work other)
{
    other.cycles = 0;
    return work += other;
}

/// LPDDR4-4000 with the times of JEDEC JESD209-4 in clocks of 0.5 ns. They count from the first
/// clock of a command to the first clock of the next. A burst of 32 bytes takes 8 clocks on a
/// channel's data bus.
struct Dram {
    double peak = 8 * 16 / 8 * 4e9; ///< Channels x bits / 8 x transfers per second.
    double page = 64 * 8;           ///< Clocks of the 64 bursts of 2 KiB.
    /// A switch between ranks takes 3 clocks. Of 64 waiting bursts, all those for the current rank
    /// go before a switch.
    double rank_switch = 3;
    /// A PRECHARGE takes 2 clocks of the command bus, an ACTIVATE takes 4. Either command delays
    /// the second of two READs if too few of the 4 clocks between the READs are left when the
    /// command becomes possible. Every clock is equally likely for that.
    double row_commands = (1 + 2 + 3) / 8.0 + 1 / 8.0;
    /// A bank of either rank is refreshed every REFI / 8. The bank is closed before that and opened
    /// again afterwards.
    double refresh_interval = 3903.75 * 2 / 8 / 2;
    double refresh = 1 / 8.0 + row_commands;
    double to_write = 34.25 + 36.25 + 21.5 - (45.5 + 8); ///< RP + RCD + WL - (RL + burst)
    double to_read = 17 + 45.5 + 3;                      ///< WTR + RL + turnaround
    double batch = 48 * 8;                               ///< A batch of writes has 48 bursts.
    double reopened = 2 * 48 / 8; ///< For every 8 bursts, a page is closed and reopened.

    [[nodiscard]] double reads_per_s() const
    {
        const double lost = rank_switch + row_commands + refresh * page / refresh_interval;
        return peak * page / (page + lost);
    }
    /// The time of a written byte, in units of the time of a byte read.
    [[nodiscard]] double written() const
    {
        return 1 + (to_write + to_read + reopened * row_commands) / batch;
    }
    /// Latency of a read: the sum of controller, PRECHARGE, ACTIVATE, READ, a burst, and the bus.
    [[nodiscard]] static double latency() { return (10 + 17.125 + 18.125 + 22.75 + 4 + 4) * 1e-9; }
    [[nodiscard]] double seconds(double read, double write) const
    {
        return (read + written() * write) / reads_per_s();
    }
};

/// Returns the seconds that an operation takes if all its streams run at the same time.
inline double streaming(const Work& work)
{
    return std::max({work.cycles / 1e9, Dram{}.seconds(work.dram_read, work.dram_written),
                     work.sram / 128e9, work.activations / 256e9, work.kv / 256e9});
}

inline double seconds(const Work& work)
{
    return streaming(work) + (work.far ? Dram::latency() : 6e-9);
}

/// The operations of a pass with `rows` tokens of each of `entries` sequences. The last token's
/// cache has `length` tokens.
class Operations {
public:
    Operations(Machine machine, double entries, double rows, double length)
        : machine_(std::move(machine)), entries_(entries), rows_(rows), tokens_(entries * rows),
          length_(length), heads_(shape_.heads)
    {
    }

    /// Limits attention to this many heads.
    [[nodiscard]] Operations of_heads(double heads) const
    {
        Operations some = *this;
        some.heads_ = heads;
        return some;
    }

    /// A product of tokens x k by k x n, with n x k bytes of weights and n scales.
    [[nodiscard]] Work linear(double n, double k, const std::string& in, const std::string& out,
                              double tokens) const
    {
        Work work;
        work.cycles = array_cycles(tokens, n, k, 1) + 2 * machine_.side - 2;
        work.far = true;
        work.dram_read = n * k + 4 * n;
        work.sram = 2 * n * k; // Weights are written to the ring and read from it.
        read(work, in, std::ceil(n / machine_.side) * tokens * (2 * k) + 4 * tokens);
        write(work, out, tokens * n * 4);
        return work;
    }
    [[nodiscard]] Work linear(double n, double k, const std::string& in,
                              const std::string& out) const
    {
        return linear(n, k, in, out, tokens_);
    }

    [[nodiscard]] Work scores() const
    {
        const double products = entries_ * heads_;
        Work work;
        work.cycles =
            products * array_cycles(rows_, length_, shape_.head, 2) + 2 * machine_.side - 2;
        work.far = true;
        work.dram_read = products * length_ * 4; // Each key has a scale of 4 bytes.
        keys_or_values(work);
        read(work, "query",
             products * rows_ * (std::ceil(length_ / machine_.side) * 2 * shape_.head + 4));
        write(work, "scores", products * rows_ * length_ * 4);
        return work;
    }

    [[nodiscard]] Work mix() const
    {
        const double products = entries_ * heads_;
        Work work;
        work.cycles =
            products * array_cycles(rows_, shape_.head, length_, 2) + 2 * machine_.side - 2;
        work.far = true;
        keys_or_values(work);
        read(work, "probabilities",
             products * rows_ * (std::ceil(shape_.head / machine_.side) * 2 * length_ + 4));
        write(work, "mixed", tokens_ * heads_ * shape_.head * 4);
        return work;
    }

    /// Work on FP32 vectors of n elements, read from `in` and written to `out`, with `bytes` per
    /// element.
    [[nodiscard]] Work function(double vectors, double n, double passes, const std::string& in,
                                const std::string& out, double bytes) const
    {
        Work work;
        work.cycles = vectors * passes * std::ceil(n / 32) + 8;
        read(work, in, vectors * n * 4);
        write(work, out, vectors * n * bytes);
        return work;
    }

    [[nodiscard]] Work embed() const
    {
        Work work = function(tokens_, shape_.dim, 1, "", "x", 4);
        work.dram_read = tokens_ * shape_.dim;
        work.far = true;
        return work;
    }
    [[nodiscard]] Work norm(double tokens) const
    {
        Work work = function(tokens, shape_.dim, 3, "x", "normed", 2); // passes for sums, function
                                                                       // and largest value
        work.dram_read += shape_.dim * 4;                              // the norm's gain
        work.far = true;
        return work;
    }
    [[nodiscard]] Work norm() const { return norm(tokens_); }
    /// Converts heads of Q, K or V to INT16. Queries stay on chip; keys and values go to the cache.
    [[nodiscard]] Work heads(const std::string& out) const
    {
        Work work = function(tokens_ * heads_, shape_.head, 2, "raw", out, 2);
        work.far = true;
        return work;
    }
    [[nodiscard]] Work softmax() const
    {
        const double vectors = tokens_ * heads_;
        Work work = function(vectors, length_, 3, "scores", "probabilities", 2);
        work.dram_read += entries_ * heads_ * length_ * 4; // Each value has a scale of 4 bytes.
        work.far = true;
        return work;
    }
    [[nodiscard]] Work quantise() const
    {
        return function(tokens_, shape_.dim, 2, "mixed", "attended", 2);
    }
    [[nodiscard]] Work add() const
    {
        Work work = function(tokens_, shape_.dim, 1, "x", "x", 4);
        read(work, "projected", tokens_ * shape_.dim * 4);
        return work;
    }
    /// A product whose results the array adds to x.
    [[nodiscard]] Work linear_onto_x(double k, const std::string& in) const
    {
        Work work = linear(shape_.dim, k, in, "x");
        read(work, "x", tokens_ * shape_.dim * 4);
        return work;
    }
    [[nodiscard]] bool in_dram(const std::string& value) const
    {
        return place(value) == Place::Dram;
    }
    [[nodiscard]] Work activate() const
    {
        Work work = function(tokens_, shape_.hidden, 2, "expanded", "activated", 2);
        read(work, "expanded", tokens_ * shape_.hidden * 4); // reads results of gate and up
        return work;
    }
    [[nodiscard]] Work pick() const { return function(entries_, shape_.vocab, 1, "logits", "", 0); }

    [[nodiscard]] const Shape& shape() const { return shape_; }
    [[nodiscard]] double entries() const { return entries_; }

private:
    /// k and n are divided into pieces of the array's side. m would be divided into blocks of 512,
    /// but is never larger. A fold takes the longer of its load and m rows; ragged folds load less.
    [[nodiscard]] double array_cycles(double m, double n, double k, double bytes) const
    {
        const double side = machine_.side;
        const auto fold = [&](double rows, double columns) {
            if (rows == 0 || columns == 0)
                return 0.0;
            return std::max(std::ceil(rows * columns * bytes / machine_.load), m);
        };
        const double whole_k = std::floor(k / side), rest_k = k - whole_k * side;
        const double whole_n = std::floor(n / side), rest_n = n - whole_n * side;
        return whole_k * whole_n * fold(side, side) + whole_k * fold(side, rest_n) +
               whole_n * fold(rest_k, side) + fold(rest_k, rest_n);
    }

    /// Adds INT16 keys or values of the heads, read from DRAM through their ring.
    void keys_or_values(Work& work) const
    {
        const double bytes = entries_ * heads_ * length_ * shape_.head * 2;
        work.dram_read += bytes;
        (machine_.kelle ? work.kv : work.sram) += 2 * bytes;
    }

    [[nodiscard]] Place place(const std::string& value) const
    {
        if (machine_.activations.contains(value))
            return Place::Activations;
        return machine_.sram.contains(value) ? Place::Sram : Place::Dram;
    }
    void read(Work& work, const std::string& value, double bytes) const
    {
        move(work, value, bytes, work.dram_read);
    }
    void write(Work& work, const std::string& value, double bytes) const
    {
        move(work, value, bytes, work.dram_written);
    }
    void move(Work& work, const std::string& value, double bytes, double& dram) const
    {
        if (value.empty())
            return;
        switch (place(value)) {
        case Place::Activations:
            work.activations += bytes;
            break;
        case Place::Sram:
            work.sram += bytes;
            break;
        default:
            dram += bytes;
            work.far = true;
        }
    }

    Shape shape_;
    Machine machine_;
    double entries_, rows_, tokens_, length_, heads_;
};

} // namespace levee::test

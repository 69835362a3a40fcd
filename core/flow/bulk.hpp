// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"
#include "core/flow/protocol.hpp"

#include <systemc>
#include <tlm>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee {

/// A memory that tracks its accesses. Accesses that move no bytes are reported to it directly,
/// without the bus.
class AccessTracker {
public:
    virtual ~AccessTracker() = default;
    /// Accounts for a Data access without bytes, all in this memory, by the memory's addresses.
    virtual void accessed(Direction direction, const AccessPattern& pattern) = 0;
};

/// Writes that a target has accepted and completes later.
class PostedWrites {
public:
    virtual ~PostedWrites() = default;
    /// Returns when all of them are done; waits in the calling process.
    virtual void await() = 0;
};

/// Makes a generic payload a bulk access: one transaction for a whole access pattern.
///
/// Open: nothing moves and no time passes; each hop checks the pattern and adds the resources that
/// the stream will use (`uses`) and its unloaded latency. Data: moves the packed bytes at the
/// payload's data pointer in zero time; the initiator decides when. Discard: the bytes will not be
/// read before they are written again; their value until then is undefined. A Data access with
/// TLM_IGNORE_COMMAND carries the pattern without data (timing-only runs): the memory records the
/// access and moves nothing. Interconnects translate `pattern.address`, like the payload's address.
class BulkExtension : public tlm::tlm_extension<BulkExtension> {
public:
    enum class Phase { Open, Data, Discard };

    Phase phase = Phase::Data;
    Direction direction = Direction::Read;
    AccessPattern pattern;
    std::uint64_t bytes = 0; ///< Open: total of the stream
    /// Open only: the addresses at which equal parts of the pattern start, if the pattern only
    /// approximates them. Empty: the pattern is exact.
    std::span<const std::uint64_t> parts{};
    std::vector<FlowUse>* uses = nullptr;
    std::size_t first_use = 0; ///< Open: index in `uses` of this access's first
    Picoseconds latency = 0;

    /// Open without `uses`: region of the memory that contains the pattern, in the initiator's
    /// addresses.
    struct Region {
        std::uint64_t first = 0;
        std::uint64_t last = UINT64_MAX;
        bool tracked = false; ///< the memory tracks each Data and Discard access
        /// Host address of the byte at `first`; null: bytes move by accesses only.
        std::uint8_t* data = nullptr;
        bool read_only = false;           ///< `data` may be read; writes are accesses
        bool ignores_reads = false;       ///< reads of a tracked memory are ignored
        AccessTracker* tracker = nullptr; ///< null: only accesses inform it
        std::uint64_t tracked_first = 0;  ///< `first`, as the tracker addresses it
    };
    Region region;
    /// Data: target that has accepted these writes and still executes them; null: they are done.
    PostedWrites* posted = nullptr;

    [[nodiscard]] tlm::tlm_extension_base* clone() const override
    {
        return new BulkExtension(*this);
    }
    void copy_from(const tlm::tlm_extension_base& other) override
    {
        *this = static_cast<const BulkExtension&>(other);
    }

    /// Adds a hop's resource to an Open access. Hops are in series: of those with one account, the
    /// first counts the bytes.
    void pass_through(FlowResource& resource, Picoseconds hop_latency)
    {
        if (uses != nullptr)
            uses->push_back(
                FlowUse{&resource, direction, pattern, bytes, !is_accounted(resource.account())});
        latency += hop_latency;
    }
    /// Adds one of several resources among which a hop divides its bytes.
    void pass_in_part(FlowResource& resource, std::uint64_t part_bytes)
    {
        if (uses != nullptr)
            uses->push_back(FlowUse{&resource, direction, pattern, part_bytes});
    }

private:
    [[nodiscard]] bool is_accounted(const FlowAccount& account) const
    {
        return std::any_of(uses->begin() + static_cast<std::ptrdiff_t>(first_use), uses->end(),
                           [&](const FlowUse& use) { return use.resource->account() == account; });
    }
};

/// Initiator side of bulk accesses.
class BulkPort {
public:
    explicit BulkPort(InitiatorPort& socket) : socket_(socket) {}
    BulkPort(const BulkPort&) = delete;
    BulkPort& operator=(const BulkPort&) = delete;

    /// Adds the stream's uses and raises `latency` to its unloaded latency if that is longer.
    /// `bytes` is the total transferred (at least the pattern's own if data are read again);
    /// `parts` as in BulkExtension. False if the pattern does not lie in one memory.
    [[nodiscard]] bool open(Direction direction, const AccessPattern& pattern, std::uint64_t bytes,
                            std::vector<FlowUse>& uses, Picoseconds& latency,
                            std::span<const std::uint64_t> parts = {});

    /// True if the pattern lies in one memory that permits the access. Nothing is counted.
    [[nodiscard]] bool allows(Direction direction, const AccessPattern& pattern);

    /// Region of the memory at `address`; a region of only that byte if there is none.
    [[nodiscard]] BulkExtension::Region region(std::uint64_t address);

    /// Moves the bytes now. `packed` has pattern.bytes(); null: the memory records the access and
    /// nothing moves. False as for open.
    [[nodiscard]] bool read(const AccessPattern& pattern, std::uint8_t* packed);
    [[nodiscard]] bool write(const AccessPattern& pattern, const std::uint8_t* packed);

    /// Notifies the memory that the bytes will not be read before they are written again. False as
    /// for open.
    [[nodiscard]] bool discard(const AccessPattern& pattern);

    /// Waits until targets have executed all writes.
    void await_writes();
    [[nodiscard]] bool awaits_writes() const { return !posted_.empty(); }

private:
    bool transport(BulkExtension& access, std::uint8_t* packed);

    InitiatorPort& socket_;
    tlm::tlm_generic_payload payload_; // a member, since constructing one allocates
    std::vector<PostedWrites*> posted_;
};

} // namespace levee

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
    /// Accounts for a Data access that moves no bytes. The whole pattern is in this memory, and its
    /// addresses are the memory's own.
    virtual void accessed(Direction direction, const AccessPattern& pattern) = 0;
};

/// Writes that a target has accepted but completes later.
class PostedWrites {
public:
    virtual ~PostedWrites() = default;
    /// Waits, in the calling process, until all of them are complete.
    virtual void await() = 0;
};

/// Makes a generic payload a bulk access: one transaction for a whole access pattern.
///
/// - Open: moves nothing and takes no time. Each hop checks the pattern, and adds the resources
///   that the stream will use (`uses`) and its unloaded latency.
/// - Data: moves the packed bytes at the payload's data pointer in zero time; the initiator decides
///   when. With TLM_IGNORE_COMMAND it has the pattern without data (timing-only runs): the memory
///   records the access and moves nothing.
/// - Discard: the bytes will not be read until they are written again. Their value until then is
///   undefined.
///
/// Interconnects translate `pattern.address`, like the payload's address.
class BulkExtension : public tlm::tlm_extension<BulkExtension> {
public:
    enum class Phase { Open, Data, Discard };

    Phase phase = Phase::Data;
    Direction direction = Direction::Read;
    AccessPattern pattern;
    std::uint64_t bytes = 0; ///< Open: total bytes of the stream.
    /// Open only: start addresses of the stream's equal parts, if `pattern` only approximates where
    /// the parts are. Empty: the pattern is exact.
    std::span<const std::uint64_t> parts{};
    std::vector<FlowUse>* uses = nullptr;
    std::size_t first_use = 0; ///< Open: index in `uses` of the first element for this access.
    Picoseconds latency = 0;

    /// Open without `uses`: region of the memory that contains the pattern, in the initiator's
    /// addresses.
    struct Region {
        std::uint64_t first = 0;
        std::uint64_t last = UINT64_MAX;
        bool tracked = false; ///< The memory tracks each Data and Discard access.
        /// Host address of the byte at `first`; null: bytes can only be moved by accesses.
        std::uint8_t* data = nullptr;
        bool read_only = false;           ///< `data` may be read, but writes must be accesses.
        bool ignores_reads = false;       ///< A tracking memory ignores reads.
        AccessTracker* tracker = nullptr; ///< Null: a tracking memory must see each access.
        std::uint64_t tracked_first = 0;  ///< Address of `first` in the tracking memory.
    };
    Region region;
    /// Data: target that has accepted these writes but not completed them; null: they are complete.
    PostedWrites* posted = nullptr;

    [[nodiscard]] tlm::tlm_extension_base* clone() const override
    {
        return new BulkExtension(*this);
    }
    void copy_from(const tlm::tlm_extension_base& other) override
    {
        *this = static_cast<const BulkExtension&>(other);
    }

    /// Adds a hop's resource to an Open access. Hops are in series; if several have the same
    /// account, the first one counts the bytes.
    void pass_through(FlowResource& resource, Picoseconds hop_latency)
    {
        if (uses != nullptr)
            uses->push_back(
                FlowUse{&resource, direction, pattern, bytes, !is_accounted(resource.account())});
        latency += hop_latency;
    }
    /// Adds one of several resources over which a hop distributes its bytes.
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

class BulkPort {
public:
    explicit BulkPort(InitiatorPort& socket) : socket_(socket) {}
    BulkPort(const BulkPort&) = delete;
    BulkPort& operator=(const BulkPort&) = delete;

    /// Adds the stream's uses, and raises `latency` to the stream's unloaded latency if that is
    /// longer. `bytes` is the total transferred; it exceeds the pattern's bytes if data are read
    /// again. `parts` is as in BulkExtension. Returns false if the pattern is not in one memory.
    [[nodiscard]] bool open(Direction direction, const AccessPattern& pattern, std::uint64_t bytes,
                            std::vector<FlowUse>& uses, Picoseconds& latency,
                            std::span<const std::uint64_t> parts = {});

    /// Whether the pattern is in one memory that permits the access. The query is not counted as an
    /// access.
    [[nodiscard]] bool allows(Direction direction, const AccessPattern& pattern);

    /// Region of the memory at `address`. Without a memory there, a region of only that byte.
    [[nodiscard]] BulkExtension::Region region(std::uint64_t address);

    /// Moves the bytes now. `packed` has pattern.bytes(). If `packed` is null, the memory records
    /// the access and moves nothing. Returns false as open() does.
    [[nodiscard]] bool read(const AccessPattern& pattern, std::uint8_t* packed);
    [[nodiscard]] bool write(const AccessPattern& pattern, const std::uint8_t* packed);

    /// Tells the memory that the bytes will not be read until they are written again. Returns false
    /// as open() does.
    [[nodiscard]] bool discard(const AccessPattern& pattern);

    /// Waits until targets have completed all writes.
    void await_writes();
    [[nodiscard]] bool awaits_writes() const { return !posted_.empty(); }

private:
    bool transport(BulkExtension& access, std::uint8_t* packed);

    InitiatorPort& socket_;
    tlm::tlm_generic_payload payload_; // A member, because constructing one allocates memory.
    std::vector<PostedWrites*> posted_;
};

} // namespace levee

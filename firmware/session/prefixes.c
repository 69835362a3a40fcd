// SPDX-License-Identifier: Apache-2.0
#include "firmware/session/prefixes.h"

#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"

void prefixes_open(struct prefixes* prefixes, struct session* session, uint32_t block)
{
    prefixes->session = session;
    prefixes->block = block;
    if (block == 0)
        return;
    if (session->policy.retrieval.bits != 0)
        fatal(EXIT_REFUSED, "workload.requests.prefix_block: retrieval keeps proxies of keys, "
                            "which are not shared; expected kv_cache.policy full");
    prefixes->residents =
        heap_take(session->count * sizeof *prefixes->residents, "prompts in the cache");
    copies_open(&prefixes->copies, &session->placement.cache, &session->units,
                "workload.requests.prefix_block");
}

/* Returns how many tokens in the entry's cache were made by a prefill. */
static uint32_t filled(const struct prefixes* prefixes, uint32_t index)
{
    const struct entry* entry = &prefixes->session->entries[index];
    const uint32_t prompt = entry->sequence.token_count;
    if (!prefixes->residents[index].taken)
        return prefixes->residents[index].count;
    return entry->position < prompt ? entry->position : prompt;
}

/* Returns how many tokens two texts have in common at their beginning; at most `most`. */
static uint32_t common_tokens(uint64_t a, uint64_t b, uint32_t most)
{
    const uintptr_t at_a = core_window(a, 4ull * most), at_b = core_window(b, 4ull * most);
    uint32_t count = 0;
    while (count < most && mmio_read32(at_a + 4u * count) == mmio_read32(at_b + 4u * count))
        ++count;
    return count;
}

/* Returns how many of the prompt's tokens are already in the entry's cache, rounded down to whole
 * blocks. */
static uint32_t shared_tokens(const struct prefixes* prefixes, uint32_t index,
                              const struct levee_sequence* sequence)
{
    const uint32_t last = sequence->token_count - 1, rows = filled(prefixes, index);
    const uint32_t most = rows < last ? rows : last;
    const uint32_t common = common_tokens(prefixes->residents[index].token_address,
                                          sequence->token_address, most - most % prefixes->block);
    return common - common % prefixes->block;
}

uint32_t prefixes_choose(const struct prefixes* prefixes, uint32_t number)
{
    const struct resident* residents = prefixes->residents;
    struct levee_sequence sequence;
    copy_in(&sequence,
            prefixes->session->workload->sequence_address + (uint64_t)number * sizeof sequence,
            sizeof sequence, "a sequence");
    uint32_t best = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < prefixes->session->count; ++i) {
        if (residents[i].taken)
            continue;
        const uint32_t shared = shared_tokens(prefixes, i, &sequence);
        if (best == UINT32_MAX || shared > most ||
            (shared == most && residents[i].left < residents[best].left)) {
            best = i;
            most = shared;
        }
    }
    return best;
}

static void go_on_at(struct session* session, uint32_t index, uint32_t position)
{
    session->entries[index].position = position;
    session_set_aside(session, index);
}

void prefixes_take(struct prefixes* prefixes, uint32_t index, uint32_t number, uint32_t new_tokens)
{
    struct session* session = prefixes->session;
    struct resident* resident = &prefixes->residents[index];
    session_take(session, index, number, new_tokens);
    const struct levee_sequence* sequence = &session->entries[index].sequence;
    const uint32_t shared = shared_tokens(prefixes, index, sequence);
    resident->token_address = sequence->token_address;
    resident->taken = true;
    go_on_at(session, index, shared);
}

/* Finds the other entry whose cache has the longest part of this entry's prompt. Sets `shared` to
 * the number of tokens in this part. */
static uint32_t find_source(const struct prefixes* prefixes, uint32_t index, uint32_t* shared)
{
    const struct levee_sequence* sequence = &prefixes->session->entries[index].sequence;
    uint32_t best = index;
    for (uint32_t i = 0; i < prefixes->session->count; ++i) {
        const uint32_t found = i == index ? 0 : shared_tokens(prefixes, i, sequence);
        if (found > *shared) {
            best = i;
            *shared = found;
        }
    }
    return best;
}

void prefixes_share(struct prefixes* prefixes, uint32_t index)
{
    struct session* session = prefixes->session;
    const uint32_t own = session->entries[index].position;
    uint32_t shared = own;
    const uint32_t source =
        copies_can(&prefixes->copies) ? find_source(prefixes, index, &shared) : index;
    if (source != index) {
        const struct pass of = session_pass(session, source, 1, 1);
        const struct pass to = session_pass(session, index, 1, 1);
        hostlink_request(LEVEE_REQUEST_COPY, shared - own);
        copies_run(&prefixes->copies, &of, &to, own, shared);
        go_on_at(session, index, shared);
    }
    hostlink_request(LEVEE_REQUEST_SHARED, shared);
}

/* Keeps the prompt of an ended entry in its cache. Later steps store their unused results after the
 * kept tokens. If there is no space after them, steps overwrite the last kept token. */
void prefixes_keep(struct prefixes* prefixes, uint32_t index)
{
    struct session* session = prefixes->session;
    struct resident* resident = &prefixes->residents[index];
    const uint32_t last = session->placement.context - 1;
    const uint32_t rows = filled(prefixes, index);
    resident->count = rows < last ? rows : last;
    resident->left = ++prefixes->left;
    resident->taken = false;
    go_on_at(session, index, resident->count);
}

// SPDX-License-Identifier: Apache-2.0
// plain_model DIM HIDDEN LAYERS HEADS KV_HEADS VOCABULARY TOKENS [GROUP]
// Prints tokens per second of CPU time of a Llama model in plain C. It computes like llama2.c's
// INT8 program, one token at a time: weights and activations have 8 bits in groups of GROUP (64),
// keys and values are FP32. Weights are random. This is the baseline of functional runs.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    int8_t* codes;
    float* scales;
} codes;

typedef struct {
    codes q, k, v, o, gate, up, down;
    float *k_cache, *v_cache;
} layer;

static int dim, hidden, layers, heads, kv_heads, vocabulary, tokens, group = 64;

static float random_unit(void)
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / (float)(1 << 24) - 0.5f;
}

static void* need(size_t count, size_t bytes)
{
    void* const place = calloc(count, bytes);
    if (place == NULL) {
        fprintf(stderr, "plain_model: no memory for %zu elements\n", count);
        exit(1);
    }
    return place;
}

static codes room_for(size_t elements)
{
    const codes made = {need(elements, 1), need(elements / (size_t)group, sizeof(float))};
    return made;
}

static codes random_matrix(int rows, int columns)
{
    const size_t elements = (size_t)rows * (size_t)columns;
    const codes made = room_for(elements);
    for (size_t i = 0; i < elements; ++i)
        made.codes[i] = (int8_t)(254.0f * random_unit());
    for (size_t i = 0; i < elements / (size_t)group; ++i)
        made.scales[i] = 1.0f / 127.0f / sqrtf((float)columns);
    return made;
}

static void quantise(codes to, const float* x, int n)
{
    for (int first = 0; first < n; first += group) {
        float largest = 0.0f;
        for (int i = first; i < first + group; ++i)
            largest = fmaxf(largest, fabsf(x[i]));
        const float scale = largest / 127.0f, inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
        to.scales[first / group] = scale;
        for (int i = first; i < first + group; ++i)
            to.codes[i] = (int8_t)lrintf(x[i] * inverse);
    }
}

static void multiply(float* out, codes x, codes w, int n, int rows)
{
    for (int row = 0; row < rows; ++row) {
        const int8_t* const codes_of_row = w.codes + (size_t)row * (size_t)n;
        const float* const scales = w.scales + (size_t)row * (size_t)n / (size_t)group;
        float value = 0.0f;
        for (int first = 0; first < n; first += group) {
            int32_t sum = 0;
            for (int i = first; i < first + group; ++i)
                sum += (int32_t)x.codes[i] * (int32_t)codes_of_row[i];
            value += (float)sum * scales[first / group] * x.scales[first / group];
        }
        out[row] = value;
    }
}

static void normalise(float* out, const float* x)
{
    float sum = 0.0f;
    for (int i = 0; i < dim; ++i)
        sum += x[i] * x[i];
    const float factor = 1.0f / sqrtf(sum / (float)dim + 1e-5f);
    for (int i = 0; i < dim; ++i)
        out[i] = x[i] * factor;
}

static void rotate(float* x, int count, int width, int position)
{
    for (int i = 0; i < count * width; i += 2) {
        const float angle = (float)position * powf(10000.0f, -(float)(i % width) / (float)width);
        const float c = cosf(angle), s = sinf(angle), a = x[i], b = x[i + 1];
        x[i] = a * c - b * s;
        x[i + 1] = a * s + b * c;
    }
}

static void softmax(float* x, int n)
{
    float largest = x[0], sum = 0.0f;
    for (int i = 1; i < n; ++i)
        largest = fmaxf(largest, x[i]);
    for (int i = 0; i < n; ++i)
        sum += x[i] = expf(x[i] - largest);
    for (int i = 0; i < n; ++i)
        x[i] /= sum;
}

static void attend(float* out, const float* q, const layer* own, float* scores, int position)
{
    const int width = dim / heads, kv_dim = width * kv_heads;
    for (int head = 0; head < heads; ++head) {
        const size_t at = (size_t)(head / (heads / kv_heads) * width);
        for (int t = 0; t <= position; ++t) {
            const float* const key = own->k_cache + (size_t)t * (size_t)kv_dim + at;
            float sum = 0.0f;
            for (int i = 0; i < width; ++i)
                sum += q[head * width + i] * key[i];
            scores[t] = sum / sqrtf((float)width);
        }
        softmax(scores, position + 1);
        memset(out + head * width, 0, (size_t)width * sizeof(float));
        for (int t = 0; t <= position; ++t) {
            const float* const value = own->v_cache + (size_t)t * (size_t)kv_dim + at;
            for (int i = 0; i < width; ++i)
                out[head * width + i] += scores[t] * value[i];
        }
    }
}

static void add(float* x, const float* y)
{
    for (int i = 0; i < dim; ++i)
        x[i] += y[i];
}

/// Activations of one token.
typedef struct {
    float *x, *y, *q, *gate, *up, *scores, *logits;
    codes of_dim, of_hidden;
} state;

static void run_layer(const layer* own, state* s, int position)
{
    const int kv_dim = dim / heads * kv_heads;
    float* const key = own->k_cache + (size_t)position * (size_t)kv_dim;
    float* const value = own->v_cache + (size_t)position * (size_t)kv_dim;
    normalise(s->y, s->x);
    quantise(s->of_dim, s->y, dim);
    multiply(s->q, s->of_dim, own->q, dim, dim);
    multiply(key, s->of_dim, own->k, dim, kv_dim);
    multiply(value, s->of_dim, own->v, dim, kv_dim);
    rotate(s->q, heads, dim / heads, position);
    rotate(key, kv_heads, dim / heads, position);
    attend(s->y, s->q, own, s->scores, position);
    quantise(s->of_dim, s->y, dim);
    multiply(s->y, s->of_dim, own->o, dim, dim);
    add(s->x, s->y);
    normalise(s->y, s->x);
    quantise(s->of_dim, s->y, dim);
    multiply(s->gate, s->of_dim, own->gate, dim, hidden);
    multiply(s->up, s->of_dim, own->up, dim, hidden);
    for (int i = 0; i < hidden; ++i)
        s->gate[i] = s->gate[i] / (1.0f + expf(-s->gate[i])) * s->up[i];
    quantise(s->of_hidden, s->gate, hidden);
    multiply(s->y, s->of_hidden, own->down, hidden, dim);
    add(s->x, s->y);
}

static int run_token(const layer* all, codes classifier, codes embedding, state* s, int token,
                     int position)
{
    for (int i = 0; i < dim; ++i) {
        const size_t at = (size_t)token * (size_t)dim + (size_t)i;
        s->x[i] = (float)embedding.codes[at] * embedding.scales[at / (size_t)group];
    }
    for (int l = 0; l < layers; ++l)
        run_layer(&all[l], s, position);
    normalise(s->y, s->x);
    quantise(s->of_dim, s->y, dim);
    multiply(s->logits, s->of_dim, classifier, dim, vocabulary);
    int best = 0;
    for (int i = 1; i < vocabulary; ++i)
        best = s->logits[i] > s->logits[best] ? i : best;
    return best;
}

static layer random_layer(void)
{
    const int kv_dim = dim / heads * kv_heads;
    const size_t cached = (size_t)tokens * (size_t)kv_dim;
    const layer made = {
        random_matrix(dim, dim),    random_matrix(kv_dim, dim),  random_matrix(kv_dim, dim),
        random_matrix(dim, dim),    random_matrix(hidden, dim),  random_matrix(hidden, dim),
        random_matrix(dim, hidden), need(cached, sizeof(float)), need(cached, sizeof(float))};
    return made;
}

static state room_for_state(void)
{
    const size_t number = sizeof(float);
    const state made = {need((size_t)dim, number),        need((size_t)dim, number),
                        need((size_t)dim, number),        need((size_t)hidden, number),
                        need((size_t)hidden, number),     need((size_t)tokens, number),
                        need((size_t)vocabulary, number), room_for((size_t)dim),
                        room_for((size_t)hidden)};
    return made;
}

static int is_shape(void)
{
    return dim > 0 && hidden > 0 && layers > 0 && heads > 0 && kv_heads > 0 && vocabulary > 0 &&
           tokens > 0 && group > 0 && dim % group == 0 && hidden % group == 0 && dim % heads == 0 &&
           dim / heads % 2 == 0 && heads % kv_heads == 0;
}

int main(int argc, char** argv)
{
    int* const shape[] = {&dim, &hidden, &layers, &heads, &kv_heads, &vocabulary, &tokens, &group};
    for (int i = 1; i < argc && i <= 8; ++i)
        *shape[i - 1] = atoi(argv[i]);
    if (argc < 8 || !is_shape()) {
        fprintf(stderr, "usage: plain_model DIM HIDDEN LAYERS HEADS KV_HEADS VOCABULARY TOKENS "
                        "[GROUP]; DIM and "
                        "HIDDEN are multiples of GROUP (64), heads even parts of DIM\n");
        return 2;
    }
    layer* const all = need((size_t)layers, sizeof(layer));
    for (int l = 0; l < layers; ++l)
        all[l] = random_layer();
    const codes embedding = random_matrix(vocabulary, dim),
                classifier = random_matrix(vocabulary, dim);
    state s = room_for_state();
    const clock_t begin = clock();
    int token = 1;
    for (int position = 0; position < tokens; ++position)
        token = run_token(all, classifier, embedding, &s, token, position);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("plain model: %.1f tokens/s (last token %d)\n", tokens / seconds, token);
    return 0;
}

/* The fused scan of sim/attack/fused.py in plain C, posting for posting and sum for sum.
 *
 * Scores start at -0.0, the mark of records that share nothing with the aux. Compiled with
 * -ffp-contract=off, it makes the same bits. A fact's days must count alike at every level. */

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    int64_t touched, best_record, ties, at_least, above;
    double sum, sum_squares, best, second;
} partial;

typedef struct {
    double best, second;
    uint64_t row;
    int64_t ties;
} top;

static inline void rise(top *t, double before, double now, uint64_t row)
{
    if (now > t->best) {
        if (before != t->best || t->ties > 1)
            t->second = t->best;
        t->best = now;
        t->row = row;
        t->ties = 1;
    } else if (now == t->best) {
        if (before != t->best) {
            t->ties++;
            t->second = t->best;
            if (row < t->row)
                t->row = row;
        }
    } else if (now >= t->second) {
        t->second = now;
    }
}

#define GAIN(k) (add[level[k]] + times * days[day[k]])

#define AHEAD 512

static inline void fetch(const uint16_t *row, const uint8_t *level, const uint16_t *day, int64_t k)
{
    __builtin_prefetch(level + k);
    __builtin_prefetch(row + k);
    __builtin_prefetch(row + k + 32);
    __builtin_prefetch(day + k);
    __builtin_prefetch(day + k + 32);
}

#define ONE(k, c)                                     \
    {                                                 \
        double gain = GAIN(k), old = score[row[k]];   \
        double new = old + gain;                      \
        score[row[k]] = new;                          \
        sum[c] += gain;                               \
        squares[c] += gain * (old + new);             \
        if (new >= t.second)                          \
            rise(&t, old, new, row[k]);               \
    }

void scan(int64_t first, int64_t n, const int64_t *item_start, const uint16_t *restrict row,
          const uint8_t *restrict level, const uint16_t *restrict day, int64_t units,
          const int64_t *start, const int32_t *item, int64_t levels, const double *restrict adds,
          const double *restrict muls, const double *restrict day_table,
          const int64_t *day_offset, const double *own, double *restrict score,
          partial *restrict out)
{
    for (int64_t u = 0; u < units; u++) {
        top t = {0.0, n > 1 ? 0.0 : -INFINITY, 0, n};
        double sum[2] = {0.0, 0.0}, squares[2] = {0.0, 0.0};
        for (int64_t r = 0; r < n; r++)
            score[r] = -0.0;
        for (int64_t a = start[u]; a < start[u + 1]; a++) {
            if (item[a] < 0)
                continue;
            const double *add = adds + a * levels, times = muls[a * levels];
            const double *days = day_table + day_offset[a];
            int64_t k = item_start[item[a]], end = item_start[item[a] + 1];
            if (k < end && (k & 1)) {
                ONE(k, 1)
                k++;
            }
            if (a + 1 < start[u + 1] && item[a + 1] >= 0) {
                int64_t next = item_start[item[a + 1]], last = item_start[item[a + 1] + 1];
                for (int64_t j = next; j < last && j < next + AHEAD; j += 64)
                    fetch(row, level, day, j);
            }
            for (int64_t step = k; step + 1 < end; step += 64) {
                fetch(row, level, day, step + AHEAD);
                for (; k + 1 < end && k < step + 64; k += 2) {
                    uint64_t row0 = row[k], row1 = row[k + 1];
                    double gain0 = GAIN(k), gain1 = GAIN(k + 1);
                    double old0 = score[row0], old1 = score[row1];
                    double new0 = old0 + gain0, new1 = old1 + gain1;
                    score[row0] = new0;
                    score[row1] = new1;
                    sum[0] += gain0;
                    sum[1] += gain1;
                    squares[0] += gain0 * (old0 + new0);
                    squares[1] += gain1 * (old1 + new1);
                    if (new0 >= t.second || new1 >= t.second) {
                        rise(&t, old0, new0, row0);
                        rise(&t, old1, new1, row1);
                    }
                }
            }
            if (k < end)
                ONE(k, 0)
        }
        int64_t touched = n, at_least = 0, above = 0;
        for (int64_t r = 0; r < n; r++) {
            uint64_t bits;
            memcpy(&bits, &score[r], 8);
            touched -= bits == UINT64_C(0x8000000000000000);
            at_least += score[r] >= own[u];
            above += score[r] > own[u];
        }
        out[u] = (partial){touched, first + (int64_t)t.row, t.ties, at_least, above,
                           sum[0] + sum[1], squares[0] + squares[1], t.best, t.second};
    }
}

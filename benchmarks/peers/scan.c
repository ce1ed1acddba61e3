/* The fused scan of sim/attack/fused.py in plain C, tile by tile and sum for sum.
 *
 * Scores start at -0.0, the mark of records that share nothing with the aux. Compiled with
 * -ffp-contract=off, it makes the same bits. A fact's days must count alike at every level.
 * No record is removed, and there is one cut, at the end. */

#include <math.h>
#include <stdint.h>

#define TILE 3072
#define FIRST 192
#define LANES 8
#define AHEAD 256
#define LEAST 5e-324

typedef struct {
    int64_t overlapping, best_record, ties, at_least, above;
    double sum, sum_squares, best, second;
} partial;

typedef struct {
    int64_t at, end;
    double sum[LANES], squares[LANES];
} cursor;

typedef struct {
    double best, second;
    int64_t row, ties, overlapping, at_least, above;
} top;

static inline void fetch(const uint16_t *row, const uint8_t *level, const uint16_t *day, int64_t k)
{
    __builtin_prefetch(level + k);
    __builtin_prefetch(row + k);
    __builtin_prefetch(row + k + 32);
    __builtin_prefetch(day + k);
    __builtin_prefetch(day + k + 32);
}

static inline double added_up(const double *lane)
{
    double four[4];
    for (int j = 0; j < 4; j++)
        four[j] = lane[j] + lane[j + 4];
    return (four[0] + four[2]) + (four[1] + four[3]);
}

static void update_top2(top *t, const double *score, int64_t first, const uint16_t *survivors, int64_t n_survivors,
                 double own)
{
    for (int64_t j = 0; j < n_survivors; j++) {
        int64_t row = survivors[j];
        double s = score[row - first];
        t->at_least += s >= own;
        t->above += s > own;
        if (s > t->best) {
            t->second = t->best;
            t->best = s;
            t->row = row;
            t->ties = 1;
        } else if (s == t->best) {
            t->second = s;
            t->ties++;
            if (row < t->row)
                t->row = row;
        } else if (s > t->second) {
            t->second = s;
        }
    }
}

void scan(int64_t first, int64_t n, const int64_t *item_start, const uint16_t *restrict row,
          const uint8_t *restrict level, const uint16_t *restrict day, int64_t units,
          const int64_t *start, const int32_t *item, int64_t levels, const double *restrict adds,
          const double *restrict muls, const double *restrict day_table,
          const int64_t *day_offset, const double *own, cursor *restrict cursors,
          double *restrict score, uint16_t *restrict survivors, partial *restrict out)
{
    for (int r = 0; r < TILE; r++)
        score[r] = -0.0;
    for (int64_t u = 0; u < units; u++) {
        top t = {0.0, 0.0, 0, n, 0, 0, 0};
        int64_t facts = start[u + 1] - start[u];
        for (int64_t j = 0; j < facts; j++) {
            int64_t i = item[start[u] + j];
            cursors[j] = (cursor){i < 0 ? 0 : item_start[i], i < 0 ? 0 : item_start[i + 1], {0}, {0}};
            for (int64_t k = cursors[j].at; k < cursors[j].end && k < cursors[j].at + AHEAD; k += 64)
                fetch(row, level, day, k);
        }
        for (int64_t tile = 0, limit; tile < n; tile = limit) {
            int64_t size = 3 * tile > FIRST ? 3 * tile : FIRST, n_survivors = 0;
            limit = tile + (size < TILE ? size : TILE);
            limit = limit < n ? limit : n;
            double fence = own[u] < t.second ? own[u] : t.second;
            fence = fence > LEAST ? fence : LEAST;
            for (int64_t j = 0; j < facts; j++) {
                int64_t a = start[u] + j, k = cursors[j].at, end = cursors[j].end;
                const double *add = adds + a * levels, times = muls[a * levels];
                const double *days = day_table + day_offset[a];
                double sum[LANES], squares[LANES];
                for (int c = 0; c < LANES; c++) {
                    sum[c] = cursors[j].sum[c];
                    squares[c] = cursors[j].squares[c];
                }
                while (k < end && row[k] < limit) {
                    if ((k & 63) == 0)
                        fetch(row, level, day, k + AHEAD);
                    /* Eight postings of as many records: the compiler may take them at a time. */
                    if ((k & 7) == 0 && k + 8 <= end && row[k + 7] < limit) {
                        double gain[LANES], old[LANES], new[LANES];
                        int high = 0;
                        for (int c = 0; c < LANES; c++) {
                            gain[c] = add[level[k + c]] + times * days[day[k + c]];
                            old[c] = score[row[k + c] - tile];
                            new[c] = old[c] + gain[c];
                        }
#pragma GCC ivdep
                        for (int c = 0; c < LANES; c++)
                            score[row[k + c] - tile] = new[c];
                        for (int c = 0; c < LANES; c++) {
                            sum[c] += gain[c];
                            squares[c] += gain[c] * (old[c] + new[c]);
                            t.overlapping += signbit(old[c]) != 0;
                            high |= new[c] >= fence;
                        }
                        if (high)
                            for (int c = 0; c < LANES; c++)
                                if (new[c] >= fence && old[c] < fence)
                                    survivors[n_survivors++] = row[k + c];
                        k += 8;
                    } else {
                        double gain = add[level[k]] + times * days[day[k]];
                        double old = score[row[k] - tile], new = old + gain;
                        score[row[k] - tile] = new;
                        sum[k & 7] += gain;
                        squares[k & 7] += gain * (old + new);
                        t.overlapping += signbit(old) != 0;
                        if (new >= fence && old < fence)
                            survivors[n_survivors++] = row[k];
                        k++;
                    }
                }
                for (int c = 0; c < LANES; c++) {
                    cursors[j].sum[c] = sum[c];
                    cursors[j].squares[c] = squares[c];
                }
                cursors[j].at = k;
            }
            update_top2(&t, score, tile, survivors, n_survivors, own[u]);
            for (int64_t r = 0; r < limit - tile; r++)
                score[r] = -0.0;
        }
        double sum[LANES] = {0}, squares[LANES] = {0};
        for (int64_t j = 0; j < facts; j++)
            for (int c = 0; c < LANES; c++) {
                sum[c] += cursors[j].sum[c];
                squares[c] += cursors[j].squares[c];
            }
        out[u] = (partial){t.overlapping, first + t.row, t.ties, own[u] == 0 ? n : t.at_least, t.above,
                           added_up(sum), added_up(squares), t.best, n > 1 ? t.second : -INFINITY};
    }
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Evens out an exposure series: the photograph, taken darker and darker, is given the contrast that its histogram
 * allows.
 *
 * A frame is cut in bands of rows. Each band is copied in and counted; a task of the host makes a table of new values
 * from the counts of all bands; each band is changed by it and copied out. `depend` alone says so: nothing in between
 * waits, frames overlap, and the host's tasks run beside the regions of other frames.
 */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <numeric>
#include <omp.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

using byte = unsigned char;

#pragma omp begin declare target
constexpr unsigned levels = 256;
#pragma omp end declare target

struct photograph {
    size_t width = 0, height = 0;
    std::vector<byte> pixels; /* red, green, blue, row by row */

    explicit photograph(const std::string &path)
    {
        std::ifstream file(path, std::ios::binary);
        std::string form;
        size_t most = 0;
        if (!(file >> form >> width >> height >> most) || form != "P6" || most != 255 || width == 0 || height == 0)
            throw std::runtime_error(path + ": not a binary PPM with one byte a channel and no comments");
        file.get();
        pixels.resize(width * height * 3);
        if (!file.read(reinterpret_cast<char *>(pixels.data()), std::streamsize(pixels.size())))
            throw std::runtime_error(path + ": cut short");
    }
};

/* The weights of ITU-R BT.601, in thousandths. */
const auto luma = [](const byte *rgb) { return (299u * rgb[0] + 587u * rgb[1] + 114u * rgb[2]) / 1000; };

#pragma omp begin declare target

/* Counts the values of a stretch of pixels; value tells that of one. */
template <class Value> void count(const byte *pixels, size_t size, unsigned *counts, Value value)
{
    for (unsigned level = 0; level < levels; level++)
        counts[level] = 0;
    for (size_t i = 0; i < size; i += 3)
        counts[value(pixels + i)]++;
}

/* Gives a pixel the new value that the table has for its old one, and keeps its hue. */
template <class Value> void adjust(byte *rgb, const byte *table, Value value)
{
    unsigned old = value(rgb), now = table[old];
    for (int channel = 0; channel < 3 && old > 0; channel++) {
        unsigned bright = rgb[channel] * now / old;
        rgb[channel] = byte(bright < levels ? bright : levels - 1);
    }
}

#pragma omp end declare target

/* The table after which every value is about as frequent as every other; counts holds those of several bands. */
std::vector<byte> table_of(const std::vector<unsigned> &counts)
{
    std::vector<unsigned> sums(levels);
    for (size_t i = 0; i < counts.size(); i++)
        sums[i % levels] += counts[i];
    std::partial_sum(sums.begin(), sums.end(), sums.begin());
    std::vector<byte> table;
    for (unsigned sum : sums)
        table.push_back(byte(sum * (levels - 1.0) / sums.back() + 0.5));
    return table;
}

/* A frame on its way through the device. Must stay where it is from start() to the taskwait. */
class frame
{
  public:
    frame(const photograph &original, double gamma, size_t bands)
        : pixels_(original.pixels), counts_(bands * levels), table_(levels), row_(original.width * 3),
          rows_(original.height)
    {
        for (byte &channel : pixels_)
            channel = byte(255 * std::pow(channel / 255.0, gamma) + 0.5);
    }

    template <class Value> void start(Value value)
    {
        size_t bands = counts_.size() / levels;
        unsigned *counts = counts_.data();
        byte *table = table_.data();
        for (size_t b = 0; b < bands; b++) {
            size_t size = size_of(b, bands);
            byte *band = pixels_.data() + first_of(b, bands);
            unsigned *own = counts + b * levels;
#pragma omp target enter data map(to : band [0:size]) depend(out : band[0]) nowait
#pragma omp target map(from : own [0:levels]) firstprivate(value) depend(in : band[0]) depend(out : own[0]) nowait
            count(band, size, own, value);
        }
#pragma omp task depend(iterator(size_t b = 0 : bands), in : counts[b * levels]) depend(out : table[0])
        std::copy_n(table_of(counts_).begin(), levels, table_.begin());
        for (size_t b = 0; b < bands; b++) {
            size_t size = size_of(b, bands);
            byte *band = pixels_.data() + first_of(b, bands);
#pragma omp target teams distribute parallel for map(to                                                                \
                                                     : table [0:levels]) firstprivate(value) depend(in                 \
                                                                                                    : table[0])        \
    depend(inout                                                                                                       \
           : band[0]) nowait
            for (size_t i = 0; i < size; i += 3)
                adjust(band + i, table, value);
#pragma omp target exit data map(from : band [0:size]) depend(inout : band[0]) nowait
        }
    }

    /* The same on the host, at once. */
    template <class Value> void finish_on_host(Value value)
    {
        std::vector<unsigned> counts(levels);
        count(pixels_.data(), pixels_.size(), counts.data(), value);
        std::vector<byte> table = table_of(counts);
        for (size_t i = 0; i < pixels_.size(); i += 3)
            adjust(pixels_.data() + i, table.data(), value);
    }

    const std::vector<byte> &pixels() const
    {
        return pixels_;
    }

  private:
    size_t first_of(size_t band, size_t bands) const
    {
        return band * rows_ / bands * row_;
    }
    size_t size_of(size_t band, size_t bands) const
    {
        return first_of(band + 1, bands) - first_of(band, bands);
    }

    std::vector<byte> pixels_;
    std::vector<unsigned> counts_; /* of each band */
    std::vector<byte> table_;
    size_t row_, rows_;
};

int run(const std::string &path, size_t n_frames, size_t bands)
{
    photograph original(path);
    if (bands < 1 || bands > original.height)
        throw std::runtime_error("as many bands as rows at most, and at least one");
    std::vector<frame> frames, rights;
    for (size_t i = 0; i < n_frames; i++)
        frames.emplace_back(original, 1 + 0.25 * double(i), bands);
    rights = frames;

    double start = omp_get_wtime();
    for (frame &each : frames)
        each.start(luma);
    double launched = omp_get_wtime();
#pragma omp taskwait
    double wall = omp_get_wtime() - start;

    size_t wrong = 0;
    for (size_t i = 0; i < n_frames; i++) {
        rights[i].finish_on_host(luma);
        wrong += frames[i].pixels() != rights[i].pixels();
    }
    std::printf("frames:             %zu of %zu x %zu pixels, %zu bands each\n", n_frames, original.width,
                original.height, bands);
    std::printf("launched:           %zu regions in %.3f ms\n", n_frames * bands * 4, (launched - start) * 1e3);
    std::printf("wall time:          %.4f s\n", wall);
    std::printf("check:              %s, %zu frames differ from the host's\n", wrong == 0 ? "ok" : "WRONG", wrong);
    return wrong == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
try {
    if (argc < 2 || argc > 4) {
        std::fputs("usage: equalise PHOTOGRAPH.ppm [FRAMES [BANDS]]\n", stderr);
        return 2;
    }
    return run(argv[1], argc > 2 ? std::stoul(argv[2]) : 12, argc > 3 ? std::stoul(argv[3]) : 8);
} catch (const std::exception &fault) {
    std::fprintf(stderr, "equalise: %s\n", fault.what());
    return 2;
}

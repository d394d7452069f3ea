/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How widely do earthquakes scatter? The epicentres of a catalogue are taken for draws from a density on the globe that
 * is a sum of bumps, one around each event, and a little that is the same everywhere. The data say how wide the bumps
 * should be: of each width, the density at every event is estimated from all the others, and the width with the largest
 * sum of logarithms is the best (leave-one-out likelihood).
 *
 * A width is a graph of its own: regions for blocks of events, which need nothing but the catalogue, and a task of the
 * host that adds up what they have found. All graphs are there before the first region is over.
 */
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

constexpr double earth_radius = 6371.0088; /* km */
constexpr double tolerance = 1e-10;        /* sums of some thousand logarithms in two orders */

#pragma omp begin declare target
constexpr double pi = 3.14159265358979323846;
constexpr double everywhere = 0.01; /* share of the density that is the same everywhere */
#pragma omp end declare target

struct point { /* on the unit sphere */
    double x, y, z;
};

std::vector<point> read_catalogue(const std::string &path, size_t most)
{
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line)) /* the names of the columns */
        throw std::runtime_error(path + " cannot be read");
    std::vector<point> points;
    double longitude, latitude;
    while (points.size() < most && std::getline(file, line)) {
        if (std::sscanf(line.c_str(), "%lf,%lf", &longitude, &latitude) != 2)
            throw std::runtime_error(path + ": not 'longitude,latitude,...': " + line);
        longitude *= pi / 180;
        latitude *= pi / 180;
        points.push_back(
            {std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude), std::sin(latitude)});
    }
    if (points.size() < 2)
        throw std::runtime_error(path + ": fewer than two events");
    return points;
}

/* A vector whose elements are on the device for as long as this object lives. Its address stands for it in depend. */
template <class T> class resident
{
  public:
    explicit resident(const std::vector<T> &values) : data_(values.data()), size_(values.size())
    {
        const T *data = data_;
#pragma omp target enter data map(to : data [0:size_]) depend(out : data[0]) nowait
    }
    resident(const resident &) = delete;
    resident &operator=(const resident &) = delete;
    ~resident()
    {
        const T *data = data_;
#pragma omp target exit data map(delete : data [0:size_]) depend(inout : data[0])
    }
    const T *data() const
    {
        return data_;
    }
    size_t size() const
    {
        return size_;
    }

  private:
    const T *data_;
    size_t size_;
};

#pragma omp begin declare target

/* Sum of the logarithms of the density at the events first to last; bump gives that of one event, by the cosine of the
 * angle between it and the place. */
template <class Bump> double log_likelihood(const point *points, size_t count, size_t first, size_t last, Bump bump)
{
    double sum = 0;
    for (size_t i = first; i < last; i++) {
        double density = 0;
        for (size_t j = 0; j < count; j++)
            if (j != i)
                density += bump(points[i].x * points[j].x + points[i].y * points[j].y + points[i].z * points[j].z);
        sum += std::log(everywhere / (4 * pi) + (1 - everywhere) * density / double(count - 1));
    }
    return sum;
}

#pragma omp end declare target

/* The bump of a width in km: the density of von Mises and Fisher, the sphere's counterpart of the normal distribution.
 */
auto bump_of(double width)
{
    double kappa = std::pow(earth_radius / width, 2);
    double scale = kappa / (2 * pi * -std::expm1(-2 * kappa));
    return [=](double cosine) { return scale * std::exp(kappa * (cosine - 1)); };
}

/* A width and the graph that finds its likelihood. */
class candidate
{
  public:
    candidate(double width, size_t blocks) : width_(width), partial_(blocks)
    {
    }

    void start(const resident<point> &catalogue)
    {
        const point *points = catalogue.data();
        size_t count = catalogue.size(), blocks = partial_.size();
        double *partial = partial_.data();
        auto bump = bump_of(width_);
        for (size_t b = 0; b < blocks; b++) {
            size_t first = b * count / blocks, last = (b + 1) * count / blocks;
#pragma omp target map(from : partial [b:1]) firstprivate(bump) depend(in : points[0]) depend(out : partial[b]) nowait
            partial[b] = log_likelihood(points, count, first, last, bump);
        }
#pragma omp task depend(iterator(size_t b = 0 : blocks), in : partial[b]) shared(catalogue)
        likelihood_ = std::accumulate(partial_.begin(), partial_.end(), 0.0);
    }

    double width() const
    {
        return width_;
    }
    double likelihood() const
    {
        return likelihood_;
    } /* after a taskwait */

  private:
    double width_, likelihood_ = 0;
    std::vector<double> partial_;
};

int run(const std::string &path, size_t most, size_t blocks)
{
    std::vector<point> points = read_catalogue(path, most);
    std::vector<candidate> candidates;
    for (double width = 10; width < 2000; width *= 1.5)
        candidates.emplace_back(width, blocks);

    double start = omp_get_wtime(), launched;
    {
        resident<point> catalogue(points);
        for (candidate &each : candidates)
            each.start(catalogue);
        launched = omp_get_wtime();
#pragma omp taskwait
    }
    double wall = omp_get_wtime() - start, worst = 0;

    const candidate *best = &candidates.front();
    for (const candidate &each : candidates) {
        double right = log_likelihood(points.data(), points.size(), 0, points.size(), bump_of(each.width()));
        worst = std::fmax(worst, std::fabs(each.likelihood() / right - 1));
        if (each.likelihood() > best->likelihood())
            best = &each;
    }
    bool ok = worst <= tolerance;
    std::printf("best width:         %.0f km of %zu widths, log-likelihood %.2f for %zu events\n", best->width(),
                candidates.size(), best->likelihood(), points.size());
    std::printf("launched:           %zu regions in %.3f ms\n", candidates.size() * blocks, (launched - start) * 1e3);
    std::printf("wall time:          %.4f s\n", wall);
    std::printf("check:              %s, differs from the host's by at most %.1e\n", ok ? "ok" : "WRONG", worst);
    return ok ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
try {
    if (argc < 2 || argc > 4) {
        std::fputs("usage: density CATALOGUE.csv [EVENTS [BLOCKS]]\n", stderr);
        return 2;
    }
    return run(argv[1], argc > 2 ? std::stoul(argv[2]) : size_t(-1), argc > 3 ? std::stoul(argv[3]) : 16);
} catch (const std::exception &fault) {
    std::fprintf(stderr, "density: %s\n", fault.what());
    return 2;
}

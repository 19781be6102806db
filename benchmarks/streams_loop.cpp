// On each byte of stdin: draw COUNT floats with minstd_rand0 and print the seconds, on the
// wall and of the processor. Arguments: COUNT, and "abacus" for the loop that abacus runs
// (a thread's engine behind a function, push_back, times a double) or "bare" for no more
// than the draws.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <vector>

std::default_random_engine& local_random_engine() {
  struct Seeded {
    std::default_random_engine engine;
    Seeded() {
      std::seed_seq sequence{0, 1, 2, 3};
      engine.seed(sequence);
    }
  };
  thread_local Seeded seeded;
  return seeded.engine;
}

float abacus(long count, double scale) {
  std::vector<float> w;
  std::normal_distribution<float> distribution(0.0, 1.0);
  for (long i = 0; i < count; ++i) w.push_back(distribution(local_random_engine()) * scale);
  return w.back();
}

float bare(std::minstd_rand0& engine, std::vector<float>& values) {
  std::normal_distribution<float> distribution(0.0, 1.0);
  for (float& value : values) value = distribution(engine);
  return values.back();
}

int main(int, char** argv) {
  const long count = std::atol(argv[1]);
  const bool as_abacus = !std::strcmp(argv[2], "abacus");
  const double scale = 0.2 / std::sqrt(double(count % 1000 + 1));
  std::vector<float> values(as_abacus ? 0 : count);
  std::minstd_rand0 engine(42);
  volatile float last;
  while (std::getchar() != EOF) {
    const std::clock_t ticks = std::clock();
    const auto start = std::chrono::steady_clock::now();
    last = as_abacus ? abacus(count, scale) : bare(engine, values);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    std::printf("%.9f %.9f\n", spent.count(), double(std::clock() - ticks) / CLOCKS_PER_SEC);
    std::fflush(stdout);
  }
  return last == last ? 0 : 1;
}

// Paddle's own truncated_normal.h over values from stdin: "erfinv" of each, or the values of
// TruncatedNormal(mean, std, a, b) at each uniform. Arguments: float|double erfinv, or
// float|double MEAN STD A B. Compiled with the wheel's include folder.
#include <math.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "paddle/phi/kernels/funcs/truncated_normal.h"

template <class T>
void run(int argc, char** argv) {
  std::vector<T> values;
  for (T value; std::fread(&value, sizeof value, 1, stdin);) values.push_back(value);
  if (argc == 3) {
    for (T& value : values) value = Erfinv(value);
  } else {
    const TruncatedNormal<T> normal(std::atof(argv[2]), std::atof(argv[3]), std::atof(argv[4]),
                                    std::atof(argv[5]));
    for (T& value : values) value = normal(value);
  }
  std::fwrite(values.data(), sizeof(T), values.size(), stdout);
}

int main(int argc, char** argv) {
  std::string(argv[1]) == "float" ? run<float>(argc, argv) : run<double>(argc, argv);
}

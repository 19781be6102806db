// Erfinv of Paddle's own truncated_normal.h over the values from stdin. Argument: float|double.
// Compiled with the wheel's include folder.
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
void run() {
  std::vector<T> values;
  for (T value; std::fread(&value, sizeof value, 1, stdin);) values.push_back(value);
  for (T& value : values) value = Erfinv(value);
  std::fwrite(values.data(), sizeof(T), values.size(), stdout);
}

int main(int, char** argv) {
  std::string(argv[1]) == "float" ? run<float>() : run<double>();
}

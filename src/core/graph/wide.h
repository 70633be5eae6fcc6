// Numbers in which sums of counts cannot overflow: 2^33 numbers below 2^64 fit 128 bits.
#pragma once

#include <algorithm>
#include <string>

namespace chord::core {

__extension__ typedef __int128 Wide;

inline std::string to_text(Wide value) {
  bool negative = value < 0;
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(negative ? -(value % 10) : value % 10)));
    value /= 10;
  } while (value != 0);
  if (negative) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace chord::core

// The constants by which `auto` chooses range entries.
#ifndef BLOOMLINE_FILTER_RANGES_CHOICE_CONSTANTS_H_
#define BLOOMLINE_FILTER_RANGES_CHOICE_CONSTANTS_H_

namespace bloomline::filter {

// Tuned with the bench `db_bench_ext/run --part choice`, which changes each of them and prints what
// that changes in the files that scans of empty ranges read. Only the bench sets other values.
struct ChoiceConstants {
  // ---- Memory.
  // A key of a level with 1/n of the keys of a level below gets n to the power of this times its
  // memory. An error rate gains the same from a bit in all levels if a level with a tenth of the
  // keys has entries of 3.5 more bits. Besides, more keys of an upper level have their entries to
  // themselves.
  double upper_levels = 0.5;

  // ---- What scans query, as long as there is no sample: ranges that end at delimiters or at bytes
  // have a weight of 1 each.
  // Ranges of any number of bits.
  double numbers = 0.2;
  // Ranges of bytes beside delimiters.
  double beside_delimiters = 0.1;
  // A field's end in a level above the last, if it distinguishes nearly all keys there.
  double nearly_all_in_upper_level = 0.15;
  // A byte's weight is divided by the bits that the next byte distinguishes plus this constant,
  // because they may be 0.
  double next_byte = 0.1;
  // The part of the keys that is nearly all. Cells that distinguish nearly all keys are long
  // enough: with longer ones, a file says "no" to hardly more ranges.
  double nearly_all = 0.9;

  // ---- The search.
  // A copy must gain at least this.
  double least_gain = 0.001;
  // Missing numbers often lie beside stored ones. A shorter entry would reject this share fewer
  // ranges than if missing keys were uniform.
  double of_shorter = 0.5;
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_CHOICE_CONSTANTS_H_

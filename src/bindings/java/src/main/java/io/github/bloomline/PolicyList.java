package io.github.bloomline;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;

/**
 * The jar's list of policy libraries: a line of MINOR_VERSION STRING FILE for each version of
 * RocksDB that was tested, from old to new.
 */
final class PolicyList {
  private PolicyList() {}

  /** Returns the file for a version and a kind of std::string; throws if there is none. */
  static String choose(final String list, final String running, final boolean hasNewString) {
    final String string = hasNewString ? "new" : "old";
    final Map<String, String> known = new LinkedHashMap<>(); // of each file
    String newest = "";
    for (final String line : list.split("\n")) {
      final String[] words = line.split(" ");
      if (running.startsWith(words[0] + ".") && words[1].equals(string)) {
        return words[2];
      }
      known.merge(words[2], words[0], (first, last) -> first.split(" ")[0] + " to " + last);
      newest = words[0];
    }
    throw BloomlineLibrary.error("this rocksdbjni is of RocksDB " + running + ", with the " + string
            + " std::string; the jar has no library that was tested with it, the newest tested one"
            + " is " + newest,
        "use Maven's rocksdbjni " + String.join(", ", new LinkedHashSet<>(known.values()))
            + ", or a newer bloomline");
  }
}

package io.github.bloomline;

import java.util.LinkedHashSet;
import java.util.Set;

/** The jar's list of policy libraries: a line of FIRST LAST STRING FILE for each. */
final class PolicyList {
  /** A version of RocksDB. */
  static final class Version {
    private final int major;
    private final int minor;
    private final int patch;

    Version(final int major, final int minor, final int patch) {
      this.major = major;
      this.minor = minor;
      this.patch = patch;
    }

    /** For comparison with the minor versions of the list. */
    private int number() {
      return 1000 * major + minor;
    }

    @Override
    public String toString() {
      return major + "." + minor + "." + patch;
    }
  }

  private PolicyList() {}

  /** Returns the file for a version and a kind of std::string; throws if there is none. */
  static String choose(final String list, final Version running, final boolean hasNewString) {
    final Set<String> known = new LinkedHashSet<>();
    for (final String line : list.split("\n")) {
      final String[] words = line.split(" ");
      final boolean serves =
          number(words[0]) <= running.number() && running.number() <= number(words[1]);
      if (serves && words[2].equals(hasNewString ? "new" : "old")) {
        return words[3];
      }
      known.add(words[0].equals(words[1]) ? words[0] : words[0] + " to " + words[1]);
    }
    throw BloomlineLibrary.error(
        "this rocksdbjni is of RocksDB " + running + ", for which the jar has no library",
        "it has those for " + String.join(", ", known)
            + " as in Maven's rocksdbjni: use one of these, or a newer bloomline");
  }

  private static int number(final String minorVersion) {
    final int point = minorVersion.indexOf('.');
    return 1000 * Integer.parseInt(minorVersion.substring(0, point))
        + Integer.parseInt(minorVersion.substring(point + 1));
  }
}

import io.github.bloomline.Bloomline;

/** Prints what the jar says of a RocksDB for which it has no library. */
public final class Refused {
  private Refused() {}

  public static void main(final String[] args) {
    try {
      Bloomline.register();
      System.out.println("not refused");
    } catch (UnsatisfiedLinkError e) {
      System.out.println(e.getMessage());
    }
  }
}

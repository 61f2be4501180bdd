// A program that needs the component core alone.
#include <bloomline/filter.h>

int main() {
  bloomline::FilterBuilder builder((bloomline::FilterOptions()));
  builder.AddKey("key");
  const std::string bytes = builder.Finish();
  return bloomline::FilterView::Open(bytes).MayMatch("key") ? 0 : 1;
}

/* A program in C outside the project: installed headers only. */
#include <bloomline/c.h>
#include <bloomline/c_leveldb.h>
#include <stdio.h>

int main(void) {
  char* error = NULL;
  leveldb_filterpolicy_t* policy =
      bloomline_leveldb_filterpolicy_create(bloomline_format_blocked, 10, &error);
  bloomline_filteroptions_t* options = bloomline_filteroptions_create();
  bloomline_builder_t* builder = bloomline_builder_create(options, &error);
  if (error != NULL) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  bloomline_builder_add_key(builder, "key", 3);
  size_t length = 0;
  char* filter = bloomline_builder_finish(builder, 1, &length, &error);
  bloomline_view_t* view = bloomline_view_open(filter, length);
  const int found = bloomline_view_may_match(view, "key", 3);
  printf("bloomline %s from C, kernel %s\n", bloomline_version(), bloomline_active_kernel_name());
  bloomline_view_destroy(view);
  bloomline_free(filter);
  bloomline_builder_destroy(builder);
  bloomline_filteroptions_destroy(options);
  leveldb_filterpolicy_destroy(policy);
  return found ? 0 : 1;
}

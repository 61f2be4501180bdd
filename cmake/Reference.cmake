# The target `docs`: the reference of the public headers in reference/html of the build folder.
add_custom_target(docs COMMAND "${PROJECT_SOURCE_DIR}/docs/build_reference"
                               "${PROJECT_BINARY_DIR}/reference" VERBATIM)

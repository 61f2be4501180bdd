/* metrics.h in C (experimental). Follows the conventions of c.h. Link bloomline::core. */
#ifndef BLOOMLINE_C_METRICS_H_
#define BLOOMLINE_C_METRICS_H_

#ifdef __cplusplus
extern "C" {
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#endif

/* Returns MetricsText(), for free(), or NULL if memory runs out. Thread-safe. */
char* bloomline_metrics_text(char** errptr);

#ifdef __cplusplus
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
} /* extern "C" */
#endif

#endif /* BLOOMLINE_C_METRICS_H_ */

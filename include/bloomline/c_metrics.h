/* metrics.h in C. Conventions as in c.h. Link with bloomline::core. */
#ifndef BLOOMLINE_C_METRICS_H_
#define BLOOMLINE_C_METRICS_H_

#ifdef __cplusplus
extern "C" {
#endif

/* MetricsText(), to be passed to free(). NULL: out of memory. Thread-safe. */
char* bloomline_metrics_text(char** errptr);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* BLOOMLINE_C_METRICS_H_ */

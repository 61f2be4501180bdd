/* What the filter policies of this process have counted, for programs in C and for bindings of
   other languages: see bloomline/metrics.h. Link with bloomline::core, which bloomline::leveldb and
   bloomline::rocksdb bring. Conventions as in bloomline/c.h, which is not needed. */
#ifndef BLOOMLINE_C_METRICS_H_
#define BLOOMLINE_C_METRICS_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Returns MetricsText() of bloomline/metrics.h, to be passed to free(). If out of memory, returns
   NULL and sets *errptr. Thread-safe. */
extern char* bloomline_metrics_text(char** errptr);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* BLOOMLINE_C_METRICS_H_ */

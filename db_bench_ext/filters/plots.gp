# Plots filters.csv as PNG and SVG: time of a query for a missing key by size of the filter.
# run_filters calls it; names of subjects have "_" in place of the space:
#   gnuplot -e "csv='filters.csv'; out='DIR'; subjects='blocked_avx2 Bloom_native'" plots.gp

set datafile separator ","
set datafile columnheaders
set datafile missing NaN  # rows of other cases do not break a line

name(s) = s[1:strstrt(s, "_") - 1]." ".s[strstrt(s, "_") + 1:*]
family(s) = s[1:strstrt(s, "_") - 1]
kernel_color(s) = strstrt(s, "avx512") ? "#b3261e" : strstrt(s, "portable") ? "#f2a65a" : "#e4572e"
color(s) = family(s) eq "Bloom" ? "#4c78a8" : family(s) eq "Ribbon" ? "#72b7b2" : kernel_color(s)
dash(s) = strstrt(s, "packaged") ? 2 : 1

here(s) = strcol("kind") eq "query" && strcol("subject") eq name(s) && \
          strcol("mode") eq "single" && column("hit_percent") == 0 && \
          column("bits_per_key") == 10 && column("offset") == 16 && column("threads") == 1
ns(s) = here(s) ? column("ns_per_key_median") : NaN

set title "Query for a missing key through RocksDB's interface, 10 bits per key" font ",15"
set xlabel "keys in the filter"
set ylabel "nanoseconds per key, hashing included"
set logscale x
set format x "10^{%T}"
set grid ytics lc rgb "#dddddd" lw 1
set border 3 lc rgb "#555555"
set tics nomirror
set xrange [700:*]
set yrange [0:*]
set key outside right center samplen 2

do for [format in "png svg"] {
  if (format eq "png") {
    set terminal pngcairo size 1000,560 font "sans,12" background "white"
  } else {
    set terminal svg size 1000,560 dynamic font "sans,13" background "white"
  }
  set output sprintf("%s/missing_key_query.%s", out, format)
  plot for [s in subjects] csv using (column("keys")):(ns(s)) with linespoints \
         lw 2.5 pt 7 ps 0.8 dt dash(s) lc rgb color(s) title name(s)
  set output
}

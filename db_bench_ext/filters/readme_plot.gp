# Plots the picture of README.md from filters.csv: false-positive rate and query time over bits per
# key, for filters of 1e6 keys. After db_bench_ext/run_filters --native, in the project's folder:
#   gnuplot -e "csv='db_bench_ext/results/filters.csv'; out='docs/images/filters.svg'" \
#           db_bench_ext/filters/readme_plot.gp
# kernel='avx2' shows another kernel than avx512, build='packaged' RocksDB's filters as packaged.
# A name that ends in .png gives a PNG.

if (!exists("kernel")) kernel = "avx512"
if (!exists("build")) build = "native"

set datafile separator ","
set datafile columnheaders
set datafile missing NaN

name(curve) = word("Bloom Ribbon blocked compact", curve)
title_of(curve) = (curve < 3 ? "RocksDB " : "bloomline ").name(curve)
subject(curve) = name(curve)." ".(curve < 3 ? build : kernel)
# Compact filters are measured at Bloom's rate ("compact") and at Bloom's memory ("compact=mem").
is(curve) = strcol("subject") eq subject(curve) || \
            (curve == 4 && strcol("subject") eq "compact=mem ".kernel)
# One query per call for keys that are not in the filter.
shown(curve) = strcol("kind") eq "query" && is(curve) && strcol("mode") eq "single" && \
               column("hit_percent") == 0 && column("keys") == 1e6 && \
               column("key_bytes") == 16 && column("offset") == 16 && column("threads") == 1
bits(curve) = shown(curve) ? column("written_bits_per_key") : NaN
color(curve) = word("#9ec3e6 #8fd0c8 #c8401f #6a3d8f", curve)
# RocksDB's curves are wide: in the left panel ours lie on top of them.
width(curve) = curve < 3 ? 7 : 2.5

if (strlen(out) > 4 && out[strlen(out) - 3:*] eq ".png") {
  set terminal pngcairo size 960,420 font "sans,12" background "white"
} else {
  set terminal svg size 960,420 font "sans,15" background "white"
}
set output out
set border 3 lc rgb "#555555"
set tics nomirror
set grid ytics lc rgb "#cccccc" lw 1
set xlabel "bits per key"
set xrange [5:17]
set xtics 6,2
set tmargin at screen 0.90
set bmargin at screen 0.17

set multiplot
set lmargin at screen 0.085
set rmargin at screen 0.48
set title "False-positive rate"
set logscale y
set yrange [0.005:4]
set ytics ("0.01 %%" 0.01, "0.03 %%" 0.03, "0.1 %%" 0.1, "0.3 %%" 0.3, "1 %%" 1, "3 %%" 3)
set key off
plot for [c = 1:4] csv using (bits(c)):(100 * column("fpr")) smooth unique with linespoints \
       lw width(c) pt 7 ps 0.7 lc rgb color(c), \
     100 * 2 ** -x with lines lw 2 dt 3 lc rgb "#555555"

set lmargin at screen 0.56
set rmargin at screen 0.985
set title "Query for a missing key, ns"
unset logscale y
set yrange [0:*]
set ytics autofreq
set key at graph 1,0.8 right top Left reverse samplen 2
plot for [c = 1:4] csv using (bits(c)):(column("ns_per_key_median")) smooth unique \
       with linespoints lw width(c) pt 7 ps 0.7 lc rgb color(c) title title_of(c), \
     NaN with lines lw 2 dt 3 lc rgb "#555555" title "information limit"
unset multiplot
set output

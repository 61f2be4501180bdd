# Plots db_bench.csv as PNG and SVG: operations per second and false positives of the engines' own
# db_bench. db_bench_ext/db_bench/run calls it:
#   gnuplot -e "csv='db_bench.csv'; out='DIR'; bits=10; engines='leveldb rocksdb'" plots.gp

set datafile separator ","
set datafile columnheaders

# "classic" has the bytes of LevelDB's own filter, so it gets no bars.
all_policies = "none builtin-bloom builtin-ribbon blocked compact compact-same-fpr"
colors = "#9e9e9e #4c78a8 #72b7b2 #e4572e #9d5ba0 #d4a6c8"
engine_title(e) = e eq "leveldb" ? "LevelDB" : "RocksDB"
policies(e) = e eq "leveldb" ? "none builtin-bloom blocked compact" \
                             : "builtin-bloom builtin-ribbon blocked compact compact-same-fpr"
color(policy) = word(colors, index_of(policy, all_policies))
index_of(w, list) = sum [i = 1:words(list)] (word(list, i) eq w ? i : 0)

# A group of bars: the shape of the keys and the workload.
speed_groups(e) = e eq "leveldb" \
    ? "stock:fillrandom stock:readrandom stock:readmissing dec16:readmissing be64:readmissing" \
    : "stock:fillrandom stock:readrandom stock:multireadrandom stock:readmissing stock:seekrandomwhilewriting"
positives_groups(e) = e eq "leveldb" \
    ? "stock:readrandom stock:readmissing dec16:readmissing be64:readmissing" \
    : "stock:readrandom stock:multireadrandom stock:readmissing"
keys_title(keys) = keys eq "dec16" ? "%%016d\nneighbours" : \
                   keys eq "be64" ? "big-endian\nneighbours" : ""
workload_title(w) = w eq "seekrandomwhilewriting" ? "seekrandom-\nwhilewriting" : \
                    w eq "multireadrandom" ? "multi-\nreadrandom" : w
group_title(group) = workload_title(group[strstrt(group, ":") + 1:*])."\n". \
                     keys_title(group[1:strstrt(group, ":") - 1])

# Bars of n policies, the first of which is policies(e)[first], around the place of the group.
x(e, groups, p, first) = strcol("engine") eq e && strcol("policy") eq word(policies(e), p) \
    ? place(index_of(strcol("keys").":".strcol("workload"), groups)) + \
      (p - (first + words(policies(e))) / 2.0) * width : NaN
place(i) = i > 0 ? i : NaN

set style fill solid 0.9 noborder
set grid ytics lc rgb "#dddddd" lw 1
set border 3 lc rgb "#555555"
set tics nomirror

panels = words(engines)
pixels = panels == 1 ? 900 : 1500
start = 'set multiplot layout 2,panels margins (panels == 1 ? 0.09 : 0.055),0.985,0.085,0.83 \
  spacing 0.06,0.16 title title_text font ",17"'
prepare = 'width = 0.75 / (n + 1 - first); set boxwidth width * 0.9 absolute; set xtics () scale 0; \
  do for [g = 1:words(groups)] { set xtics add (group_title(word(groups, g)) g) }; \
  set xrange [0.5:words(groups) + 0.5]; \
  set title engine_title(name).", ".what offset 0,-0.4; \
  if (e == 1) { set ylabel y_title } else { unset ylabel }'
title_text = sprintf("The engines' own db\\_bench, %d bits per key", bits)

do for [format in "png svg"] {
  if (format eq "png") {
    set terminal pngcairo size pixels,880 font "sans,12" background "white"
  } else {
    set terminal svg size pixels,880 dynamic font "sans,13" background "white"
  }
  set output sprintf("%s/db_bench_%dbits.%s", out, bits, format)
  set key off
  eval start

  # One legend for all panels, from empty curves.
  shown = ""
  do for [policy in all_policies] {
    do for [name in engines] {
      if (index_of(policy, policies(name)) > 0 && index_of(policy, shown) == 0) {
        shown = shown." ".policy
      }
    }
  }

  y_title = "times built-in Bloom"
  do for [e = 1:panels] {
    name = word(engines, e)
    n = words(policies(name))
    groups = speed_groups(name)
    what = "operations per second"
    first = 1
    eval prepare
    set yrange [0:*]
    if (e == 1) {
      set key at screen 0.5,0.925 center center horizontal maxrows 2 width 1 samplen 2
    } else {
      set key off
    }
    plot for [p = 1:n] csv using (x(name, groups, p, 1)):(column("times_bloom_median")) \
           with boxes lc rgb color(word(policies(name), p)) notitle, \
         for [p = 1:n] csv using (x(name, groups, p, 1)):(column("times_bloom_min")):(0): \
           (column("times_bloom_max") - column("times_bloom_min")) with vectors \
           heads size screen 0.002,90 lw 1.5 lc rgb "#333333" notitle, \
         for [policy in shown] NaN with boxes lc rgb color(policy) title policy
  }

  y_title = "of missing keys"
  set key off
  set logscale y
  set format y "%g %%"
  set yrange [0.01:100]
  do for [e = 1:panels] {
    name = word(engines, e)
    n = words(policies(name))
    groups = positives_groups(name)
    what = "false positives (log scale)"
    first = name eq "leveldb" ? 2 : 1
    eval prepare
    plot for [p = first:n] csv using (x(name, groups, p, first)):(100 * column("fpr")) \
           with boxes lc rgb color(word(policies(name), p)), \
         for [p = first:n] csv using (x(name, groups, p, first)):(100 * column("fpr")): \
           (sprintf("%.2g", 100 * column("fpr"))) with labels offset 0,0.6 font ",10"
  }
  unset multiplot
  unset logscale y
  set format y "%g"
  set output
}

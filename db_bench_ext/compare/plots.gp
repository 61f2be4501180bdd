# Plots compare.csv as PNG and SVG: false-positive rate, time per miss, memory. db_bench_ext/run
# calls it once for each number of bits per key:
#   gnuplot -e "csv='compare.csv'; out='DIR'; bits=10; engines='leveldb rocksdb'; sets='paths be64'"
#           plots.gp

set datafile separator ","
set datafile columnheaders

all_policies = "none builtin-bloom builtin-ribbon bloomline compact compact-same-fpr"
colors = "#9e9e9e #4c78a8 #72b7b2 #e4572e #9d5ba0 #d4a6c8"
engine_title(e) = e eq "leveldb" ? "LevelDB" : "RocksDB"
set_title(s) = s eq "paths" ? "file paths" : \
               s eq "be64" ? "8-byte big-endian" : "%%016d decimal"
# LevelDB has no Ribbon filter; its panel leaves no gap for one.
policies(e) = e eq "leveldb" ? "none builtin-bloom bloomline compact" : all_policies
color(policy) = word(colors, index_of(policy, all_policies))
index_of(w, list) = sum [i = 1:words(list)] (word(list, i) eq w ? i : 0)

# The place of a bar: policies side by side around the place of the key set. Plots without bars for
# "none" (first = 2) leave no gap for it.
width = 0.15
here(e, policy) = strcol("engine") eq e && strcol("policy") eq policy && \
                  column("requested_bits_per_key") == bits
x(e, p, first) = here(e, word(policies(e), p)) \
    ? index_of(strcol("keys"), sets) + (p - (first + words(policies(e))) / 2.0) * width : NaN

set style fill solid 0.9 noborder
set boxwidth width * 0.9 absolute
set grid ytics lc rgb "#dddddd" lw 1
set border 3 lc rgb "#555555"
set tics nomirror
set xtics () scale 0
do for [s = 1:words(sets)] { set xtics add (set_title(word(sets, s)) s) }
set xrange [0.4:words(sets) + 0.6]

of_bits(name) = column("requested_bits_per_key") == bits ? column(name) : NaN

panels = words(engines)
left = panels == 1 ? 0.12 : 0.07
pixels = panels == 1 ? 800 : 1400
# The last panel has every policy, so the legend above all panels is its.
panel = 'set title engine_title(word(engines, e)); \
  if (e == 1) { set ylabel y_title } else { unset ylabel }; \
  if (e == panels) { set key at screen 0.5,0.885 center center horizontal maxrows 1 width 1 samplen 2 \
  } else { set key off }'
start = 'set multiplot layout 1,panels margins left,0.985,0.08,0.77 spacing 0.06 \
  title title_text font ",17"'

do for [format in "png svg"] {
  if (format eq "png") {
    set terminal pngcairo size pixels,620 font "sans,12" background "white"
  } else {
    set terminal svg size pixels,620 dynamic font "sans,13" background "white"
  }
  name(plot) = sprintf("%s/%s_%dbits.%s", out, plot, bits, format)

  set output name("fpr")
  title_text = sprintf( \
    "False-positive rate for keys adjacent to stored ones, %d bits per key (log scale)", bits)
  y_title = "false-positive rate"
  set logscale y
  set format y "%g %%"
  set yrange [0.01:200]
  eval start
  do for [e = 1:panels] {
    name_of = word(engines, e)
    n = words(policies(name_of))
    eval panel
    plot for [p = 2:n] csv using (x(name_of, p, 2)):(100 * column("near_fpr")) with boxes \
           lc rgb color(word(policies(name_of), p)) title word(policies(name_of), p), \
         for [p = 2:n] csv using (x(name_of, p, 2)):(100 * column("far_fpr")) with points \
           pt 6 ps 1.2 lw 2 lc rgb "#222222" title (p == 2 ? "keys elsewhere" : ""), \
         for [p = 2:n] csv using (x(name_of, p, 2) - width * 0.45):(100 * column("theory_fpr")): \
           (width * 0.9):(0) with vectors nohead lw 2 lc rgb "#222222" \
           title (p == 2 ? "theory" : ""), \
         for [p = 2:n] csv using (x(name_of, p, 2)):(100 * column("near_fpr")): \
           (sprintf("%.2g", 100 * column("near_fpr"))) with labels offset 0,1.1 \
           font ",10" notitle
  }
  unset multiplot
  unset logscale y
  set format y "%g"

  set output name("miss_latency")
  title_text = sprintf( \
    "Time per Get of a missing key adjacent to a stored one, %d bits per key", bits)
  y_title = "microseconds: median, and range of the rounds"
  set yrange [*:*]  # stats would skip what lies outside
  stats csv using (of_bits("near_miss_us_max")) nooutput
  set yrange [0:STATS_max * 1.1]
  eval start
  do for [e = 1:panels] {
    name_of = word(engines, e)
    n = words(policies(name_of))
    eval panel
    plot for [p = 1:n] csv using (x(name_of, p, 1)):(column("near_miss_us_median")) with boxes \
           lc rgb color(word(policies(name_of), p)) title word(policies(name_of), p), \
         for [p = 1:n] csv using (x(name_of, p, 1)):(column("near_miss_us_min")):(0): \
           (column("near_miss_us_max") - column("near_miss_us_min")) with vectors \
           heads size screen 0.003,90 lw 1.5 lc rgb "#333333" notitle, \
         for [p = 1:n] csv using (x(name_of, p, 1)):(column("near_miss_us_max")): \
           (sprintf("%.2f", column("near_miss_us_median"))) with labels offset 0,0.7 \
           font ",10" notitle
  }
  unset multiplot

  set output name("memory")
  title_text = sprintf("Filters as written in the SSTables, %d bits per key requested", bits)
  y_title = "bits per key"
  set yrange [*:*]  # stats would skip what lies outside
  stats csv using (of_bits("filter_block_bits_per_key")) nooutput
  set yrange [0:STATS_max * 1.1]
  eval start
  do for [e = 1:panels] {
    name_of = word(engines, e)
    n = words(policies(name_of))
    eval panel
    plot for [p = 2:n] csv using (x(name_of, p, 2)):(column("filter_block_bits_per_key")) \
           with boxes lc rgb "#cccccc" title (p == 2 ? "LevelDB's array of offsets" : ""), \
         for [p = 2:n] csv using (x(name_of, p, 2)):(column("filter_bits_per_key")) with boxes \
           fs solid 1 lc rgb color(word(policies(name_of), p)) title word(policies(name_of), p), \
         for [p = 2:n] csv using (x(name_of, p, 2)):(column("filter_block_bits_per_key")): \
           (sprintf("%.2f", column("filter_block_bits_per_key"))) with labels offset 0,0.7 \
           font ",10" notitle
  }
  unset multiplot
  set output
}

# Plots disk.csv as PNG and SVG: speeds as multiples of built-in Bloom's, and block reads per Get.
# db_bench_ext/disk/run calls it:
#   gnuplot -e "csv='disk.csv'; out='DIR'; regimes='full,8388608,2.00,1 ...'" \
#     -e "workloads='readmissing ...'; all_policies='none builtin-bloom ...'" plots.gp

set datafile separator ","
set datafile columnheaders

# The regimes with one thread. "none" gets no bars, because it would hide the others, and built-in
# Bloom is what the others are compared with.
field(regime, i) = word(spaced(regime), i)
spaced(s) = system("echo '".s."' | tr , ' '")
shown_regimes = ""
regime_titles = ""
do for [r in regimes] {
  if (field(r, 4) eq "1") {
    shown_regimes = shown_regimes." ".r
    regime_titles = regime_titles.sprintf(" %s:%.2g", field(r, 1), real(field(r, 3)))
  }
}
policies = ""
do for [p in all_policies] { if (p ne "none") { policies = policies." ".p } }
palette_of = "#4c78a8 #72b7b2 #439894 #e4572e #9d5ba0 #d4a6c8 #b98a00 #f2b701 #54a24b"
color(p) = word(palette_of, 1 + (p - 1) % words(palette_of))
index_of(w, list) = sum [i = 1:words(list)] (word(list, i) eq w ? i : 0)

regime = 'strcol("filters").",".strcol("cache_bytes").",".strcol("cache_times_bloom_filters").",".strcol("threads")'
place(i) = i > 0 ? i : NaN
n = words(policies)
width = 0.8 / n
# The bar of policy p in the group of its regime.
x(p, w) = strcol("workload") eq w && strcol("policy") eq word(policies, p) \
    ? place(index_of(@regime, shown_regimes)) + (p - (1 + n) / 2.0) * width : NaN

set style fill solid 0.9 noborder
set boxwidth width * 0.92 absolute
set grid ytics lc rgb "#dddddd" lw 1
set border 3 lc rgb "#555555"
set tics nomirror
# Twice a backslash: eval reads it.
regime_tics = "set xtics () scale 0 font \",10\""
do for [r = 1:words(shown_regimes)] {
  title_r = word(regime_titles, r)
  regime_tics = regime_tics.sprintf("; set xtics add (\"%s\\n%sx\" %d)", \
    title_r[1:strstrt(title_r, ":") - 1], title_r[strstrt(title_r, ":") + 1:*], r)
}
set xrange [0.5:words(shown_regimes) + 0.5]
rows = (words(workloads) + 1) / 2
height = 150 + 300 * rows
# Panels in two columns, under a legend as wide as all of them.
panel_title = 'set title w; set lmargin at screen 0.045 + 0.5 * ((i - 1) % 2); \
  set rmargin at screen 0.485 + 0.5 * ((i - 1) % 2); \
  top = 1 - (146.0 + 300 * ((i - 1) / 2)) / height; \
  set tmargin at screen top; set bmargin at screen top - 210.0 / height'
legend = 'set lmargin at screen 0.02; set rmargin at screen 0.98; set tmargin at screen 1 - 52.0 / height; \
  set bmargin at screen 1 - 112.0 / height; unset border; unset tics; unset title; \
  set key center center horizontal maxrows 2 width 1 samplen 2; \
  plot [0:1] [0:1] for [p = 1:n] NaN with boxes lc rgb color(p) title word(policies, p); \
  set key off; set border 3 lc rgb "#555555"; set xtics nomirror; set ytics nomirror; eval regime_tics'
start = 'set multiplot title title_text font ",17"; eval legend'
note = "groups: layout of the filters, and block cache as a multiple of built-in Bloom's filters"

do for [format in "png svg"] {
  if (format eq "png") {
    set terminal pngcairo size 1500,height font "sans,12" background "white"
  } else {
    set terminal svg size 1500,height dynamic font "sans,13" background "white"
  }

  set output sprintf("%s/disk_speed.%s", out, format)
  title_text = "Keys per second where memory is short, as a multiple of built-in Bloom's\n{/*0.7 ".note."; range of the rounds}"
  eval start
  set yrange [0:*]
  do for [i = 1:words(workloads)] {
    w = word(workloads, i)
    eval panel_title
    plot for [p = 1:n] csv using (x(p, w)):(column("times_bloom_median")) with boxes \
           lc rgb color(p), \
         for [p = 2:n] csv using (x(p, w)):(column("times_bloom_min")):(0): \
           (column("times_bloom_max") - column("times_bloom_min")) with vectors \
           nohead lw 1 lc rgb "#333333", \
         1 with lines lc rgb "#4c78a8" lw 1
  }
  unset multiplot

  # Data blocks at the bottom of each bar, then index, then filter blocks.
  set output sprintf("%s/disk_reads.%s", out, format)
  title_text = "Blocks read from the disk per Get: data (dark), index (lighter), filter (lightest)\n{/*0.7 ".note."}"
  sum(k) = column("data_reads_per_get") + (k > 1 ? column("index_reads_per_get") : 0) + \
           (k > 2 ? column("filter_reads_per_get") : 0)
  eval start
  do for [i = 1:words(workloads)] {
    w = word(workloads, i)
    eval panel_title
    plot for [p = 1:n] csv using (x(p, w)):(sum(3)) with boxes fs solid 0.3 \
           lc rgb color(p), \
         for [p = 1:n] csv using (x(p, w)):(sum(2)) with boxes fs solid 0.6 \
           lc rgb color(p), \
         for [p = 1:n] csv using (x(p, w)):(sum(1)) with boxes fs solid 1 \
           lc rgb color(p)
  }
  unset multiplot
  set output
}
